"""The page of models, the score of a program, and what its boxes saved."""

import json
from collections.abc import Sequence
from dataclasses import replace
from html import unescape
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from accounts.models import Role
from annotation.models import Box, Chain, Gold, Image, Mention, Project
from pipeline.known.prediction_score import Basis, ScoreStatus
from pipeline.models import KnownQuestion, Question
from pipeline.project.settings_versions import change_settings, current_settings
from pipeline.protocol.tasks.task import Task
from pipeline.settings.of_belief import BoxPolicyName, LinkStrategy
from pipeline.settings.settings import Settings
from projects.dashboard.figures import refresh_figures
from projects.models import ModelPrediction
from projects.predictions.in_use import OFF, Use
from projects.predictions.scores import programs
from runtime.models import JobRun
from tests.support.members import member, sign_in
from tests.support.projects import answer, phrases, project_of, worker
from tests.support.settings_with import settings_with
from workers.models import Worker

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("at_once")]
ON = Settings(pre_annotations=True, test_questions=0)
CHAINS = [{"image": "1", "caption": number, "words": [0, 2], "chain": "A"} for number in (0, 1)]
BELIEF = replace(ON, strategy=LinkStrategy.ADAPTIVE, box_policy=BoxPolicyName.BELIEF)


@pytest.fixture
def project() -> Project:
    """Two men, each in an image."""
    return project_of(phrases("people: a man"), phrases("people: a man", name="2"), settings=ON)


def file_of(*rows: Any, name: str = "model.jsonl") -> SimpleUploadedFile:
    return SimpleUploadedFile(name, "\n".join(json.dumps(row) for row in rows).encode())


def row(image: str = "1", box: tuple[int, ...] = (1, 2, 30, 40)) -> dict[str, Any]:
    return {"image": image, "caption": 0, "phrase": "a man", "boxes": [list(box)]}


def upload(client: Client, file: SimpleUploadedFile) -> Any:
    return client.post("/projects/small/models/", {"program": "detector", "file": file}, follow=True)


def records(program: Worker, good: float, bad: float, numbers: Sequence[Sequence[float]] = ()) -> dict[str, Any]:
    """Return the setting `box_prior` of a project in which so many boxes of the program were good and bad.

    `numbers`: of finished chains, by their boxes (rows) and the program's (columns).
    """
    of_bins = [[0.0] * 5 + [number] for number in (good, bad)]
    return {"programs": {str(program.pk): {"good": of_bins[0], "bad": of_bins[1], "numbers": numbers}}}


def test_a_requester_uploads_predictions_and_they_are_entered(project: Project, client: Client) -> None:
    sign_in(client, project, Role.REQUESTER)
    assert "No program has predicted anything yet" in client.get("/projects/small/models/").text
    assert "Kept: 1 box and 0 chains of 1 image." in upload(client, file_of(row())).text
    assert Question.objects.filter(task=Task.BOX_QUALITY, state="open").count() == 1
    assert not ModelPrediction.objects.filter(due=True).exists()
    assert JobRun.objects.get(key=f"projects.predictions {project.pk}").state == "done"
    assert ModelPrediction.objects.get().made_by != ""


def test_a_wrong_file_is_named_with_its_line_beside_the_field(project: Project, client: Client) -> None:
    sign_in(client, project, Role.REQUESTER)
    page = upload(client, file_of(row(), {**row(), "caption": "first"}))
    assert page.status_code == 400
    assert "model.jsonl: line 2: field &#x27;caption&#x27; is &#x27;first&#x27;" in page.text
    assert "ends in" in upload(client, file_of(row(), name="model.csv")).text
    assert not Worker.objects.filter(kind="program").exists(), "nothing was made"


def test_without_the_setting_the_page_says_that_workers_draw(client: Client) -> None:
    sign_in(client, project_of(phrases("people: a man")), Role.REQUESTER)
    assert "This project does not use pre-annotations" in client.get("/projects/small/models/").text


def test_a_program_is_scored_as_soon_as_its_file_is_there(project: Project, client: Client) -> None:
    for image, box in (("1", [1, 2, 30, 40]), ("2", [100, 2, 130, 40])):
        chains = [{"name": "a", "mentions": [0], "scene": False, "boxes": [box]}]
        Gold.objects.create(image=project.images.get(name=image), chains=chains)
    sign_in(client, project, Role.REQUESTER)
    page = upload(client, file_of(row("1"), row("2")))
    assert "<b>50 %</b>" in page.text and "1 of 2 phrases whose boxes are known" in page.text
    assert not KnownQuestion.objects.exists(), "no question was made of the gold"
    (program,) = programs(project, current_settings(project.pk)[1])
    drawing, links = program.scores
    assert drawing.quality is not None and drawing.quality[:3] == (Basis.PHRASES, 1, 2)
    assert (drawing.status, links.quality, links.unknown) == (ScoreStatus.UNKNOWN, None, "–")


def test_what_workers_made_of_finished_images_scores_a_program_too(client: Client) -> None:
    project = project_of(phrases("people: a man", "people: the man", "people: a boy"), settings=ON)
    image = project.images.get()
    Mention.objects.filter(image=image).update(chain=1)
    Mention.objects.filter(image=image, number=0).update(chain=0)
    Chain.objects.filter(image=image).delete()
    for name, into in ((0, None), (1, 0)):
        Chain.objects.create(image=image, name=name, state="complete", merged_into=into)
    Box.objects.create(image=image, number=0, chain=1, state="accepted", x0=1, y0=2, x1=30, y1=40)
    Image.objects.filter(pk=image.pk).update(state="merged")
    said = [
        {"image": "1", "caption": number, "words": [0, 2], "boxes": [box], "chain": chain}
        for number, (box, chain) in enumerate((([1, 2, 30, 40], "A"), ([2, 2, 30, 40], "A"), ([90, 2, 99, 40], "B")))
    ]
    sign_in(client, project, Role.REQUESTER)
    page = upload(client, file_of(*said)).text
    assert "2 of 3 phrases whose boxes are known" in page and "1 of 3 pairs of phrases whose chains are known" in page


def test_the_page_promises_of_the_next_boxes_what_became_of_those_that_were_tried(client: Client) -> None:
    program = Worker.objects.create(name="detector", kind=Worker.Kind.PROGRAM)
    settings = settings_with(BELIEF, box_prior=records(program, 89.0, 11.0))
    project = project_of(phrases("people: a man"), settings=settings)
    sign_in(client, project, Role.REQUESTER)
    upload(client, file_of(row()))
    Box.objects.all().delete()
    Box.objects.bulk_create(
        Box(
            **{"image": project.images.get(), "number": number, "chain": 0, "drawn_by": program, "pre_annotated": True},
            **{"state": "accepted" if number < 62 else "discarded", "x0": 0, "y0": 0, "x1": 10, "y1": 10},
        )
        for number in range(100)
    )
    decided, _, folded = unescape(client.get("/projects/small/models/").text).partition("<details")
    assert "<b>62 %</b>" in decided and "54 to 70 %: 62 of 100 boxes that were tried" in decided
    assert "About 62 % of the next are expected to be kept (54 to 70 %)." in decided
    assert "89 %" not in decided, "what the policy reckons with is no promise"
    assert "where a box is missing 89 % of its boxes show it" in folded


def test_the_dashboard_says_what_pre_annotations_saved(project: Project, client: Client) -> None:
    sign_in(client, project, Role.REQUESTER)
    refresh_figures(project.pk)
    assert "Boxes of programs</h2>" not in client.get("/projects/small/dashboard/").text
    upload(client, file_of(row("1"), row("2")))
    answer(project, worker(project, "ada"), Task.BOX_QUALITY, "good", "bad")
    refresh_figures(project.pk, anew=True)
    page = client.get("/projects/small/dashboard/").text
    assert "Boxes of programs</h2>" in page
    for name, value in (("pre_annotated", "2"), ("pre_annotated_good", "50.0 %"), ("drawings_saved", "1")):
        assert f'<b data-live="tile.{name}">{value}</b>' in page
    assert "no chain with a proposed box has ended yet" in page


def test_the_page_takes_few_statements(project: Project, client: Client, django_assert_max_num_queries: Any) -> None:
    client.force_login(member(project, Role.REQUESTER, "boss"))
    upload(client, file_of(row("1"), row("2")))
    Image.objects.filter(project=project).update(state="merged")
    with django_assert_max_num_queries(20):
        client.get("/projects/small/models/")


def test_a_program_s_line_says_how_often_its_links_and_boxes_are_right_and_what_the_project_makes_of_it(client: Client):
    project = project_of(phrases("people: a man", "people: the man"), settings=BELIEF)
    sign_in(client, project, Role.REQUESTER)
    upload(client, file_of(*CHAINS))
    program = Worker.objects.get(name="detector")

    def line(**values: Any) -> tuple[Use | None, Use | None]:
        settings = settings_with(BELIEF, **values)
        change_settings(project_id=project.pk, settings=settings)
        (told,) = programs(project, settings)
        page = unescape(client.get("/projects/small/models/").text)
        for use, none in ((told.links, "It predicts no chains."), (told.boxes, "It predicts no boxes.")):
            assert (use.words if use else none) in page and (not use or use.assumed in page)
        return told.links, told.boxes

    links, boxes = line()
    assert boxes is None and links is not None and "no answers tell yet" in links.words
    assert "joins 70 % of the pairs that are one thing" in links.assumed
    links, _ = line(program_errors={str(program.pk): [0.06, 0.02]})
    assert links is not None and links.words == "Used."
    assert links.assumed.endswith("joins 94 % of the pairs that are one thing, and 2 % of those that are not.")
    links, _ = line(program_errors={str(program.pk): [0.5, 0.6]})
    assert links is not None and links.words == "Set aside, as they say no more than a guess."
    unread = Use("Not used: only the adaptive strategy reads predicted chains.", used=False)
    assert line(strategy=LinkStrategy.GREEDY)[0] == unread
    upload(client, file_of(row()))
    assert line(pre_annotations=False) == (None, OFF), "the new file has no chains"

    def boxed(**values: Any) -> Use:
        found = line(**values)[1]
        assert found is not None
        return found

    assert "Used: each is tried, however many are bad. 1 of 1" in boxed(box_policy=BoxPolicyName.PAPER).words
    assert boxed(box_prior=records(program, 30.0, 10.0)).words.startswith("Used where they save more work")
    numbers = [[4, 1, 0, 0], [0, 30, 2, 0], [0, 0, 0, 0], [0, 0, 0, 3]]
    weighed = "weighed too: for 37 of 40 finished chains that was the right number."
    assert boxed(box_prior=records(program, 30.0, 10.0, numbers)).assumed.endswith(weighed)
    bad = boxed(box_prior=records(program, 4.0, 40.0, numbers))
    assert bad.words == "Set aside, as too few are good: no more are shown. 1 of 1 that were tried was kept."
    assert bad.assumed.endswith(weighed), "its boxes alone are set aside"


@pytest.mark.parametrize(("good", "bad", "word", "taken"), [(30.0, 3.0, "Used where", 1), (4.0, 40.0, "Set aside", 0)])
def test_boxes_of_a_program_that_is_set_aside_are_shown_to_nobody(
    good: float, bad: float, word: str, taken: int, client: Client
) -> None:
    program = Worker.objects.create(name="detector", kind=Worker.Kind.PROGRAM)
    project = project_of(
        phrases("people: a man"), settings=settings_with(BELIEF, box_prior=records(program, good, bad))
    )
    sign_in(client, project, Role.REQUESTER)
    assert f"<dt>Boxes</dt><dd>{word}" in upload(client, file_of(row())).text
    assert Box.objects.filter(pre_annotated=True).count() == taken
    assert Question.objects.get(state="open").task == (Task.BOX_COVERAGE if taken else Task.BOX_DRAWING)
