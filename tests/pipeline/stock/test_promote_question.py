"""Closed questions become verification questions: by hand, or as suggested."""

from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.models import Project
from members.models import Role
from pipeline.errors import BadAnswerError
from pipeline.models import Assignment, KnownQuestion, Question
from pipeline.rules.tasks.task import PROTOCOL_TASKS, Task
from pipeline.stock.known_questions import Purpose, Source, retire_known
from pipeline.stock.promote_question import CannotPromoteError, promote_question
from pipeline.stock.suggest_known import Suggestion, suggest_for_tasks, suggest_known
from tests.support.kept import Kept
from tests.support.members import maker, sign_in
from tests.support.projects import answer, box, phrases, project_of, worker
from workers.change_trust import change_trust
from workers.rules.trust_states import TrustEvent

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


NEED = Task.BOX_REQUIREMENT


def voted(*votes: int, images: int = 1) -> Project:
    """Dogs of whom each of these workers in turn said this."""
    project = project_of(*(phrases("animals: a dog", name=str(number)) for number in range(images)))
    for number, vote in enumerate(votes):
        answer(project, worker(project, f"worker {number}"), NEED, *[vote] * images)
    return project


def suggested(project: Project, most: int = 10) -> list[Suggestion]:
    return suggest_known(project.id, NEED, most)


def test_a_question_that_two_workers_agreed_on_is_suggested() -> None:
    (one,) = suggested(voted(3, 3))
    assert (one.truth, one.agreed, one.question.image.name) == (3, 2, "0")
    assert not KnownQuestion.objects.exists()


def test_a_question_that_somebody_answered_otherwise_is_not() -> None:
    assert suggested(voted(3, 2)) == []
    assert Question.objects.get().state == "closed"


def test_a_question_that_is_not_settled_is_not() -> None:
    assert suggested(voted(3)) == []


def test_a_worker_who_is_not_trusted_now_does_not_count() -> None:
    project = voted(3, 3)
    lost = {"worker_id": worker(project, "worker 1").id, "project_id": project.id, "task": NEED.value}
    change_trust(**lost, event=TrustEvent.BAR, because="found out")  # type: ignore[arg-type]
    assert suggested(project) == []


def test_an_assignment_that_is_not_used_does_not_count() -> None:
    project = voted(3, 3)
    Assignment.objects.filter(worker__name="worker 1").update(acceptance=Assignment.Acceptance.REFUSED)
    assert suggested(project) == []


def test_questions_in_the_stock_are_not_suggested_again() -> None:
    project = voted(3, 3)
    promote_question(question_id=suggested(project)[0].question.id)
    assert suggested(project) == []


def test_no_more_than_asked_for_are_suggested() -> None:
    assert len(suggested(voted(3, 3, images=5), most=3)) == 3


def test_all_tasks_are_looked_at_in_one_statement_more_for_each() -> None:
    project, agree = voted(3, 3, images=3), dict.fromkeys(PROTOCOL_TASKS, 2)
    with CaptureQueriesContext(connection) as one:
        alone = suggest_for_tasks(project.pk, {NEED: 2}, 10)
    with CaptureQueriesContext(connection) as every:
        together = suggest_for_tasks(project.pk, agree, 10)
    assert together[NEED] == alone[NEED] == suggested(project)
    assert len(every) == len(one) + len(PROTOCOL_TASKS) - 1
    assert len(every) <= 13


def test_of_the_newest_closed_questions_only_so_many_are_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    project = voted(3, 3, images=4)
    newest = list(Question.objects.order_by("-id").values_list("id", flat=True))
    found = suggest_known(project.pk, NEED, 10, look_at=2)
    assert {one.question.pk for one in found} == set(newest[:2])
    monkeypatch.setattr("pipeline.stock.suggest_known.AMONG", 1)
    unanswered = Question.objects.get(pk=newest[0])
    unanswered.pk, unanswered.number = None, unanswered.number + 100
    unanswered.save()
    found = suggest_known(project.pk, NEED, 10, look_at=2)
    assert [one.question.pk for one in found] == [newest[0]], "no older one takes its place"
