"""A data set is checked, and what has changed is told: by whom, and by how many answers.
The page Changes and the workbench: changes are seen, confirmed one after the other, and taken back.
A checked data set comes out in its own format, with the labels that its check has settled.
"""

import json
import re
import shutil
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from django.core.management import CommandError, call_command
from django.db import connection, transaction
from django.test import Client, override_settings
from django.test.utils import CaptureQueriesContext
from hypothesis import HealthCheck, Phase, assume, example, given, settings

from accounts.models import Role
from annotation.models import Project
from annotation.rules.box import Box
from exchange.dataset import DatasetBox, DatasetImage
from exchange.export_dataset import export_dataset
from exchange.formats.flickr30k.read import read_flickr30k
from exchange.import_image import gold_of
from exchange.registry import corrected_formats
from pipeline.models import Progress
from pipeline.project.settings_versions import open_project
from pipeline.protocol.state.progress import ImageProgress
from pipeline.protocol.state.progress_json import from_json
from pipeline.protocol.tasks.task import Task
from pipeline.record.intervene import act_as_expert, undo_entry
from pipeline.record.read_record import replay
from pipeline.tick import tick
from projects.corrected.changes import lines_of
from simulation.crowd import Crowd
from simulation.scenes.scene import write_source
from simulation.simulate import CrowdRun, virtual_workers
from simulation.view import TrueImage
from tests.exchange.corrected.test_corrected import bytes_of, images_of, written_for_corrected
from tests.support.checked import OFF, PLACE, UNASKED, KeptCheck, checked_project
from tests.support.dataset_images import labelled_images
from tests.support.kept import Kept, kept_rows
from tests.support.members import sign_in
from tests.support.pictures import plain_jpeg
from tests.support.projects import NONE_MISSING, phrases

pytestmark = pytest.mark.django_db


kept = kept_rows(lambda: checked_project(1))
MOST_STATEMENTS = 40
API = "/api/v1/requester"


kept_changes = kept_rows(lambda: checked_project(0, 2))


@pytest.fixture
def checked(kept: Kept, db: None) -> Project:
    kept.write()
    return Project.objects.get()


def changes(project: Project) -> list[dict[str, Any]]:
    return [json.loads(line) for line in lines_of(project)]


@pytest.mark.slow
def test_a_change_is_told_with_the_people_who_found_it_and_an_expert_confirms_it_and_takes_that_back(checked: Project):
    image = checked.images.get(position=1)
    (line,) = changes(checked)
    assert (line["image"], line["kinds"], line["errors"]) == (image.name, ["box off its place"], ["wrong box"])
    assert [(one["before"], one["after"]) for one in line["boxes"]] == [(OFF, PLACE)]
    assert line["before"][0]["mentions"] == line["after"][0]["mentions"] and len(line["people"]) == line["votes"] >= 1
    assert (line["state"], line["experts"], line["programs"]) == ("by answers", [], [])
    assert 0 < line["confidence"]["boxes"] <= 1

    rows = [[one["mentions"], one["boxes"], one["flag"]] for one in line["after"]]
    act_as_expert(image_id=image.id, action={"action": "confirm", "labels": rows}, actor="ada")
    (confirmed,) = changes(checked)
    assert confirmed == {**line, "state": "confirmed by an expert", "experts": confirmed["experts"]}
    assert len(confirmed["experts"]) == 1
    image.refresh_from_db()
    assert image.state == "merged"
    undo_entry(image_id=image.id, entry=image.entries.latest("sequence").sequence, actor="ada")
    assert changes(checked) == [line] and not list(replay(checked))


def test_a_change_that_an_expert_takes_back_leaves_the_label_of_the_source(checked: Project) -> None:
    image = checked.images.get(position=1)
    (line,) = changes(checked)
    before, after = ([[one["mentions"], one["boxes"], one["flag"]] for one in line[at]] for at in ("before", "after"))
    action = {"action": "take back", "labels": before, "was": after}
    act_as_expert(image_id=image.id, action=action, actor="ada", reason="it was right")
    tick(project_id=checked.pk)
    (back,) = changes(checked)
    assert (back["state"], back["before"], back["after"]) == ("taken back by an expert", line["before"], line["after"])
    assert not list(replay(checked))


def test_the_command_writes_the_same_bytes_again_and_its_file_is_valid(
    checked: Project, tmp_path: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("projects.corrected.changes.IMAGES_AT_ONCE", 2)
    first, second = tmp_path / "one.jsonl", tmp_path / "two.jsonl"
    call_command("changes", "checked", out=first)
    call_command("changes", "checked", out=second)
    assert first.read_bytes() == second.read_bytes() != b""
    capsys.readouterr()
    call_command("changes", "checked")
    assert capsys.readouterr().out == first.read_text("utf-8")
    call_command("validate", str(first))
    with pytest.raises(CommandError, match="is not empty"):
        call_command("changes", "checked", out=first)


def test_a_project_that_checks_nothing_has_no_changes() -> None:
    open_project(name="plain")
    with pytest.raises(CommandError, match="checks no data set"):
        call_command("changes", "plain")


@pytest.fixture
def with_changes(kept_changes: Kept, db: None, client: Client) -> Project:
    kept_changes.write()
    project = Project.objects.get()
    sign_in(client, project, Role.REVIEWER, "ada")
    return project


def page(client: Client, **query: Any) -> str:
    answer = client.get("/projects/checked/check/changes/", query)
    assert answer.status_code == 200
    return answer.text


def test_a_change_is_shown_before_and_after_with_who_found_it(client: Client, with_changes: Project) -> None:
    with CaptureQueriesContext(connection) as statements:
        shown = page(client)
    assert len(statements) <= MOST_STATEMENTS and shown.count('<li class="change">') == 2
    for words in ("a man · the man", "box off its place", "0.29 (box off its place)", "by answers", "checked 1"):
        assert words in shown, words


@pytest.mark.usefixtures("with_changes")
def test_changes_are_chosen_by_kind_and_state_and_come_page_by_page(client: Client, monkeypatch: pytest.MonkeyPatch):
    assert page(client, kind="box off its place").count('<li class="change">') == 2
    assert "No change fits" in page(client, kind="chains merged")
    assert "No change fits" in page(client, state="taken back by an expert")
    monkeypatch.setattr("projects.corrected.changes_page.CHANGES_PER_PAGE", 1)
    first = page(client)
    assert "park 0" in first and "park 2" not in first and 'href="?after=0"' in first
    assert "park 2" in page(client, after="0")


def test_the_file_has_what_the_command_writes_and_a_program_gets_it_too(client: Client, with_changes: Project) -> None:
    for address in ("/projects/checked/check/changes.jsonl", "/api/v1/requester/projects/checked/changes/"):
        answer: Any = client.get(address)
        lines = b"".join(answer.streaming_content).decode().splitlines()
        assert [json.loads(line)["image"] for line in lines] == ["park 0", "park 2"]


def test_without_a_change_the_page_says_so(client: Client) -> None:
    sign_in(client, checked_project(images=1), Role.REVIEWER, "ada")
    assert "No label is changed yet: all are as they were." in page(client)


def test_a_project_that_checks_nothing_has_no_such_page(client: Client) -> None:
    sign_in(client, open_project(name="plain"), Role.REVIEWER, "ada")
    for address in ("check/changes/", "check/changes.jsonl"):
        answer = client.get(f"/projects/plain/{address}")
        assert answer.status_code == 404 and "checks no data set" in answer.text
    assert client.get(f"{API}/projects/plain/changes/").status_code == 404


def bench(client: Client, address: str) -> Any:
    """Return the data of the workbench at this address."""
    parts = urlsplit(address)
    return client.get(f"{API}{parts.path}?{parts.query}").json()


def act(client: Client, address: str, **body: Any) -> Any:
    parts = urlsplit(address)
    seen = client.post(f"{API}{parts.path}preview/", body, content_type="application/json").json()
    body |= {"sequence": seen["sequence"], "reason": "looked", "chain": 0, "queue": {"changes": True}}
    return client.post(f"{API}{parts.path}", body, content_type="application/json").json()


@pytest.mark.slow
def test_changes_are_confirmed_in_a_row_or_taken_back_and_each_act_is_undone(client: Client, with_changes: Project):
    start = page(client).split('class="button main" href="')[1].split('"')[0].replace("&amp;", "&")
    assert parse_qs(urlsplit(start).query) == {"chain": ["0"], "changes": ["yes"]}
    change, dog = bench(client, start)["checks"]
    assert (change["chains"], change["kinds"], change["decision"]) == ([0], ["box off its place"], "by answers")
    assert (dog["chains"], dog["kinds"], dog["before"], dog["decision"]) == ([1], [], None, "")

    confirmed = act(client, start, action={"action": "confirm", "labels": change["labels"]})
    assert confirmed["checks"][0]["decision"] == "confirmed by an expert: ada"
    assert (confirmed["state"], confirmed["acts"][-1]["words"]) == ("merged", "confirmed labels")
    other = confirmed["next"]
    assert str(with_changes.images.get(position=2).pk) in other

    second = bench(client, other)["checks"][0]
    back = act(client, other, action={"action": "take back", "labels": second["before"], "was": second["labels"]})
    assert (back["checks"][0]["decision"], back["checks"][0]["before"]) == ("taken back by an expert: ada", None)
    assert (back["state"], back["next"]) == ("merged", None)
    again = act(client, other, undo=back["undo"])
    assert (again["checks"][0]["decision"], again["next"]) == ("by answers", None)
    assert act(client, start, undo=confirmed["undo"])["checks"][0]["decision"] == "by answers"
    assert not list(replay(with_changes))


def test_a_label_that_stands_is_confirmed_too(client: Client, with_changes: Project) -> None:
    address = f"/projects/checked/review/{with_changes.images.get(position=1).pk}/"
    labels = bench(client, address)["checks"][0]["labels"]
    confirmed = act(client, address, action={"action": "confirm", "labels": labels})
    assert [one["decision"] for one in confirmed["checks"]] == ["confirmed by an expert", ""]


@pytest.fixture(scope="module")
def kept_check(django_db_setup: None, django_db_blocker: Any, tmp_path_factory: pytest.TempPathFactory) -> KeptCheck:
    return KeptCheck(django_db_blocker, tmp_path_factory.mktemp("check"), 3, UNASKED)


@pytest.fixture
def parks(kept_check: KeptCheck, db: None, settings: Any) -> Project:
    """The scenes of `source`, checked without a question."""
    return kept_check.write(settings)


def take_act(project: Project, **action: Any) -> None:
    """Let an expert act on the second image, and the project go on."""
    act_as_expert(image_id=project.images.order_by("position")[1].pk, action=action, actor="expert", reason="seen")
    tick(project_id=project.pk)


def progress_of(project: Project) -> ImageProgress:
    """Return the progress of the second image."""
    return from_json(Progress.objects.get(image=project.images.order_by("position")[1]).state)


def labels(folder: Path) -> dict[str, list[Any]]:
    found = {}
    for image in read_flickr30k(folder):
        assert isinstance(image, DatasetImage)
        found[image.name] = sorted(
            (
                sorted((one.caption, one.start) for one in image.mentions if one.chain == chain.name),
                sorted(box.box for box in image.boxes if chain.name in box.chains),
                (chain.scene, chain.no_box),
            )
            for chain in image.chains
        )
    return found


def texts(folder: Path) -> dict[str, bytes]:
    return {
        one.relative_to(folder).as_posix(): one.read_bytes()
        for one in folder.rglob("*")
        if one.suffix in (".txt", ".xml")
    }


def changed(source: Path, out: Path) -> set[str]:
    """Return the files of which a byte changed."""
    before, after = texts(source), texts(out)
    assert before.keys() == after.keys()
    return {name for name in before if before[name] != after[name]}


@pytest.mark.slow
def test_what_is_settled_changes_and_no_other_byte(parks: Project, source: Path, tmp_path: Path, capsys: Any) -> None:
    name, progress = parks.images.order_by("position")[1].name, progress_of(parks)
    box = next(iter(progress.boxes.values()))
    to = Box(box.box.x0, box.box.y0, box.box.x1 - 3, box.box.y1 - 1)
    one, other, third = [number for number in progress.chains if number != box.chain][:3]
    take_act(parks, action="move box", box=box.number, to=list(to))
    take_act(parks, action="send", chain=box.chain, to="complete")
    take_act(parks, action="join", chains=[one, other])
    for needless in progress_of(parks).accepted(third):
        take_act(parks, action="delete box", box=needless.number)
    take_act(parks, action="send", chain=third, to="non-visual", kind="scene")

    call_command("export_corrected", "parks", str(source), str(tmp_path / "first"))
    told = capsys.readouterr().out
    assert "2 labels are still in question and stay as in the source." in told
    was, now = labels(source)[name], labels(tmp_path / "first")[name]
    (scene, flags), (boxes, _) = sorted([(boxes, flags) for _, boxes, flags in (one for one in now if one not in was)])
    assert (scene, flags, to in boxes) == ([], (True, False), True)

    take_act(parks, action="send", chain=one, to="complete")
    call_command("export_corrected", "parks", str(source), str(tmp_path / "out"))
    assert changed(source, tmp_path / "out") == {f"Sentences/{name}.txt", f"Annotations/{name}.xml"}
    assert len(labels(tmp_path / "out")[name]) == len(was) - 1
    told = capsys.readouterr().out
    assert "4 of" in told and "in 1 image of 3. All else is as in the source." in told

    call_command("import_dataset", "again", str(tmp_path / "out"))
    again = Project.objects.get(name="again")
    export_dataset(project=again, target=tmp_path / "again", export_format="flickr30k-entities")
    assert labels(tmp_path / "again") == labels(tmp_path / "out")


def test_phrases_experts_remove_mark_and_type_are_tags_of_the_set(parks: Project, source: Path, tmp_path: Path) -> None:
    progress = progress_of(parks)
    gone = progress.mentions[1]
    kept = next(one for one in progress.mentions.values() if one.caption != gone.caption)
    take_act(parks, action="retype", mention=kept.number, types=["vehicles"])
    take_act(parks, action="rechunk", remove=[gone.number], add=[])
    call_command("export_corrected", "parks", str(source), str(tmp_path / "out"))
    name = parks.images.order_by("position")[1].name
    lines = (tmp_path / f"out/Sentences/{name}.txt").read_text().splitlines()
    before = (source / f"Sentences/{name}.txt").read_text().splitlines()
    assert lines[gone.caption].count("[") == before[gone.caption].count("[") - 1
    assert f"/vehicles {kept.text}]" in lines[kept.caption]
    assert re.sub(r"\[/\S+ |\]", "", "\n".join(lines)) == re.sub(r"\[/\S+ |\]", "", "\n".join(before))


@pytest.mark.both_engines
def test_another_source_is_refused_by_the_name_of_what_differs(parks: Project, source: Path, tmp_path: Path) -> None:
    name = parks.images.order_by("position")[1].name
    faults: dict[str, tuple[str, Callable[[Path], object]]] = {
        "caption 1 of .* is .* in the source, and": (
            "caption", lambda at: edit(at / f"Sentences/{name}.txt", r"\]", "] also")
        ),
        "the boxes of .* are others than those that were imported": (
            "box", lambda at: edit(at / f"Annotations/{name}.xml", r"<xmin>\d+", "<xmin>7")
        ),
        "the chains of .* are others": (
            "chain", lambda at: edit(at / f"Sentences/{name}.txt", r"EN#\d+", "EN#999")
        ),
        "lacks 1 image that parks checks": (
            "missing", lambda at: remove(at / f"Sentences/{name}.txt", at / f"Annotations/{name}.xml")
        ),
    }  # fmt: skip
    for message, (folder, fault) in faults.items():
        shutil.copytree(source, tmp_path / folder, ignore=shutil.ignore_patterns("*.jpg"))
        fault(tmp_path / folder)
        with pytest.raises(CommandError, match=message):
            call_command("export_corrected", "parks", str(tmp_path / folder), str(tmp_path / "out"))
        assert not (tmp_path / "out").exists()
    call_command("export_corrected", "parks", str(tmp_path / "missing"), str(tmp_path / "out"), part=True)
    write_source(tmp_path / "beaches", 9, 1)
    with pytest.raises(CommandError, match="has no image that parks checks"):
        call_command("export_corrected", "parks", str(tmp_path / "beaches"), str(tmp_path / "new"))


def edit(file: Path, pattern: str, text: str) -> None:
    file.write_text(re.sub(pattern, text, file.read_text(), count=1))


def remove(*files: Path) -> None:
    for one in files:
        one.unlink()


CROWDED = replace(
    phrases("people: two men", "people: the men", "animals: a dog", name="a", chains=["1", "1", "2"]),
    boxes=tuple(DatasetBox(Box(6 * at, 3 * at, 6 * at + 5, 3 * at + 4), ("1",)) for at in range(30)),
    path="a.jpg",
    coco_id=7,
)
"""An image with thirty boxes of one chain."""


class ExactBoxes(Crowd):
    """Workers who find the boxes of the source right, and no others."""

    def answer(self, view: Any, worker: int) -> object:
        if view.task not in (Task.BOX_QUALITY, Task.BOX_COVERAGE, Task.BOX_DRAWING):
            return super().answer(view, worker)
        left = [box for box in view.gold.boxes if box not in view.boxes]
        match view.task:
            case Task.BOX_QUALITY:
                return "good" if view.progress.boxes[view.subject[1]].box in left else "bad"
            case Task.BOX_COVERAGE:
                return "more needed" if left else "all there"
        return {"box": list(left[0])} if left else NONE_MISSING


def answer_rightly(project: Project, images: Iterable[DatasetImage]) -> None:
    """Let workers answer all that is asked as the images say. Phrases without a label need no box."""
    gold = {}
    for row, image in zip(project.images.order_by("position"), images, strict=True):
        chains = gold_of(image)
        alone = {*range(row.mentions.count())}.difference(*(one["mentions"] for one in chains))
        chains += [{"name": f"{one} alone", "mentions": [one], "scene": False, "boxes": []} for one in alone]
        gold[row.pk] = TrueImage.make(row.name, row.width, row.height, chains)
    crowd = ExactBoxes()
    run = CrowdRun(project, gold, crowd, virtual_workers(project, "right", crowd.workers), 0)
    run.until_nothing_is_open(None, lambda judgments: None)


@pytest.mark.slow
@pytest.mark.parametrize("source_format", corrected_formats())
@given(image=labelled_images())
@example(image=CROWDED)
@settings(max_examples=8, phases=[Phase.explicit, Phase.generate], suppress_health_check=list(HealthCheck))
def test_a_set_without_errors_comes_out_as_it_went_in(source_format: str, image: DatasetImage) -> None:
    # Without the phase that shrinks a failing example, of which each try imports and checks a set.
    assume(image.boxes or source_format in ("flickr30k-entities", "coco"))  # the other formats have no chains then
    with TemporaryDirectory() as place, override_settings(MEDIA_ROOT=f"{place}/media"), transaction.atomic():
        (folder := Path(place) / "set").mkdir()
        read = images_of(written_for_corrected(folder, source_format, [image]), source_format)
        if source_format != "parquet":
            (folder / read[0].file_name).write_bytes(plain_jpeg(image.width, image.height))
        call_command("import_dataset", "sets", str(folder), use="check", verbosity=0)
        answer_rightly(Project.objects.get(name="sets"), read)
        call_command("export_corrected", "sets", str(folder), f"{place}/out", pictures=True, verbosity=0)
        assert bytes_of(Path(place) / "out") == bytes_of(folder)
        transaction.set_rollback(True)


def test_a_project_that_checks_nothing_is_told_how_to(source: Path, tmp_path: Path) -> None:
    open_project(name="plain")
    with pytest.raises(CommandError, match="This project checks no data set"):
        call_command("export_corrected", "plain", str(source), str(tmp_path / "out"))
