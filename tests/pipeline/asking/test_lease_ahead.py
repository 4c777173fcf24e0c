"""The next assignment is leased while the worker answers the last question of the present one."""

from datetime import timedelta

import pytest

from annotation.models import Project
from labelling.pages.history import ended_assignments
from pipeline.asking.end_lease import expire_assignments, return_assignment
from pipeline.asking.lease_assignment import lease_questions
from pipeline.models import Assignment, Question
from pipeline.money.spend_cap import committed
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.tasks.task import PROTOCOL_TASKS, Task
from tests.support.projects import worker
from tests.support.trusting import ask, given_to, hand_in, kennel, newcomer
from upkeep import clock
from workers.models import TrustStatus, Worker

pytestmark = pytest.mark.django_db

ASK = Task.BOX_REQUIREMENT
OPEN = ProtocolSettings(test_questions=0, trusted_rate=0.3)


def ahead(project: Project, who: Worker, current: Assignment, **options: object) -> Assignment | None:
    found = lease_questions(
        project_id=project.id,
        worker_id=who.id,
        task=ASK,
        ahead_of=current.token,
        **options,  # type: ignore[arg-type]
    )
    return found.assignment if found else None


def both(project: Project, who: Worker) -> tuple[Assignment, Assignment]:
    current = given_to(project, who)
    following = ahead(project, who, current)
    assert following is not None
    return current, following


@pytest.fixture
def project() -> Project:
    return kennel(60, stock=40, settings=OPEN)


@pytest.fixture
def ada(project: Project) -> Worker:
    return worker(project, "ada")


def shown(assignment: Assignment) -> tuple[list[int], dict[str, int]]:
    return assignment.questions, assignment.known


def test_the_next_assignment_is_ready_when_the_last_answer_is_sent(project: Project, ada: Worker) -> None:
    current, following = both(project, ada)
    assert not set(current.questions) & set(following.questions)
    assert not set(current.known.values()) & set(following.known.values())
    hand_in(current)
    begun = given_to(project, ada)
    assert begun.id == following.id
    begun.refresh_from_db()
    assert not begun.ahead and begun.expires_at > clock.now() + timedelta(minutes=29)


def test_asking_while_an_assignment_is_unfinished_still_gives_that_one(project: Project, ada: Worker) -> None:
    current, following = both(project, ada)
    again, same = ask(project, ada), ahead(project, ada, current)
    assert again is not None and again.id == current.id
    assert same is not None and same.id == following.id


def test_a_batch_ahead_that_was_returned_comes_again_after_the_present_one(project: Project, ada: Worker) -> None:
    current, following = both(project, ada)
    return_assignment(assignment_id=following.token, worker_id=ada.id)
    hand_in(current)
    later = given_to(project, ada)
    assert shown(later) == shown(following)


def test_returning_both_brings_the_same_two_again() -> None:
    project = kennel(80, stock=40, settings=OPEN)
    ada = worker(project, "ada")
    current, following = both(project, ada)
    for _ in range(3):
        return_assignment(assignment_id=current.token, worker_id=ada.id)
        assert set(Assignment.objects.values_list("state", flat=True)) == {"returned"}
        assert not Question.objects.exclude(assignment=None).exists()
        again, after = both(project, ada)
        assert (shown(again), shown(after)) == (shown(current), shown(following))
        current, following = again, after


@pytest.mark.slow
def test_what_outlasts_the_return_of_both_is_no_likelier_a_verification_question() -> None:
    """Others got all real questions of the batch ahead meanwhile: its verification questions are exchanged, too."""
    project = kennel(120, stock=80, settings=ProtocolSettings(test_questions=0, trusted_rate=0.5))
    kept = 0
    for number in range(12):
        ada = worker(project, f"ada-{number}")
        current, following = both(project, ada)
        return_assignment(assignment_id=current.token, worker_id=ada.id)
        Question.objects.filter(id__in=[*following.questions, *following.spare]).update(for_people=False)
        again, after = both(project, ada)
        assert len(after.known) == len(following.known) and again.known == current.known
        kept += len(set(after.known.values()) & set(following.known.values()))
        return_assignment(assignment_id=again.token, worker_id=ada.id)
        Question.objects.update(for_people=True)
    assert kept == 0


def test_a_worker_who_stops_gives_the_batch_ahead_back_within_ten_minutes_and_nothing_counts(
    project: Project, ada: Worker
) -> None:
    current, following = both(project, ada)
    hand_in(current)
    before = TrustStatus.objects.get(worker=ada)
    assert following.expires_at <= clock.now() + timedelta(minutes=10)
    assert expire_assignments(now=clock.now() + timedelta(minutes=10)) == 1
    following.refresh_from_db()
    after = TrustStatus.objects.get(worker=ada)
    assert following.state == "returned" and after.asked == before.asked - following.size
    assert not set(following.known.values()) & set(after.seen)
    assert [one.id for one in ended_assignments(project.id, ada.id)] == [current.id]
    assert not Question.objects.exclude(assignment=None).exists()
    again = given_to(project, ada)
    assert shown(again) == shown(following)


def test_a_batch_ahead_that_ran_out_before_any_sweep_is_drawn_again(project: Project, ada: Worker) -> None:
    current, following = both(project, ada)
    hand_in(current)
    later = lease_questions(project_id=project.id, worker_id=ada.id, task=ASK, now=clock.now() + timedelta(minutes=11))
    assert later is not None and later.assignment.id != following.id
    assert shown(later.assignment) == shown(following)


def test_a_budget_that_pays_for_one_batch_only_leases_none_ahead_and_refuses_nothing() -> None:
    settings = ProtocolSettings(test_questions=0, reward_cents=dict.fromkeys(PROTOCOL_TASKS, 30), spend_cap_cents=50)
    project = kennel(60, stock=0, settings=settings)
    ada = worker(project, "ada")
    current = given_to(project, ada)
    assert ahead(project, ada, current) is None
    assert committed(project.id) == 30
    hand_in(current)


def test_a_returned_batch_ahead_frees_its_part_of_the_budget() -> None:
    settings = ProtocolSettings(test_questions=0, reward_cents=dict.fromkeys(PROTOCOL_TASKS, 30), spend_cap_cents=60)
    project = kennel(60, stock=0, settings=settings)
    ada = worker(project, "ada")
    current, following = both(project, ada)
    assert committed(project.id) == 60
    return_assignment(assignment_id=following.token, worker_id=ada.id)
    assert committed(project.id) == 30 and Assignment.objects.get(id=current.id).state == "active"


def test_nothing_is_leased_ahead_in_a_test() -> None:
    project = kennel(60, stock=40, tests=20)
    eve = newcomer(project, "eve")
    test = given_to(project, eve)
    assert test.kind == "test"
    assert ahead(project, eve, test) is None


def test_a_worker_on_probation_gets_batches_ahead_like_a_trusted_one_up_to_the_last() -> None:
    project = kennel(60, stock=30, settings=ProtocolSettings(test_questions=0))
    eve = newcomer(project, "eve")
    current = ask(project, eve)
    for _ in range(2):
        assert current is not None and len(current.known) == 10
        following = ahead(project, eve, current)
        assert following is not None and len(following.known) == 10
        hand_in(current)
        current = given_to(project, eve)
        assert current.id == following.id


def test_the_end_of_probation_does_not_take_away_the_batch_that_was_leased_ahead() -> None:
    project = kennel(60, stock=60, settings=ProtocolSettings(test_questions=0))
    eve = newcomer(project, "eve")
    current = ask(project, eve)
    for _ in range(4):
        assert current is not None
        following = ahead(project, eve, current)
        assert following is not None
        hand_in(current)
        current = given_to(project, eve)
        assert current.id == following.id
    assert TrustStatus.objects.get(worker=eve).state == "trusted"


def test_a_suspended_worker_gets_nothing_ahead(project: Project, ada: Worker) -> None:
    current = given_to(project, ada)
    TrustStatus.objects.update(state="suspended", suspended_until=clock.now() + timedelta(days=1), resumes="trusted")
    assert ahead(project, ada, current) is None


def test_what_ended_has_nothing_ahead(project: Project, ada: Worker) -> None:
    current = given_to(project, ada)
    hand_in(current)
    assert ahead(project, ada, current) is None
