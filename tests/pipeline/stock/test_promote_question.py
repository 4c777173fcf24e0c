"""Promoting a closed question to a verification question."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotation.models import Project
from members.models import Role
from pipeline.errors import BadAnswerError
from pipeline.models import KnownQuestion, Question
from pipeline.rules.tasks.task import Task
from pipeline.stock.known_questions import Purpose, Source, retire_known
from pipeline.stock.promote_question import CannotPromoteError, promote_question
from tests.support.kept import Kept
from tests.support.members import maker, sign_in
from tests.support.projects import answer, box, phrases, project_of, worker

pytestmark = pytest.mark.django_db
DRAW, JUDGE, COVER = Task.BOX_DRAWING, Task.BOX_QUALITY, Task.BOX_COVERAGE


def make() -> None:
    """Make a project of one man, whose box ada drew, bob approved, and carl and dora called complete."""
    made = project_of(phrases("people: a man"))
    answer(made, worker(made, "ada"), DRAW, box(10, 10, 50, 90))
    answer(made, worker(made, "bob"), JUDGE, "good")
    for name in ("carl", "dora"):
        answer(made, worker(made, name), COVER, "all there")


@pytest.fixture(scope="module")
def kept(django_db_setup: None, django_db_blocker: Any) -> Kept:
    return Kept(django_db_blocker, make)


@pytest.fixture
def project(kept: Kept, db: None) -> Project:
    kept.write()
    return Project.objects.get()


def question(task: Task) -> Question:
    return Question.objects.get(task=task.value)


def refused(task: Task, **options: object) -> str:
    with pytest.raises(CannotPromoteError) as caught:
        promote_question(question_id=question(task).id, **options)  # type: ignore[arg-type]
    assert not KnownQuestion.objects.exists()
    return str(caught.value)


@pytest.mark.parametrize(("task", "truth"), [(DRAW, [[10, 10, 50, 90]]), (JUDGE, "good"), (COVER, "all there")])
def test_its_truth_is_what_it_was_decided_to_be(project: Project, task: Task, truth: object) -> None:
    known = promote_question(question_id=question(task).id, actor="eve", explanation="Look closely.")
    assert (known.truth, known.shown, known.task) == (truth, question(task).shown, task.value)
    assert (known.source, known.added_by, known.explanation) == (Source.EXPERT, "eve", "Look closely.")


@pytest.mark.parametrize(
    ("task", "names"),
    [(DRAW, ["ada"]), (JUDGE, ["ada", "bob"]), (COVER, ["ada", "carl", "dora"])],
    ids=["drawing", "quality", "coverage"],
)
def test_workers_who_had_a_part_in_a_question_are_never_asked_it(
    project: Project, task: Task, names: list[str]
) -> None:
    known = promote_question(question_id=question(task).id)
    assert known.not_for == [worker(project, name).id for name in names]


def test_the_expert_s_truth_overrides_what_was_decided(project: Project) -> None:
    known = promote_question(question_id=question(JUDGE).id, truth="bad", purpose=Purpose.TEST)
    assert (known.truth, known.purpose) == ("bad", Purpose.TEST)


def test_an_empty_list_of_missing_boxes_is_a_truth(project: Project) -> None:
    assert promote_question(question_id=question(DRAW).id, truth=[]).truth == []


@pytest.mark.both_engines
def test_an_example_without_an_explanation_gets_one(project: Project) -> None:
    known = promote_question(question_id=question(COVER).id, purpose=Purpose.EXAMPLE)
    assert known.explanation == "Everything that “a man” means has its box."


def test_a_truth_that_does_not_fit_is_refused(project: Project) -> None:
    with pytest.raises(BadAnswerError):
        promote_question(question_id=question(JUDGE).id, truth="perhaps")


def test_an_open_question_is_refused() -> None:
    project_of(phrases("people: a man"))
    assert "still asked" in refused(DRAW)


def test_without_a_certain_answer_only_an_expert_can_give_one() -> None:
    project = project_of(phrases("people: a man"))
    answer(project, worker(project, "ada"), DRAW, box(10, 10, 50, 90))
    assert "still in quality" in refused(DRAW)
    assert promote_question(question_id=question(DRAW).id, truth=[[10, 10, 50, 90]]).truth == [[10, 10, 50, 90]]


def test_nothing_is_in_the_stock_twice_even_if_it_was_retired(project: Project) -> None:
    number = question(JUDGE).id
    known = promote_question(question_id=number)
    with pytest.raises(CannotPromoteError, match="asked among the others"):
        promote_question(question_id=number, purpose=Purpose.TEST)
    retire_known(known.id)
    with pytest.raises(CannotPromoteError, match="retired on"):
        promote_question(question_id=number)


# --- The form ---


def form_of(task: Task) -> str:
    return reverse("campaign:promote", args=[question(task).project.name, question(task).id])


@pytest.mark.both_engines
def test_answers_and_rows_of_questions_lead_to_the_form(project: Project, admin_client: Client) -> None:
    bob = question(JUDGE).judgments.get().worker
    answers = reverse("campaign:worker", args=[project.name, bob.pk])
    assert form_of(JUDGE) in admin_client.get(answers).text
    assert form_of(JUDGE) in admin_client.get(reverse("admin:pipeline_question_change", args=[question(JUDGE).id])).text


def test_the_form_begins_with_what_was_decided(project: Project, admin_client: Client) -> None:
    page = admin_client.get(form_of(JUDGE)).text
    assert '<option value="good" selected>' in page
    assert ">a man</span>" in page and "bob answered “good”" in page
    assert "10, 10, 50, 90</textarea>" in admin_client.get(form_of(DRAW)).text.replace(">\n", ">")


def test_the_form_takes_the_expert_s_word(project: Project, admin_client: Client) -> None:
    said = {"answer": "bad", "purpose": "example", "explanation": "A hand is cut off."}
    response = admin_client.post(form_of(JUDGE), said, follow=True)
    known = KnownQuestion.objects.get()
    assert (known.truth, known.purpose, known.explanation) == ("bad", "example", "A hand is cut off.")
    assert known.added_by == "admin" and "The question is in the stock" in response.text


@pytest.mark.parametrize(
    ("boxes", "wrong"),
    [
        ("10 10 20", "is not a box"),
        ("0, 0, 900, 10", "lies outside"),
        ("1, 2, x, 4", "is not a box"),
        ("5 5 5 9", "outside"),
    ],
)
def test_the_form_refuses_boxes_that_are_none(project: Project, admin_client: Client, boxes: str, wrong: str) -> None:
    assert wrong in admin_client.post(form_of(DRAW), {"answer": boxes, "purpose": "test"}).text
    assert not KnownQuestion.objects.exists()


@pytest.mark.both_engines
def test_the_form_takes_several_boxes_or_none(project: Project, admin_client: Client) -> None:
    admin_client.post(form_of(DRAW), {"answer": "1, 2, 30, 40\n 5 6 70 80 ", "purpose": "test"})
    assert KnownQuestion.objects.get().truth == [[1, 2, 30, 40], [5, 6, 70, 80]]
    assert "in the stock already" in admin_client.post(form_of(DRAW), {"answer": "", "purpose": "test"}).text


def test_the_form_says_what_is_not_sure(admin_client: Client) -> None:
    project = project_of(phrases("people: a man"))
    answer(project, worker(project, "ada"), DRAW, box(10, 10, 50, 90))
    assert "still in quality" in admin_client.get(form_of(DRAW)).text


def test_only_the_projects_requesters_see_the_form(project: Project, client: Client) -> None:
    reader = maker("reader")
    client.force_login(reader)
    assert client.get(form_of(JUDGE)).status_code == 404
    sign_in(client, project, Role.REVIEWER, "ada-reviews")
    assert client.get(form_of(JUDGE)).status_code == 403
    sign_in(client, project, Role.REQUESTER, "ada-asks")
    assert client.get(form_of(JUDGE)).status_code == 200
