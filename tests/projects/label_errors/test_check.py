"""The page Check lists the labels of a checked data set, the most doubtful first, in a fixed number of statements.
The same doubtful labels by command and by API, and clear words where there are none.
The record of a check: exported, read elsewhere, and taken back, it makes the same labels.
The page and the command that tell how many labels of a checked data set are wrong.
"""

import json
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from accounts.models import Role
from annotation.models import Image, Project
from annotation.rules.states import ImageState
from exchange.export_dataset import export_dataset
from pipeline.checking.label_evidence import ChainLabel, labels_now
from pipeline.learning.refit import known_labels, refit_boxes
from pipeline.models import Entry, LabelDoubt, Progress, Question
from pipeline.policies.compose import compose, engine_of
from pipeline.project.settings_versions import current_settings, open_project
from pipeline.protocol.image.undo import apply_record
from pipeline.protocol.state.progress_json import from_json
from pipeline.protocol.tasks.task import Task
from pipeline.record.intervene import act_as_expert, undo_entry
from pipeline.record.read_record import replay
from pipeline.record.write_doubts import refill_doubts
from pipeline.settings.settings import Settings
from pipeline.tick import tick
from projects.label_errors import operations
from projects.label_errors.operations import read_wrong_labels
from projects.schemas import validate_file
from simulation.scenes.scene import write_source
from tests.support.checked import MAN, PLACE, UNASKED, KeptCheck, checked_project
from tests.support.exported_record import entry_of
from tests.support.members import sign_in
from tests.support.projects import answer, worker

pytestmark = pytest.mark.django_db

MOST_STATEMENTS = 16
CALL = "/api/v1/requester/projects/parks/doubts/"


def test_labels_are_listed_with_their_chances_the_most_doubtful_first(client: Client, project: Project) -> None:
    page = client.get(reverse("projects:check", args=[project.name]))
    shown = [one.row.doubt for one in page.context["page"]]
    assert shown == sorted(shown, reverse=True)
    assert len(shown) == min(20, LabelDoubt.objects.filter(project=project).count())
    state = page.context["state"]
    assert state.source == "import of parks" and state.labels == state.count() == LabelDoubt.objects.count()
    assert state.labels == state.in_question + state.count("unchanged") + state.changed
    assert state.expected.low <= state.expected.wrong <= state.expected.high


def test_the_menu_names_the_page_only_where_a_data_set_is_checked(client: Client, project: Project) -> None:
    address = reverse("projects:check", args=[project.name])
    assert address in client.get(reverse("projects:review", args=[project.name])).text
    sign_in(client, open_project(name="other", settings=Settings()), Role.REVIEWER, "ida")
    assert "/check/" not in client.get(reverse("projects:review", args=["other"])).text
    assert client.get(reverse("projects:check", args=["other"])).status_code == 404


def test_labels_are_found_by_their_weakest_part_and_their_standing(client: Client, project: Project) -> None:
    row = LabelDoubt.objects.filter(project=project).first()
    assert row is not None
    LabelDoubt.objects.filter(pk=row.pk).update(part="flag", standing="changed")
    page = client.get(reverse("projects:check", args=[project.name]), {"part": "flag", "standing": "changed"})
    assert [one.row.pk for one in page.context["page"]] == [row.pk]
    everything = client.get(reverse("projects:check", args=[project.name]), {"part": "dragons"})
    assert everything.context["page"].paginator.count == LabelDoubt.objects.count()


@pytest.mark.both_engines
def test_a_page_of_labels_takes_a_fixed_number_of_statements(client: Client, project: Project) -> None:
    with CaptureQueriesContext(connection) as statements:
        client.get(reverse("projects:check", args=[project.name]))
    assert len(statements) <= MOST_STATEMENTS


def test_doubts_that_are_computed_anew_are_those_that_were_written(project: Project) -> None:
    columns = ("image", "chain", "standing", "part", "doubt")
    before = set(LabelDoubt.objects.values_list(*columns))
    LabelDoubt.objects.update(doubt=1.0)
    kept, *lost = LabelDoubt.objects.all()
    LabelDoubt.objects.filter(pk__in=[one.pk for one in lost[:5]]).delete()
    kept.pk, kept.chain = None, 999
    kept.save()
    assert refill_doubts(project) == len(before) and set(LabelDoubt.objects.values_list(*columns)) == before


def test_an_answer_moves_the_doubts_of_its_image_and_of_no_other(project: Project) -> None:
    columns = ("image", "chain", "doubt")
    before = set(LabelDoubt.objects.values_list(*columns))
    asked = Question.objects.filter(state="open", task=Task.COREFERENCE_LINK).order_by("-value", "id").first()
    assert asked is not None
    answer(project, worker(project, "ada", Task.COREFERENCE_LINK), Task.COREFERENCE_LINK, "different")
    tick(project_id=project.pk)
    assert {image for image, _, _ in (before ^ set(LabelDoubt.objects.values_list(*columns)))} == {asked.image_id}
    after = from_json(Progress.objects.get(image=asked.image_id).state)
    rows = LabelDoubt.objects.filter(image=asked.image_id).values_list("chain", flat=True)
    assert set(rows) == {name for name, chain in after.chains.items() if chain.merged_into is None}


def written(out: Path, **options: Any) -> list[dict[str, Any]]:
    call_command("doubts", "parks", out=out, **options)
    return [json.loads(line) for line in out.read_text().splitlines()]


@pytest.mark.both_engines
def test_the_command_writes_what_the_api_returns_page_by_page(client: Client, project: Project, tmp_path: Path) -> None:
    lines = written(tmp_path / "doubts.jsonl")
    assert len(lines) == LabelDoubt.objects.count() > 10
    call_command("validate", str(tmp_path / "doubts.jsonl"), **{"as": "doubts"})
    skip, found = 0, []
    while skip is not None:
        page = client.get(CALL, {"skip": skip, "most": 10}).json()
        found += page["doubts"]
        skip = page["skip"]
    assert found == lines and page["labels"] == len(lines)
    assert page["expected_wrong"] == pytest.approx(sum(one["doubt"] for one in lines))
    assert written(tmp_path / "first.jsonl", limit=3, anew=True) == lines[:3]


def test_wrong_input_is_named(client: Client, project: Project, tmp_path: Path) -> None:
    assert client.get(CALL, {"part": "nose"}).status_code == 400
    open_project(name="other", settings=Settings())
    with pytest.raises(CommandError, match=r"other checks no data set\. Import one with: import_dataset other"):
        call_command("doubts", "other")
    with pytest.raises(CommandError, match="--limit 0: give a number from 1"):
        call_command("doubts", "parks", limit=0)


def labels(image: Image) -> list[ChainLabel]:
    return labels_now(from_json(Progress.objects.get(image=image).state))


def read_back(line: dict[str, Any], settings: dict[int, Settings]) -> list[ChainLabel]:
    """Fold a line's record as another service would, to which workers are pseudonyms, and programs have a number."""
    numbers = {one["worker"]: one["number"] for one in line["programs"].values()}
    free, lines = count(1_000), []
    for entry in line["record"]:
        data = dict(entry["data"])
        if "worker" in data:
            data["worker"] = numbers.setdefault(data["worker"], next(free))
        lines.append((entry_of(entry["sequence"], entry["kind"], data), compose(settings[entry["settings"]])))
    return labels_now(apply_record(lines))


@pytest.mark.slow
def test_the_exported_record_makes_the_same_labels_elsewhere_and_an_act_is_undone(tmp_path: Path) -> None:
    project = checked_project(0)
    mended, *_ = images = list(project.images.order_by("position"))
    before = labels(mended)
    assert [list(box) for box in before[MAN].boxes] == [PLACE]
    action = {"action": "split", "chain": MAN, "parts": [[0], [2]]}
    act_as_expert(image_id=mended.pk, action=action, actor="eve", reason="two men")
    assert labels(mended) != before
    undo_entry(image_id=mended.pk, entry=Entry.objects.filter(image=mended).latest("sequence").sequence, actor="eve")
    assert labels(mended) == before
    tick(project_id=project.pk)
    assert list(replay(project)) == []

    export_dataset(project=project, target=tmp_path / "out.jsonl", export_format="jsonl")
    first, *lines = map(json.loads, (tmp_path / "out.jsonl").read_text().splitlines())
    settings = {one["version"]: Settings.from_json(one["values"]) for one in first["settings"]}
    assert [read_back(line, settings) for line in lines] == [labels(image) for image in images]


@pytest.fixture(scope="module")
def kept(django_db_setup: None, django_db_blocker: Any, tmp_path_factory: pytest.TempPathFactory) -> KeptCheck:
    return KeptCheck(django_db_blocker, tmp_path_factory.mktemp("check"), 4, UNASKED)


@pytest.fixture
def checked(kept: KeptCheck, db: None, settings: Any) -> Project:
    """Four drawn scenes that were checked, without a question."""
    return kept.write(settings)


def test_the_page_tells_shares_by_type_with_intervals(client: Client, checked: Project, monkeypatch) -> None:
    monkeypatch.setattr(operations, "MIN_FINISHED_IMAGES", 1)
    sign_in(client, checked, Role.REVIEWER, "ida")
    page = client.get(reverse("projects:wrong_labels", args=[checked.name]))
    finished = Image.objects.filter(project=checked, state=ImageState.MERGED.value).count()
    found = page.context["found"]
    assert finished and (found.images, found.finished) == (finished, finished)
    assert "wrong before the check" in page.text and "All labels" in page.text
    assert all(one.before.holds(one.before.value) for one in found.shares.values())
    assert found.shares[""].labels == sum(len(own) for own, _ in known_labels(checked.pk, _settings(checked)))


def test_before_enough_images_are_finished_the_page_says_how_many_are_wanted(client: Client, checked: Project) -> None:
    sign_in(client, checked, Role.REVIEWER, "ida")
    assert "After 15 this page tells" in client.get(reverse("projects:wrong_labels", args=[checked.name])).text


def test_a_project_that_checks_nothing_has_no_such_page_and_the_command_says_so(client: Client) -> None:
    sign_in(client, open_project(name="other", settings=Settings()), Role.REVIEWER, "ida")
    assert client.get(reverse("projects:wrong_labels", args=["other"])).status_code == 404
    with pytest.raises(CommandError, match="checks no data set"):
        call_command("wrong_labels", "other")


def test_the_command_says_and_writes_the_shares(checked: Project, tmp_path: Path, capsys: pytest.CaptureFixture):
    out = tmp_path / "wrong.json"
    call_command("wrong_labels", checked.name, json=out)
    said, rows = capsys.readouterr().out, json.loads(out.read_text())
    assert rows == json.loads(json.dumps(read_wrong_labels(checked, 1000).rows))
    assert rows[0]["type"] == "" and "all labels: " in said
    checked_file = validate_file(out, most=9)
    assert (checked_file.kind.name, checked_file.faults) == ("wrong-labels", [])


def test_a_refit_learns_how_often_the_data_set_is_wrong_and_then_trusts_it_so_much(checked: Project) -> None:
    assert not engine_of(_settings(checked)).source.is_learned
    refit_boxes(checked.pk, only_if_due=False)
    source, known = engine_of(_settings(checked)).source, _settings(checked).learned.boxes.wrong
    assert {"", "people"} <= set(known)
    assert source.of_boxes({"people"}).trust == pytest.approx(1 - 0.8 * max(known["people"][1], 0.00625))
    assert not list(replay(checked))


def test_the_audit_of_a_check_is_seeded_and_as_large_as_the_data_set_needs(tmp_path: Path, settings: Any) -> None:
    settings.MEDIA_ROOT = tmp_path / "media"
    made = open_project(name="parks", settings=Settings())
    write_source(tmp_path / "parks", 0, 2)
    call_command("import_dataset", "parks", str(tmp_path / "parks"), use="check")
    assert _settings(made).check_audit_rate == 0.2
    tick(project_id=made.pk)
    begun = Entry.objects.filter(project=made, kind="start").values_list("image", "context__seed")
    assert begun and all(image == lot for image, lot in begun)


def _settings(project: Project) -> Settings:
    return current_settings(project.pk)[1]
