"""The file of the finished demo: it comes back whole, fits the tables, and is what the simulation makes."""

import json
import lzma
import re
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest
from django.apps import apps

from annotation.models import Image, Project
from annotation.storage import store
from pipeline.models import Assignment, Entry, Judgment
from pipeline.record.replay import replay
from projects.demo.archive import FILE, bring_demo
from runtime import clock
from tests.support.places import ROOT
from workers.models import ApiKey, Worker


@pytest.mark.slow
@pytest.mark.both_engines
@pytest.mark.django_db
def test_the_finished_demo_comes_back_as_if_it_had_ended_now(tmp_path: Path, settings: object) -> None:
    settings.MEDIA_ROOT = str(tmp_path)  # type: ignore[attr-defined]
    assert bring_demo()
    names = Project.objects.order_by("pk").values_list("name", flat=True)
    assert [*names] == ["demo", "campaign", "colleague", "check"]
    for project in Project.objects.all():
        assert [*replay(project)] == [] and project.images.filter(state="merged").exists()
    pictures = {*Image.objects.values_list("picture", flat=True)}
    assert len(pictures) == 40 and all(store().exists(picture) for picture in pictures)
    assert not Entry.objects.filter(created_at__gt=clock.now()).exists()
    last = Assignment.objects.filter(ended_at__isnull=False).latest("ended_at").ended_at
    assert last and timedelta() < clock.now() - last < timedelta(hours=5)
    program = ApiKey.objects.get().worker
    assert program.kind == Worker.Kind.PROGRAM and Judgment.objects.filter(assignment__worker=program).exists()
    assert Project.objects.create(name="next").pk > Project.objects.get(name="check").pk  # its number is free
    assert not bring_demo()  # beside a project the numbers of rows may be taken


def test_the_file_of_the_demo_fits_the_tables_and_has_no_time_that_stays_behind() -> None:
    with lzma.open(FILE, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines][1:]
    for row in {row["model"]: row for row in rows}.values():
        model = apps.get_model(row["model"])
        columns = {field.name for field in model._meta.concrete_fields if not field.primary_key}
        assert columns - {"token"} == {*row["fields"]} - {"token"}, "run scripts/pack_demo.py"
    inside = [value for row in rows for value in row["fields"].values() if isinstance(value, dict | list)]
    assert not [value for value in inside if re.search(r"\d{4}-\d\d-\d\dT", json.dumps(value))]
    assert "workers.apikey" not in {row["model"] for row in rows}


@pytest.mark.long
def test_the_file_of_the_demo_is_what_the_simulation_makes(tmp_path: Path) -> None:
    made = tmp_path / "made.xz"
    subprocess.run([sys.executable, "scripts/pack_demo.py", str(made)], cwd=ROOT, check=True)
    assert lzma.decompress(made.read_bytes()) == lzma.decompress(FILE.read_bytes()), "run scripts/pack_demo.py"
