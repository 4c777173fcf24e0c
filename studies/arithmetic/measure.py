"""The campaign that is measured: a crowd annotates drawn images; the project is exported, replayed and archived."""

import resource
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.db import connection

from annotation.models import Image, Project
from annotation.rules.states import ImageState, ProjectState
from exchange.export_dataset import export_dataset
from exchange.import_image import import_image
from exchange.registry import FORMATS, export_formats
from pipeline.models import Judgment
from pipeline.project.settings_versions import make_project, open_project
from pipeline.protocol.tasks.task import PROTOCOL_TASKS
from pipeline.record.replay import replay
from pipeline.settings.settings import Settings
from pipeline.tick import tick
from projects.archive.bring_back import bring_back
from projects.archive.remove_rows import remove_rows
from projects.archive.tables import OF_IMAGES
from projects.archive.verify import verify
from projects.archive.write_archive import write_archive
from projects.lifecycle.change_state import change_state
from simulation.scenes.make import make_scene
from simulation.simulate import simulate
from studies.arithmetic.counters import Spent, ask, narrow_columns, spent
from studies.command import peak_kilobytes
from studies.http_load.measure import TICKS

SEED = 7
REWARD = dict.fromkeys((task.value for task in PROTOCOL_TASKS), 20)
Say = Callable[[str], object]


def measure(sizes: Iterable[int], folder: Path, say: Say) -> dict[str, Any]:
    """Measure a campaign of each size, in images."""
    with connection.cursor() as cursor:
        cursor.execute("CREATE EXTENSION IF NOT EXISTS pg_stat_statements")
    found = [_campaign(f"arithmetic-{images}", images, folder, say) for images in sizes]
    return {"simulated": True, "campaigns": found, "tick": _tick(), "keys_below_64_bits": narrow_columns()}


def _campaign(name: str, images: int, folder: Path, say: Say) -> dict[str, Any]:
    project = open_project(name=name, settings=Settings(reward_cents=REWARD))
    with spent() as cost, _seconds() as seconds:
        for number in range(images):
            scene = make_scene(SEED, number).image
            import_image(project, number, scene, picture="", gold=True, settings_version=1)
        tick(project_id=project.pk)
        simulate(project=project, crowd="paper", seed=SEED)
        tick(project_id=project.pk)
    judgments = Judgment.objects.filter(question__project=project).count()
    say(f"{name}: {judgments:,} judgments in {seconds['seconds']:.0f} s")
    with _seconds() as replayed:
        equal = not any(True for _ in replay(project))
    return {
        "images": project.images.count(),
        "finished": Image.objects.filter(project=project, state=ImageState.MERGED.value).count(),
        "judgments": judgments,
        **seconds,
        **_of_database(cost),
        "exported_per_second": _exports(project, folder, say),
        "replay": {**replayed, "equal": equal},
        "archive": _archive(project, folder / name, say),
        "peak_mb": peak_kilobytes() / 1024,
    }


def _exports(project: Project, folder: Path, say: Say) -> dict[str, float]:
    """Export in each format without pictures. Returns images a second of processor time, with that of PostgreSQL."""
    found = {}
    for name in [name for name in export_formats() if not FORMATS[name].with_pictures]:
        with _seconds() as seconds:
            report = export_dataset(
                project=project, target=folder / f"{project.name}-{name}", export_format=name, card=False
            )
        found[name] = report.images / seconds["cpu"]
    say("  images exported a second: " + ", ".join(f"{name} {speed:,.0f}" for name, speed in found.items()))
    return found


def _of_database(cost: Spent) -> dict[str, Any]:
    leave = {table.name for table in OF_IMAGES}
    tables = [
        {"table": name, **size._asdict(), "leaves": name in leave}
        for name, size in sorted(cost.tables.items(), key=lambda one: -(one[1].bytes + one[1].index_bytes))
        if size.rows > 0
    ]
    figures = {"statements": cost.statements, "transactions": cost.transactions, "log_bytes": cost.log_bytes}
    return {**figures, "tables": tables}


def _archive(project: Project, folder: Path, say: Say) -> dict[str, Any]:
    """Write, compare, remove, bring back and replay. Returns the seconds of each, and the bytes of the archive."""
    change_state(project.pk, ProjectState.FINISHED, None)
    project.refresh_from_db()
    found: dict[str, Any] = {}
    with _seconds() as found["write"]:
        archive = write_archive(project, folder)
    with _seconds() as found["compare"]:
        verify(archive, project)
    with _seconds() as found["compare_and_remove"], spent() as removed:
        remove_rows(archive, project)
    with _seconds() as found["bring_back_and_compare"], spent() as returned:
        bring_back(archive)
    tables = archive.manifest["tables"].values()
    found |= {
        "bytes": archive.size,
        "rows": sum(table["rows"] for table in tables),
        "rows_removed": sum(table["rows"] for table in tables if table["removed"]),
        "log_bytes_of_removal": removed.log_bytes,
        "log_bytes_of_return": returned.log_bytes,
        "replay_equal": not any(True for _ in replay(project)),
    }
    say(f"  archive: {archive.size:,} bytes, {found['rows']:,} rows")
    return found


def _tick() -> dict[str, float]:
    """Return the statements and milliseconds by which each finished project prolongs every sweep."""
    tick()
    with spent() as before, _seconds() as first:
        tick()
    for number in range(ADDED):
        make_project(name=f"arithmetic-empty-{number}", state=ProjectState.FINISHED)
    tick()
    with spent() as after, _seconds() as second:
        tick()
    return {
        "statements_of_a_project": (after.statements - before.statements) / ADDED,
        "cpu_ms_of_a_project": 1000 * (second["cpu"] - first["cpu"]) / ADDED,
    }


ADDED = 50
"""Finished projects that are added to see what each costs a sweep."""


@contextmanager
def _seconds() -> Iterator[dict[str, float]]:
    """Measure a block: seconds of the clock, and of the processor, in this process and in its PostgreSQL process."""
    found: dict[str, float] = {}
    begun, before = time.monotonic(), _cpu()
    yield found
    found["seconds"], found["cpu"] = time.monotonic() - begun, _cpu() - before


def _cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    fields = Path(f"/proc/{ask('SELECT pg_backend_pid()')[0][0]}/stat").read_text().rpartition(")")[2].split()
    return used.ru_utime + used.ru_stime + (int(fields[11]) + int(fields[12])) / TICKS
