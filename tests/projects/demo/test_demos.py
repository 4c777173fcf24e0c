"""The demo campaign: what a requester finds in it.
The demo of a check: what a requester finds in it.
The demo of a model annotator: what a requester finds on its pages.
The file of the finished demo: it comes back whole, fits the tables, and is what the simulation makes.
"""

import json
import lzma
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.test import Client

from annotation.models import Image, Project
from annotation.storage import store
from exchange.import_dataset import import_dataset
from labelling.messages import conversations_in
from pipeline.checking.label_evidence import labels_now, labels_of_source
from pipeline.models import Assignment, Entry, Judgment, KnownQuestion, LedgerEntry, Progress, Question
from pipeline.project.settings_versions import current_settings
from pipeline.protocol.state.progress import Cause
from pipeline.protocol.state.progress_json import from_json
from pipeline.record.read_record import replay
from projects.demo import build_campaign as demo
from projects.demo import build_check as demo_demo
from projects.demo import build_colleague as demo_demo_2
from projects.demo.archive import FILE, bring_demo
from projects.models import ModelPrediction
from projects.predictions.judges import judges
from runtime import clock
from simulation import build_demo
from simulation.scenes.scene import write_source
from tests.support.main_buttons import main_buttons
from tests.support.places import ROOT
from tests.support.trusting import differences
from workers.models import ApiKey, SkillEstimate, TrustStatus, Worker

pytestmark = pytest.mark.django_db

Drawn = Callable[[int], None]


@pytest.fixture
def drawn(tmp_path: Path, settings: Any) -> Drawn:
    """drawn(5): import the first five scenes of the demo, with their pictures."""
    settings.MEDIA_ROOT = str(tmp_path / "media")

    def make(scenes: int) -> None:
        write_source(tmp_path / "scenes", build_demo.SEED, scenes)
        import_dataset(project_name=build_demo.NAME, path=tmp_path / "scenes")

    return make


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, settings: object) -> None:
    settings.MEDIA_ROOT = str(tmp_path)  # type: ignore[attr-defined]
    monkeypatch.setattr(demo, "SCENES", 4)
    monkeypatch.setattr(demo, "PLAN", replace(demo.PLAN, workers=8, known_questions=40, most=90))


@pytest.mark.slow
def test_the_demo_campaign_is_under_way_with_things_to_settle(small: None, admin_client: Client) -> None:
    project = demo.build_campaign()
    assert not Entry.objects.filter(project=project, created_at__gt=clock.now()).exists()
    assert not Assignment.objects.filter(project=project, ended_at__gt=clock.now()).exists()
    assert KnownQuestion.objects.filter(project=project).exists()
    assert LedgerEntry.objects.filter(project=project, kind="paid").exists()
    assert SkillEstimate.objects.filter(project=project).exists()
    assert Judgment.objects.filter(assignment__project=project, seconds__lt=1).exists()  # by a worker who hurries
    assert TrustStatus.objects.filter(project=project, state="barred").exists()
    assert project.images.filter(chains__state="review").exists()
    assert conversations_in(project.pk, waiting=True).count() == 1 and differences(project) == []
    page = admin_client.get("/projects/campaign/dashboard/").text
    assert "Chains wait for an expert" in page and "Messages of workers wait for an answer" in page
    assert demo.build_campaign().pk == project.pk


@pytest.mark.slow
@pytest.mark.both_engines
def test_things_are_left_to_settle_even_if_every_chain_was_finished_and_nobody_barred(small: None, monkeypatch: Any):
    monkeypatch.setattr(demo, "SCENES", 2)  # all of their questions are answered
    monkeypatch.setattr(demo, "PLAN", replace(demo.PLAN, bad=0.0, most=None))
    project = demo.build_campaign()
    assert project.images.filter(chains__state="review").exists()
    barred = TrustStatus.objects.get(project=project, state="barred")
    (appeal,) = conversations_in(project.pk, waiting=True)
    assert appeal.worker_id == barred.worker_id


@pytest.mark.slow
def test_a_source_with_planted_errors_is_being_checked_in_the_demo_and_labels_have_changed(
    monkeypatch: pytest.MonkeyPatch, drawn: Drawn
) -> None:
    drawn(5)
    monkeypatch.setattr(demo_demo, "CHECKED", 4)
    monkeypatch.setattr(demo_demo, "BEGUN", 1)
    project = demo_demo.build_check()
    source = ModelPrediction.objects.filter(project=project).values_list("program", "program__name")
    assert set(source) == {(current_settings(project.pk)[1].reference_set, demo_demo.SOURCE)}
    assert sorted(project.images.values_list("state", flat=True))[-4:] == ["merged"] * 4
    changed = 0
    for row in ModelPrediction.objects.filter(project=project, image__state="merged"):
        progress = from_json(Progress.objects.get(image=row.image_id).state)
        before = labels_of_source(row.boxes, row.chains, row.flags, progress.mentions)
        changed += len(set(before).symmetric_difference(labels_now(progress)))
    assert changed >= 2 and not Entry.objects.filter(project=project, created_at__gt=clock.now()).exists()
    assert list(replay(project)) == [] and project.images.exclude(picture="").count() == 5
    assert demo_demo.build_check().pk == project.pk


@pytest.mark.slow
def test_a_scripted_program_that_says_so_is_at_work_in_the_demo_and_models_shows_its_work(
    monkeypatch: pytest.MonkeyPatch, drawn: Drawn, admin_client: Client
) -> None:
    drawn(4)
    monkeypatch.setattr(demo_demo_2, "BEFORE", 3)
    monkeypatch.setattr(demo_demo_2, "AFTER", 1)
    project = demo_demo_2.build_colleague()
    (found,) = judges(project, current_settings(project.pk)[1])
    assert (found.name, found.at_work, found.has_key) == ("Scripted colleague (demo)", True, True)
    assert found.work is not None and found.work.answers == sum(number for _, number in found.answers) > 40
    assert ApiKey.objects.filter(worker=found.id).exists()
    kinds = {"virtual", "program"}
    assert set(Judgment.objects.filter(question__project=project).values_list("worker__kind", flat=True)) == kinds
    assert not Entry.objects.filter(project=project, created_at__gt=clock.now()).exists()
    assert list(replay(project)) == [] and project.images.exclude(picture="").count() == 4
    page = unescape(admin_client.get("/projects/colleague/models/").text)
    assert "What became of its answers" in page and "At work, and new" in page
    assert demo_demo_2.build_colleague().pk == project.pk


@pytest.mark.slow
@pytest.mark.both_engines
def test_the_finished_demo_comes_back_as_if_it_had_ended_now(tmp_path: Path, settings: object) -> None:
    settings.MEDIA_ROOT = str(tmp_path)  # type: ignore[attr-defined]
    assert bring_demo()
    names = Project.objects.order_by("pk").values_list("name", flat=True)
    assert [*names] == ["demo", "campaign", "colleague", "check"]
    for project in Project.objects.all():
        assert [*replay(project)] == [] and project.images.filter(state="merged").exists()
    assert Question.objects.filter(project__name="demo", outcome=Cause.SWEPT).exists()
    pictures = {*Image.objects.values_list("picture", flat=True)}
    assert len(pictures) == 40 and all(store().exists(picture) for picture in pictures)
    assert not Entry.objects.filter(created_at__gt=clock.now()).exists()
    last = Assignment.objects.filter(ended_at__isnull=False).latest("ended_at").ended_at
    assert last and timedelta() < clock.now() - last < timedelta(hours=5)
    program = ApiKey.objects.get().worker
    assert program.kind == Worker.Kind.PROGRAM and Judgment.objects.filter(assignment__worker=program).exists()
    assert Project.objects.create(name="next").pk > Project.objects.get(name="check").pk  # its number is free
    settings.GALLERY_PUBLIC = settings.TRY_AS_WORKER = True  # type: ignore[attr-defined]
    for name in ("demo", "campaign", "colleague", "check"):
        guest = Client().post(f"/work/{name}/try/", follow=True)
        assert main_buttons(guest.text), f"a guest has nothing to do in {name}"
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
