"""Evaluations: made as work with progress, shown with their files, and laid over the pictures.
An evaluation and a prediction go on only while whoever began them manages the project.
"""

import io
import json
from html import unescape
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from django.contrib.auth.models import User
from django.core.files.base import ContentFile
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts.models import Membership, Role
from annotation.models import Project
from annotation.storage import store
from pipeline.project.settings_versions import open_project
from projects import operation
from projects.models import ModelPrediction, Run
from projects.operation import Progress
from tests.projects.conftest import Later
from tests.support.table import row

ADDRESS = "/projects/ours/evaluate/"
BASELINES = {"step": "localization baselines"}
GOOD = [
    {"image": "one", "caption": 0, "phrase": 0, "boxes": [[10, 10, 60, 90]]},
    {"image": "one", "caption": 2, "phrase": 0, "boxes": [[10, 10, 60, 90]]},
    {"image": "two", "caption": 0, "phrase": 0, "boxes": [[12, 10, 60, 90]]},
]


def lines(*rows: dict[str, object]) -> SimpleUploadedFile:
    return SimpleUploadedFile("ours.jsonl", "".join(json.dumps(row) + "\n" for row in rows).encode())


def scored(requester: Client) -> Run:
    """Score the boxes of a model that finds three of six phrases, one of them in the wrong place."""
    given = {"step": "localization score", "predictions": lines(*GOOD), "name": "Finder 2"}
    assert requester.post(ADDRESS, given)["Location"] == ADDRESS
    return Run.objects.get()


@pytest.mark.slow
def test_foil_captions_need_common_words(requester: Client, at_once: None) -> None:
    assert "FOIL: captions with one wrong word" in requester.get(ADDRESS).text
    requester.post(ADDRESS, {"step": "foil generate"})
    row = Run.objects.get()
    assert (row.state, row.result) == ("failed", {}) and "fewer than two nouns with 20 mentions" in row.problem


@pytest.mark.slow
def test_a_report_is_made_of_the_finished_images_and_shown_with_its_files(requester: Client, at_once: None) -> None:
    assert b"2 of 2 images are finished" in requester.get(ADDRESS).content
    requester.post(ADDRESS, BASELINES)
    row = Run.objects.get()
    assert (row.state, row.problem, row.result["images"]) == ("done", "", 2)
    page = requester.get(f"{ADDRESS}{row.pk}/").text
    assert "6 phrases" in page and "Beside the paper" in page
    assert json.loads(requester.get(f"{ADDRESS}{row.pk}/files/report.json").content)["figures"]["queries.people"] == 4
    for table in row.result["tables"]:
        answer = requester.get(f"{ADDRESS}{row.pk}/files/{table['name']}.csv")
        assert answer.status_code == 200 and "attachment" in answer["Content-Disposition"]
    for chart in row.result["charts"]:
        assert f'files/{chart["name"]}.svg"' in page
        assert requester.get(f"{ADDRESS}{row.pk}/files/{chart['name']}.svg")["Content-Type"] == "image/svg+xml"
    answer = requester.get(f"{ADDRESS}{row.pk}/archive/")
    with ZipFile(io.BytesIO(b"".join(answer.streaming_content))) as packed:  # type: ignore[attr-defined]
        assert {"report.json", "report.md"} <= set(packed.namelist())
    assert requester.get(f"{ADDRESS}{row.pk}/files/none.csv").status_code == 404


@pytest.mark.slow
@pytest.mark.both_engines
def test_a_model_is_scored_and_its_phrases_are_shown_on_their_pictures(requester: Client, at_once: None) -> None:
    row = scored(requester)
    assert (row.state, row.problem, row.input["name"]) == ("done", "", "Finder 2")
    assert "Phrases that count as misses: 3 without a line in the file" in requester.get(f"{ADDRESS}{row.pk}/").text
    with CaptureQueriesContext(connection) as asked:
        page = requester.get(f"{ADDRESS}{row.pk}/phrases/").text
    assert len(asked) <= 20
    assert "6 phrases" in page and page.count("no box") == 3 and "overlap 0 %" in page
    page = requester.get(f"{ADDRESS}{row.pk}/phrases/", {"verdict": "confused"}).text
    assert "<b>1 phrase</b>" in page and '<rect class="line" x="100.0" y="10.0" width="40.0" height="30.0"/>' in page
    page = requester.get(f"{ADDRESS}{row.pk}/phrases/", {"words": "TALL", "type": "people"}).text
    assert "2 phrases" in page and "a hat" not in page


def test_a_file_that_is_refused_leaves_no_report_and_says_which_line(requester: Client, at_once: None) -> None:
    bad = {"image": "one", "caption": 0, "phrase": 7, "boxes": [[10, 10, 60, 90]]}
    requester.post(ADDRESS, {"step": "localization score", "predictions": lines(*GOOD, bad)})
    row = Run.objects.get()
    assert row.state == "failed" and "line 4" in row.problem and "/" not in row.problem
    assert row.problem.replace("'", "&#x27;")[:20] in requester.get(ADDRESS).text
    assert requester.get(f"{ADDRESS}{row.pk}/").status_code == 404


def test_a_model_needs_a_file_of_a_known_form(requester: Client, at_once: None) -> None:
    answer = requester.post(ADDRESS, {"step": "localization score"})
    assert answer.status_code == 400 and b"Choose the file that is to be scored" in answer.content
    answer = requester.post(ADDRESS, {"step": "localization score", "predictions": SimpleUploadedFile("a.txt", b"1")})
    assert answer.status_code == 400 and b"must end in one of .jsonl, .json" in answer.content
    assert requester.post(ADDRESS, {"step": "nonsense"}).status_code == 400 and not Run.objects.exists()


def test_without_a_finished_image_the_page_says_what_to_do(requester: Client, project: Project, at_once: None) -> None:
    project.images.update(state="linking")
    requester.post(ADDRESS, BASELINES)
    assert "No image is finished yet" in requester.get(ADDRESS).text


@pytest.mark.both_engines
def test_progress_is_told_and_a_report_can_be_stopped(requester: Client, later: Later, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("projects.operation.LOOK_SECONDS", 0)
    requester.post(ADDRESS, BASELINES)
    assert Run.objects.get().state == "waiting" and b"<progress" in requester.get(ADDRESS).content
    assert b"being made already" in requester.post(ADDRESS, BASELINES, follow=True).content
    Run.objects.update(requested="cancel")
    (work,) = later
    work()
    assert Run.objects.get().state == "cancelled"
    requester.post(ADDRESS, BASELINES)
    newest = Run.objects.latest("pk")
    requester.post(f"/projects/ours/runs/{newest.pk}/", {"command": "cancel"})
    assert list(Run.objects.values_list("state", flat=True)) == ["cancelled", "cancelled"]


@pytest.mark.slow
@pytest.mark.both_engines
def test_a_report_is_shown_in_its_project_alone_and_its_files_go_with_it_or_after_its_project(
    requester: Client, project: Project, at_once: None
) -> None:
    store().save("evaluations/987654/1.zip", ContentFile(b"of a project that is gone"))
    row = scored(requester)
    assert not store().exists("evaluations/987654/1.zip")
    Run.objects.update(project=open_project(name="theirs"))
    for rest in ("", "phrases/", "archive/", "files/report.json"):
        assert requester.get(f"{ADDRESS}{row.pk}/{rest}").status_code == 404
    Run.objects.update(project=project)
    files = [*row.input["files"].values(), f"evaluations/{row.project_id}/{row.pk}.zip"]
    assert all(map(store().exists, files)) and requester.post(f"{ADDRESS}{row.pk}/delete/").status_code == 302
    assert not any(map(store().exists, files)) and not Run.objects.exists()


@pytest.mark.slow
def test_two_models_are_compared(requester: Client, at_once: None) -> None:
    given = {"step": "localization score", "predictions": lines(*GOOD), "against": lines(*GOOD[:1]), "boxes": "xyxy"}
    requester.post(ADDRESS, given)
    row = Run.objects.get()
    assert (row.state, row.problem, row.input["options"]) == ("done", "", {"form": "jsonl", "boxes": "xyxy"})
    assert (
        set(row.input["files"]) == {"predictions", "against"} and "against" in requester.get(f"{ADDRESS}{row.pk}/").text
    )


class TestCommand:
    @pytest.mark.slow
    def test_makes_the_same_report_and_writes_it_into_a_folder(self, project: Project, tmp_path: Path, capsys: Any):
        file = tmp_path / "boxes.jsonl"
        file.write_bytes(lines(*GOOD).read())
        call_command(
            "evaluate", "ours", "localization", "score", predictions=file, set=["nms=0.5"], out=tmp_path / "report"
        )
        assert "6 phrases with a box, 2 images" in capsys.readouterr().out
        assert json.loads((tmp_path / "report" / "report.json").read_text())["settings"]["nms"] == 0.5
        assert Run.objects.get().input["name"] == "boxes"

    @row(("content", "baselines"), "choose one of")
    @row(("localization", "none"), "choose one of")
    @row(("localization", "score", "--set", "nms"), "give OPTION=VALUE")
    @row(("localization", "score", "--set", "nms=much"), "could not convert")
    @row(("localization", "score", "--predictions", "none.jsonl"), "there is no file none.jsonl")
    @row(("localization", "baselines", "--predictions", "none.jsonl"), "reads no such file")
    @row(("localization", "baselines", "--out", "."), "name a new folder")
    @row(("localization", "score"), "predictions")
    @pytest.mark.both_engines
    def test_names_what_is_wrong(self, given: tuple[str, ...], said: str, project: Project) -> None:
        with pytest.raises(CommandError, match=said):
            call_command("evaluate", "ours", *given)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["jsonl", "coco"])
def test_the_sample_of_either_page_is_read_by_both(kind: str, requester: Client, project: Project, at_once: None):
    name, label = ("ours.jsonl", "a .jsonl file") if kind == "jsonl" else ("ours.json", "a .json file")
    texts = []
    for address in (ADDRESS, "/projects/ours/models/"):
        _, _, rest = requester.get(address).text.partition(f'aria-label="Sample of {label}">')
        texts.append(unescape(rest.partition("</pre>")[0]))
    assert texts[0] == texts[1] and '"phrase": "a man"' in texts[0]
    requester.post(ADDRESS, {"step": "localization score", "predictions": SimpleUploadedFile(name, texts[0].encode())})
    row = Run.objects.get()
    assert (row.state, row.problem) == ("done", "")
    given = {"program": "finder", "file": SimpleUploadedFile(name, texts[0].encode())}
    assert "Kept: 3 boxes" in requester.post("/projects/ours/models/", given, follow=True).text
    assert [len(one.boxes) for one in ModelPrediction.objects.all()] == [3], "entries of one image are kept together"


def test_the_older_form_of_evaluations_is_read_for_pre_annotations_too(
    requester: Client, project: Project, at_once: None
):
    project.images.get(name="one").captions.filter(number=1).update(non_visual=[[0, 1]])
    older = [{**GOOD[0], "comment": "ignored"}, {**GOOD[1], "boxes": [[10, 10, 60, 90 - i] for i in range(12)]}]
    given = {"program": "finder", "file": lines(*older), "boxes": "xyxy"}
    page = requester.post("/projects/ours/models/", given, follow=True).text
    assert "Kept: 11 boxes" in page and "Boxes left out behind the 10 best ones of their phrase: 2." in page
    assert ModelPrediction.objects.get().boxes[:2] == [[0, 10, 10, 60, 90], [2, 10, 10, 60, 90]]


BODY = {"step": "localization baselines", "name": ""}
GIVEN = {"crowd": "paper", "workers": 8, "bad_percent": 0, "sample": 2, "repetitions": 2}


@pytest.mark.parametrize("lost", ["the role", "the account"])
@pytest.mark.parametrize(("address", "body"), [("evaluate", BODY), ("predict", GIVEN)])
def test_work_that_waits_is_not_done_for_who_lost(
    requester: Client, later: Later, address: str, body: dict[str, Any], lost: str
) -> None:
    requester.post(f"/projects/ours/{address}/", body)
    if lost == "the role":
        Membership.objects.update(role=Role.REVIEWER)
    else:
        User.objects.all().delete()
    later.pop()()
    row = Run.objects.get()
    assert (row.state, row.result) == ("failed", {})
    assert row.problem == "Whoever began this is no longer a requester of the project: begin it anew."


@pytest.mark.usefixtures("project")
def test_work_stops_for_who_loses_the_role_meanwhile(requester: Client, later: Later, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(operation, "LOOK_SECONDS", 0)
    advance, told = Progress.advance, list[int]()

    def lose(self: Progress, done: int, total: int, message: str = "") -> None:
        told.append(done)
        Membership.objects.all().delete()
        advance(self, done, total, message)

    monkeypatch.setattr(Progress, "advance", lose)
    requester.post("/projects/ours/evaluate/", BODY)
    later.pop()()
    assert (Run.objects.get().state, told) == ("failed", [1]), "at the first of two images"
