"""The page of models, the score of a program, and what its boxes saved."""

import json
from collections.abc import Sequence
from dataclasses import replace
from html import unescape
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from annotation.models import Box, Project
from campaign.dashboard.figures.refresh import refresh_figures
from campaign.data import jobs
from campaign.models import ModelPrediction
from campaign.predictions import jobs as prediction_jobs
from campaign.predictions.scores import programs, saved
from members.models import Role
from pipeline.models import KnownQuestion, Question
from pipeline.rules.known.prediction_score import Standing
from pipeline.rules.linking.link_strategy import Strategy
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.tasks.box_policy import BoxPolicy
from pipeline.rules.tasks.task import Task
from pipeline.settings_versions import change_settings, current_settings
from tests.support.members import member, sign_in
from tests.support.projects import answer, phrases, project_of, worker
from upkeep.models import JobRun
from workers.models import Worker

pytestmark = pytest.mark.django_db
ON = ProtocolSettings(proposals=True, test_questions=0)


@pytest.fixture
def project(monkeypatch: pytest.MonkeyPatch) -> Project:
    """Two men, each in an image; predictions are entered where they are asked for."""
    for module in (jobs, prediction_jobs):
        monkeypatch.setattr(module, "aside", lambda work: work())
    return project_of(phrases("people: a man"), phrases("people: a man", name="2"), settings=ON)


def file_of(*rows: Any, name: str = "model.jsonl") -> SimpleUploadedFile:
    return SimpleUploadedFile(name, "\n".join(json.dumps(row) for row in rows).encode())


def row(image: str = "1", box: tuple[int, ...] = (1, 2, 30, 40)) -> dict[str, Any]:
    return {"image": image, "caption": 0, "phrase": "a man", "boxes": [list(box)]}


def upload(client: Client, file: SimpleUploadedFile) -> Any:
    return client.post("/projects/small/models/", {"program": "detector", "file": file}, follow=True)


def test_a_requester_uploads_predictions_and_they_are_entered(project: Project, client: Client) -> None:
    sign_in(client, project, Role.REQUESTER)
    assert "No program has predicted anything yet." in client.get("/projects/small/models/").text
    page = upload(client, file_of(row()))
    assert "Kept: 1 boxes and 0 chains of 1 images." in page.text
    assert Question.objects.filter(task=Task.BOX_QUALITY, state="open").count() == 1
    assert not ModelPrediction.objects.filter(due=True).exists()
    assert JobRun.objects.get(key=f"campaign.predictions {project.pk}").state == "done"
    assert ModelPrediction.objects.get().made_by != ""


def test_a_wrong_file_is_named_with_its_line_beside_the_field(project: Project, client: Client) -> None:
    sign_in(client, project, Role.REQUESTER)
    page = upload(client, file_of(row(), {**row(), "caption": "first"}))
    assert page.status_code == 400
    assert "model.jsonl: line 2: field &#x27;caption&#x27; is &#x27;first&#x27;" in page.text
    assert "ends in" in upload(client, file_of(row(), name="model.csv")).text
    assert not Worker.objects.filter(kind="program").exists(), "nothing was made"


def test_without_the_setting_the_page_says_that_workers_draw(client: Client) -> None:
    off = project_of(phrases("people: a man"))
    sign_in(client, off, Role.REQUESTER)
    assert "This project does not use proposals" in client.get("/projects/small/models/").text


def known(project: Project, image: str, truth: list[list[int]], key: str) -> None:
    shown = {"mentions": [[0, 0, 0, 2]], "boxes": [], "new_box": None}
    KnownQuestion.objects.create(
        project=project,
        task=Task.BOX_DRAWING.value,
        image=project.images.get(name=image),
        shown=shown,
        truth=truth,
        key=key,
        source=KnownQuestion.Source.GOLD,
    )


def test_a_program_is_scored_on_verification_questions(project: Project, client: Client) -> None:
    known(project, "1", [[1, 2, 30, 40]], "a")
    known(project, "2", [[100, 2, 130, 40]], "b")
    sign_in(client, project, Role.REQUESTER)
    page = upload(client, file_of(row("1"), row("2")))
    assert "1 of 2" in page.text
    (program,) = programs(project, current_settings(project.pk)[1])
    drawing = program.drawing_first[0]
    assert (drawing.score.right, drawing.score.total, drawing.standing) == (1, 2, Standing.UNKNOWN)
    for number in range(40):
        known(project, "2", [[100, 2, 130, 40]], f"c{number}")
    (program,) = programs(project, current_settings(project.pk)[1])
    assert program.drawing_first[0].standing is Standing.BELOW
    assert "below the minimum" in client.get("/projects/small/models/").text


def test_the_dashboard_says_what_proposals_saved(project: Project, client: Client) -> None:
    sign_in(client, project, Role.REQUESTER)
    refresh_figures(project.pk)
    assert "Boxes of programs</h2>" not in client.get("/projects/small/dashboard/").text
    upload(client, file_of(row("1"), row("2")))
    answer(project, worker(project, "ada"), Task.BOX_QUALITY, "good", "bad")
    refresh_figures(project.pk, anew=True)
    page = client.get("/projects/small/dashboard/").text
    assert "Boxes of programs</h2>" in page
    for name, value in (("proposed", "2"), ("proposed_good", "50.0%"), ("drawings_saved", "1")):
        assert f'<b data-live="tile.{name}">{value}</b>' in page
    assert "at 26.8 s a drawing and 11.0 s a judgment, as in the paper" in page


def test_saved_time_takes_the_judging_of_bad_boxes_off() -> None:
    assert saved({"accepted": 3, "discarded": 2, "pending": 5}, 26.8, 11.0) == (3, pytest.approx(3 * 26.8 - 2 * 11.0))


def test_the_page_takes_few_statements(project: Project, client: Client, django_assert_max_num_queries: Any) -> None:
    client.force_login(member(project, Role.REQUESTER, "boss"))
    upload(client, file_of(row("1"), row("2")))
    with django_assert_max_num_queries(20):
        client.get("/projects/small/models/")


CHAINS = [{"image": "1", "caption": number, "words": [0, 2], "chain": "A"} for number in (0, 1)]
BELIEF = replace(ON, strategy=Strategy.ADAPTIVE, box_policy=BoxPolicy.BELIEF)


def records(program: Worker, good: float, bad: float, numbers: Sequence[Sequence[float]] = ()) -> dict[str, Any]:
    """Return the setting `box_prior` of a project in which so many boxes of the program were good and bad.

    `numbers`: of finished chains, by their boxes (rows) and the program's (columns).
    """
    of_bins = [[0.0] * 5 + [number] for number in (good, bad)]
    return {"programs": {str(program.pk): {"good": of_bins[0], "bad": of_bins[1], "numbers": numbers}}}


def test_a_program_s_line_says_how_often_its_links_and_boxes_are_right_and_what_the_project_makes_of_it(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(prediction_jobs, "aside", lambda work: work())
    project = project_of(phrases("people: a man", "people: the man"), settings=BELIEF)
    sign_in(client, project, Role.REQUESTER)
    upload(client, file_of(*CHAINS))
    program = Worker.objects.get(name="detector")

    def line(**values: Any) -> tuple[str, str]:
        settings = replace(BELIEF, **values)
        change_settings(project_id=project.pk, settings=settings)
        (told,) = programs(project, settings)
        page = unescape(client.get("/projects/small/models/").text)
        assert (told.links or "It predicts no chains.") in page and (told.boxes or "It predicts no boxes.") in page
        return told.links, told.boxes

    links, boxes = line()
    assert boxes == "" and "no answers tell yet" in links and "joins 70% of the pairs that are one thing" in links
    links, _ = line(program_errors={str(program.pk): [0.06, 0.02]})
    assert links == "Used: it joins 94% of the pairs that are one thing, and 2% of those that are not."
    links, _ = line(program_errors={str(program.pk): [0.5, 0.6]})
    assert links.startswith("Set aside, as they say no more than a guess: it joins 50%")
    assert line(strategy=Strategy.GREEDY)[0] == "Not used: only the adaptive strategy reads predicted chains."
    upload(client, file_of(row()))
    assert line(proposals=False) == ("", "Not used: the setting is off."), "the new file has no chains"
    assert "Used: 1 of 1 that were tried were kept. Each is tried" in line(box_policy=BoxPolicy.PAPER)[1]
    assert "kept, and 50% of the next are expected to be good" in line()[1]
    assert line(box_prior=records(program, 30.0, 10.0))[1].startswith("Used where they save more work")
    numbers = [[4, 1, 0, 0], [0, 30, 2, 0], [0, 0, 0, 0], [0, 0, 0, 3]]
    weighed = "weighed too: for 37 of 40 finished chains that was the right number."
    assert line(box_prior=records(program, 30.0, 10.0, numbers))[1].endswith(weighed)
    assert line(box_prior=records(program, 4.0, 40.0))[1].startswith("Set aside, as 91% of them are expected to be bad")
    assert line(box_prior=records(program, 4.0, 40.0, numbers))[1].endswith(weighed), "its boxes alone are set aside"


@pytest.mark.parametrize(("good", "bad", "word", "taken"), [(30.0, 3.0, "Used where", 1), (4.0, 40.0, "Set aside", 0)])
def test_boxes_of_a_program_that_is_set_aside_are_shown_to_nobody(
    good: float, bad: float, word: str, taken: int, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(prediction_jobs, "aside", lambda work: work())
    program = Worker.objects.create(name="detector", kind=Worker.Kind.PROGRAM)
    project = project_of(phrases("people: a man"), settings=replace(BELIEF, box_prior=records(program, good, bad)))
    sign_in(client, project, Role.REQUESTER)
    assert f"<dt>Boxes</dt><dd>{word}" in upload(client, file_of(row())).text
    assert Box.objects.filter(proposed=True).count() == taken
    assert Question.objects.get(state="open").task == (Task.BOX_COVERAGE if taken else Task.BOX_DRAWING)
