"""The finished demo projects as a file that comes with Chainbox: bringing it back takes seconds, simulating a minute.

scripts/pack_demo.py makes the file from the simulation. Its first line holds a time; every other line is a row of the
database. The pictures are drawn anew.
"""

import json
import lzma
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory

from django.apps import apps
from django.contrib.auth.models import User
from django.core import serializers
from django.core.management.color import no_style
from django.db import connection, transaction
from django.db.models import DateTimeField, Model

from annotation.models import Image, Project
from annotation.pictures import store_picture
from projects.dashboard.figures import refresh_figures
from projects.demo import build_campaign, build_check, build_colleague
from runtime import clock
from runtime.installed import ROOT
from simulation import build_demo
from simulation.scenes.scene import write_source
from workers.models import Worker
from workers.tokens import make_api_key

FILE = Path(__file__).with_name("finished.jsonl.xz")
SCENES = (
    (build_demo.SEED, build_demo.FINISHED + build_demo.IN_WORK + build_demo.UNTOUCHED),
    (build_campaign.SEED, build_campaign.SCENES),
)
"""The seed of the scenes of the first demo, which two others share, and of the campaign, with their numbers."""
LEFT_OUT = {
    "accounts.SecurityEvent": "tells of the service that made the file",
    "projects.Figures": "follows from the record, and holds times in JSON",
    "workers.ApiKey": "every service makes its own",
}
"""Tables that are not in the file, each with the reason."""
RANDOM = {"pipeline.Assignment": "token"}
"""Columns that every service fills by chance."""
ROWS_PER_INSERT = 500
PRESET = 9


def pack_demo(file: Path) -> None:
    """Write the projects of this database, which holds the demo projects alone. Raises ValueError if it holds accounts.

    Times are relative to the last one, so that the file hangs on no clock.
    """
    if User.objects.exists():
        raise ValueError("an account is here: pack the demo before the first start of the service")
    with lzma.open(file, "wt", preset=PRESET, encoding="utf-8") as out:
        out.write(f"{json.dumps({'packed_at': clock.now().isoformat()})}\n")
        for model in _tables():
            kept = [field.name for field in model._meta.concrete_fields if field.name != RANDOM.get(model._meta.label)]
            rows = model._default_manager.order_by("pk")
            serializers.serialize("jsonl", rows, stream=out, fields=kept, sort_keys=True)


def bring_demo(say: Callable[[str], object] = lambda line: None) -> bool:
    """Bring the projects of FILE into a database without projects and workers, as if they had ended just now.

    Returns False, and does nothing, where there are some: the rows keep their ids. `say` gets a line about each step.
    An interruption leaves nothing behind.
    """
    if Project.objects.exists() or Worker.objects.exists():
        return False
    say("Drawing the scenes of the demo …")
    pictures = _draw()
    say("Bringing its finished projects …")
    with transaction.atomic(), lzma.open(FILE, "rt", encoding="utf-8") as lines:
        packed_at = datetime.fromisoformat(json.loads(next(lines))["packed_at"])
        rows: Iterator[Model] = (row.object for row in serializers.deserialize("jsonl", lines))
        for model, some in groupby(rows, key=lambda row: row._meta.model):
            moved = _as_now(some, clock.now() - packed_at, pictures)
            model._default_manager.bulk_create(moved, batch_size=ROWS_PER_INSERT)
        # Nobody gets to know the key: a page shows that there is one.
        make_api_key(Worker.objects.get(name=build_colleague.PROGRAM))
        with connection.cursor() as cursor:
            for statement in connection.ops.sequence_reset_sql(no_style(), _tables()):
                cursor.execute(statement)
    for project in Project.objects.exclude(name=build_demo.NAME):
        refresh_figures(project.pk, anew=True)
    return True


def build_demos(say: Callable[[str], object]) -> None:
    """Simulate each demo project that is missing: the first one first, since others show its pictures."""
    build_demo.build_demo(say)
    build_campaign.build_campaign(say)
    build_colleague.build_colleague(say)
    build_check.build_check(say)


def _tables() -> list[type[Model]]:
    """Return the tables of the file. A row may point to one of a later table: databases compare when all are there."""
    ours = {config.label for config in apps.get_app_configs() if Path(config.path).parent == ROOT}
    return [model for model in apps.get_models() if model._meta.app_label in ours and model._meta.label not in LEFT_OUT]


def _draw() -> dict[str, str]:
    """Draw the scenes into storage, and return the name there of each."""
    stored = dict[str, str]()
    for seed, number in SCENES:
        with TemporaryDirectory() as folder:
            source = Path(folder) / "scenes"
            write_source(source, seed, number)
            for file in (source / "images").iterdir():
                stored[file.stem] = store_picture(file, picture_format="JPEG")
    return stored


def _as_now(rows: Iterator[Model], later: timedelta, pictures: dict[str, str]) -> Iterator[Model]:
    """Yield rows with their times moved, images with their pictures."""
    for row in rows:
        for field in row._meta.concrete_fields:
            if isinstance(field, DateTimeField) and (at := getattr(row, field.attname)) is not None:
                setattr(row, field.attname, at + later)
        if isinstance(row, Image):
            row.picture = pictures[row.name]
        yield row
