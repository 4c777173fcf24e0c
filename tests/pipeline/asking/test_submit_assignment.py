from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from pipeline.asking.end_lease import expire_assignments, return_assignment
from pipeline.asking.lease_assignment import lease_assignment
from pipeline.asking.receipt import Given, Skipped
from pipeline.asking.submit_assignment import submit_assignment
from pipeline.errors import AssignmentEndedError, BadAnswerError, NotYoursError
from pipeline.models import Assignment, Entry, Judgment, Question
from pipeline.record.replay import replay
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.tasks.task import Task
from pipeline.tick import tick
from tests.support.projects import (
    HEIGHT,
    NONE_MISSING,
    WIDTH,
    answer,
    box,
    lease,
    phrases,
    project_of,
    states,
    submit,
    worker,
)
from tests.support.trusting import given_to, kennel
from workers.models import TrustStatus

pytestmark = [pytest.mark.both_engines, pytest.mark.django_db]

ASK = Task.BOX_REQUIREMENT
EVERY_TASK = [
    (Task.COREFERENCE_LINK, "same"),
    (Task.CHAIN_VERIFICATION, "true"),
    (Task.BOX_REQUIREMENT, 1),
    (Task.BOX_DRAWING, box(10, 10, 60, 70)),
    (Task.BOX_QUALITY, "good"),
    (Task.BOX_COVERAGE, "all there"),
]


def dogs(count: int):
    return [phrases("animals: a dog", name=str(number)) for number in range(count)]


def at_task(task: Task):
    """A project whose only question is of this task."""
    project = project_of(phrases("animals: a dog", "animals: the brown dog"))
    for number, (each, right) in enumerate(EVERY_TASK):
        if each is task:
            break
        answer(project, worker(project, f"earlier {number}"), each, right)
    return project


def test_the_answers_are_stored_with_their_worker_time_and_comment() -> None:
    project = project_of(*dogs(1))
    ada = worker(project, "ada")
    assignment = lease(project, ada, ASK)
    (question,) = assignment.questions
    receipt = submit_assignment(
        assignment_id=assignment.id, worker_id=ada.id, answers={question: Given(1, seconds=4.5, comment="clear")}
    )
    judgment = Judgment.objects.get()
    assert (receipt.stored, receipt.too_late, receipt.repeated) == ((question,), (), False)
    assert (judgment.question_id, judgment.worker, judgment.answer) == (question, ada, 1)
    assert (judgment.seconds, judgment.comment, judgment.assignment_id) == (4.5, "clear", assignment.id)
    assert states(project) == ["answered"]
    assert Assignment.objects.get().state == "submitted"


def test_submitting_the_same_answers_twice_returns_the_same_receipt_and_stores_nothing() -> None:
    project = project_of(*dogs(2))
    assignment = lease(project, worker(project, "ada"), ASK)
    first = submit(assignment, 1, 3)
    tick(project_id=project.id)
    second = submit(assignment, 1, 3)
    assert (second.stored, second.too_late, second.repeated) == (first.stored, first.too_late, True)
    assert (Judgment.objects.count(), Entry.objects.filter(kind="judgment").count()) == (2, 2)


def test_another_answer_in_a_repeated_submission_changes_nothing() -> None:
    project = project_of(*dogs(1))
    assignment = lease(project, worker(project, "ada"), ASK)
    submit(assignment, 1)
    assert submit(assignment, 3).repeated
    assert Judgment.objects.get().answer == 1


def test_the_assignment_of_another_worker_is_refused() -> None:
    project = project_of(*dogs(1))
    assignment = lease(project, worker(project, "ada"), ASK)
    answers = {assignment.questions[0]: Given(1)}
    with pytest.raises(NotYoursError, match="another worker"):
        submit_assignment(assignment_id=assignment.id, worker_id=worker(project, "bob").id, answers=answers)
    assert (Judgment.objects.count(), states(project)) == (0, ["open"])


def test_a_question_of_another_assignment_is_refused_and_nothing_is_stored() -> None:
    project = project_of(*dogs(2))
    ada = worker(project, "ada")
    mine, other = lease(project, ada, ASK, size=1), lease(project, worker(project, "bob"), ASK, size=1)
    answers = {mine.questions[0]: Given(1), other.questions[0]: Given(1)}
    with pytest.raises(BadAnswerError, match=f"{other.questions[0]}.* not of this assignment"):
        submit_assignment(assignment_id=mine.id, worker_id=ada.id, answers=answers)
    assert (Judgment.objects.count(), Assignment.objects.filter(state="active").count()) == (0, 2)


NOT_BOXES: list[Any] = [
    None,
    "same",
    [],
    {},
    {"box": None},
    {"box": [1, 2, 3]},
    {"box": [1, 2, 3, 4, 5]},
    {"box": [1.0, 2, 30, 40]},
    {"box": [True, 2, 30, 40]},
    {"box": ["1", 2, 30, 40]},
    {"box": [10, 10, 10, 20]},
    {"box": [20, 10, 10, 20]},
    {"box": [-1, 0, 10, 10]},
    {"box": [0, 0, WIDTH + 1, 10]},
    {"box": [0, 0, 10, HEIGHT + 1]},
    {"box": [0, 0, 10**30, 10]},
    {"box": [0, 0, float("nan"), 10]},
    {"box": [0, 0, 10, 10], "none_missing": True},
    {"none_missing": False},
    {"none_missing": "yes"},
]
NOT_CHOICES: list[Any] = [
    None,
    "",
    "Same",
    "maybe",
    0,
    4,
    1.0,
    True,
    "1",
    [],
    ["same"],
    {"answer": "same"},
    NONE_MISSING,
]


@pytest.mark.parametrize("task", [task for task, _ in EVERY_TASK])
def test_bad_answers_to_every_task_are_refused_with_a_reason_and_not_stored(task: Task) -> None:
    project = at_task(task)
    assignment = lease(project, worker(project, "ada"), task)
    before = Judgment.objects.count()
    for bad in NOT_BOXES if task is Task.BOX_DRAWING else NOT_CHOICES:
        with pytest.raises(BadAnswerError) as refused:
            submit(assignment, bad)
        assert task is Task.BOX_DRAWING or task.label in str(refused.value)
        assert len(str(refused.value)) > 20
    assert Judgment.objects.count() == before
    assert Assignment.objects.get(id=assignment.id).state == "active"
    assert submit(assignment, dict(EVERY_TASK)[task]).stored == tuple(assignment.questions)


def test_one_bad_answer_refuses_the_whole_submission() -> None:
    project = project_of(*dogs(2))
    assignment = lease(project, worker(project, "ada"), ASK)
    with pytest.raises(BadAnswerError):
        submit(assignment, 1, "no box")
    assert Judgment.objects.count() == 0


@pytest.mark.parametrize(
    ("given", "word"),
    [
        (Given(1, comment="x" * 1001), "1000"),
        (Given(1, comment="a\0b"), "comment"),
        (Given(1, seconds=float("nan")), "seconds"),
        (Given(1, seconds=float("inf")), "seconds"),
        (Given(1, seconds=-1.0), "seconds"),
    ],
)
def test_comments_and_times_that_no_database_can_store_are_refused_with_a_reason(given: Given, word: str) -> None:
    project = project_of(*dogs(1))
    assignment = lease(project, worker(project, "ada"), ASK)
    with pytest.raises(BadAnswerError, match=word):
        submit_assignment(
            assignment_id=assignment.id, worker_id=assignment.worker_id, answers={assignment.questions[0]: given}
        )
    assert Judgment.objects.count() == 0


def test_questions_that_were_left_out_are_open_again_for_others() -> None:
    project = project_of(*dogs(3))
    assignment = lease(project, worker(project, "ada"), ASK)
    receipt = submit(assignment, 1)
    assert receipt.stored == (assignment.questions[0],)
    again = lease(project, worker(project, "bob"), ASK)
    assert again.questions == assignment.questions[1:]


def test_a_measured_worker_is_not_asked_again_what_they_left_out() -> None:
    """Verification questions never come back: if real ones did, their coming back would tell them."""
    project = project_of(*dogs(3))
    ada = worker(project, "ada")
    TrustStatus.objects.create(worker=ada, project_id=project.id, task=ASK.value, state="trusted", passed_test=True)
    assignment = lease(project, ada, ASK)
    submit(assignment, 1)
    assert lease_assignment(project_id=project.id, worker_id=ada.id, task=ASK) is None
    again = lease(project, worker(project, "bob"), ASK)
    assert set(again.questions) == set(assignment.questions[1:])


@pytest.mark.parametrize("reply", [None, Skipped("unclear")], ids=["leaving out", "skipping"])
def test_a_real_question_takes_the_statements_of_a_verification_question(reply: Skipped | None) -> None:
    project = kennel(40, stock=40, settings=ProtocolSettings(test_questions=0, trusted_rate=0.5))
    statements = {}
    for kind in ("real", "known"):
        assignment = given_to(project, worker(project, kind))
        assert assignment.known and assignment.questions
        known = {int(place) for place in assignment.known}
        place = min(known if kind == "known" else set(range(assignment.size)) - known)
        replies = [reply if one == place else Given(1) for one in range(assignment.size)]
        with CaptureQueriesContext(connection) as asked:
            submit_assignment(assignment_id=assignment.id, worker_id=assignment.worker_id, answers=replies)
        statements[kind] = [one["sql"].split()[0] for one in asked]
    assert statements["real"] == statements["known"]


def test_a_worker_who_is_not_measured_may_come_back_to_what_they_left_out() -> None:
    project = project_of(*dogs(3))
    ada = worker(project, "ada")
    assignment = lease(project, ada, ASK)
    submit(assignment, 1)
    assert lease(project, ada, ASK).questions == assignment.questions[1:]


def test_an_empty_submission_ends_the_assignment() -> None:
    project = project_of(*dogs(2))
    assignment = lease(project, worker(project, "ada"), ASK)
    assert submit(assignment).stored == ()
    assert lease(project, worker(project, "bob"), ASK).questions == assignment.questions


def test_late_answers_are_stored_where_they_are_still_needed_and_reported_where_not() -> None:
    project = project_of(*dogs(3))
    ada, bob = worker(project, "ada"), worker(project, "bob")
    late = lease(project, ada, ASK)
    after = late.expires_at + timedelta(minutes=1)
    assert expire_assignments(now=after) == 1
    submit(lease(project, bob, ASK, size=1, now=after), 1, now=after)
    tick(project_id=project.id, now=after)
    leased = lease(project, bob, ASK, size=1, now=after)  # the second one: in bob's hands now
    receipt = submit(late, 1, 1, 1, now=after)
    assert receipt.stored == (late.questions[2],)
    assert receipt.too_late == (late.questions[0], late.questions[1])
    assert Question.objects.get(id=late.questions[1]).assignment_id == leased.id
    assert submit(leased, 1, now=after).stored == (late.questions[1],)
    again = submit(late, 1, 1, 1, now=after)
    assert (again.stored, again.too_late, again.repeated) == (receipt.stored, receipt.too_late, True)
    tick(project_id=project.id, now=after)
    assert list(replay(project)) == []


def test_a_submission_between_expiry_and_the_sweep_is_stored() -> None:
    project = project_of(*dogs(1))
    assignment = lease(project, worker(project, "ada"), ASK)
    assert submit(assignment, 1, now=assignment.expires_at + timedelta(hours=1)).stored


def test_a_worker_who_has_answered_in_the_meantime_cannot_answer_late_as_well() -> None:
    project = project_of(*dogs(2))
    ada = worker(project, "ada")
    late = lease(project, ada, ASK)
    after = late.expires_at + timedelta(minutes=1)
    expire_assignments(now=after)
    lease(project, worker(project, "bob"), ASK, size=1, now=after)
    submit(lease(project, ada, ASK, now=after), 3, now=after)
    tick(project_id=project.id, now=after)
    assert states(project, ASK) == ["open", "open"]  # one more vote is needed, from somebody else
    receipt = submit(late, 3, 3, now=after)
    assert (receipt.stored, receipt.too_late) == ((), tuple(late.questions))
    assert Judgment.objects.count() == 1


def test_a_returned_assignment_cannot_be_submitted_any_more() -> None:
    project = project_of(*dogs(1))
    ada = worker(project, "ada")
    assignment = lease(project, ada, ASK)
    assert return_assignment(assignment_id=assignment.id, worker_id=ada.id)
    with pytest.raises(AssignmentEndedError, match="was returned"):
        submit(assignment, 1)
    assert lease_assignment(project_id=project.id, worker_id=worker(project, "bob").id, task=ASK) is not None
    assert Judgment.objects.count() == 0
