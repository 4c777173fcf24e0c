"""Whatever came before, every place of a worker's next assignment may hold a question of either kind."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

import pytest

from annotation.models import Project
from pipeline.asking.end_lease import expire_assignments, return_assignment
from pipeline.asking.lease_assignment import lease_assignment
from pipeline.asking.receipt import Skipped
from pipeline.asking.submit_assignment import submit_assignment
from pipeline.models import Assignment, Question
from pipeline.rules.settings.protocol import ProtocolSettings
from tests.support.projects import worker
from tests.support.trusting import ASK, hand_in, kennel
from workers.models import TrustStatus, Worker

pytestmark = pytest.mark.django_db
HALF = ProtocolSettings(test_questions=0, trusted_rate=0.5, minimum=dict.fromkeys(ProtocolSettings().minimum, 0.001))


@dataclass
class Desk:
    """One worker, and questions that are free for them."""

    project: Project
    who: Worker

    def open(self, count: int) -> None:
        """Leave so many questions free for this worker."""
        Question.objects.update(for_people=False, barred=[], barred_count=0)
        ids = Question.objects.filter(state="open", assignment=None).order_by("id").values_list("id", flat=True)
        Question.objects.filter(id__in=list(ids[:count])).update(for_people=True)

    def ask(self, size: int = 5, hours: float = 0.0) -> Assignment:
        now = Assignment.objects.order_by("id").last()
        at = now.created_at + timedelta(hours=hours) if now and hours else None
        found = lease_assignment(project_id=self.project.pk, worker_id=self.who.pk, task=ASK, size=size, now=at)
        assert found is not None
        return found

    def take(self, *questions: int) -> None:
        """Let others take these questions."""
        of = {"for_people": False, "barred": [self.who.pk], "barred_count": 1}
        Question.objects.filter(id__in=questions).update(**of)

    def send_back(self, assignment: Assignment) -> None:
        assert return_assignment(assignment_id=assignment.pk, worker_id=self.who.pk)


@pytest.fixture
def project() -> Project:
    return kennel(60, stock=60, settings=HALF)


def behind(assignment: Assignment) -> list[int]:
    """The real questions by place, those behind verification questions too."""
    real, spare = iter(assignment.questions), iter(assignment.spare)
    return [next(spare if str(place) in assignment.known else real) for place in range(assignment.size)]


def after_a_short_batch(desk: Desk) -> Assignment:
    desk.open(2)
    hand_in(desk.ask())
    desk.open(12)
    return desk.ask()


def a_batch_of_the_last_question(desk: Desk) -> Assignment:
    desk.open(1)
    return desk.ask()


def after_batches_of_one(desk: Desk) -> Assignment:
    desk.open(12)
    hand_in(desk.ask(1))
    return desk.ask(1)


def after_one_was_returned_and_is_gone(desk: Desk) -> Assignment:
    desk.open(12)
    first = desk.ask(1)
    desk.send_back(first)
    desk.take(*behind(first))
    return desk.ask(1)


def after_a_return_where_the_first_is_gone(desk: Desk) -> Assignment:
    desk.open(12)
    first = desk.ask()
    desk.send_back(first)
    desk.take(behind(first)[0])
    return desk.ask()


def after_a_return_that_others_shorten(desk: Desk) -> Assignment:
    desk.open(5)
    first = desk.ask()
    desk.send_back(first)
    desk.take(*behind(first)[:3])
    hand_in(desk.ask())
    desk.open(12)
    return desk.ask()


def after_the_time_ran_out_and_one_is_gone(desk: Desk) -> Assignment:
    desk.open(12)
    first = desk.ask(2)
    expire_assignments(now=first.expires_at)
    desk.take(behind(first)[0])
    return desk.ask(2, hours=2)


def days_after_the_time_ran_out(desk: Desk) -> Assignment:
    desk.open(12)
    expire_assignments(now=desk.ask(2).expires_at)
    return desk.ask(2, hours=50)


def after_all_was_skipped(desk: Desk) -> Assignment:
    desk.open(12)
    first = desk.ask(3)
    skipped = [Skipped("unclear")] * 3
    submit_assignment(assignment_id=first.pk, worker_id=desk.who.pk, answers=skipped)
    return desk.ask(3)


def after_a_late_answer(desk: Desk) -> Assignment:
    desk.open(12)
    first = desk.ask(2)
    expire_assignments(now=first.expires_at)
    hand_in(Assignment.objects.get(id=first.pk))
    return desk.ask(2)


WAYS = [
    after_a_short_batch,
    a_batch_of_the_last_question,
    after_batches_of_one,
    after_one_was_returned_and_is_gone,
    after_a_return_where_the_first_is_gone,
    after_a_return_that_others_shorten,
    after_the_time_ran_out_and_one_is_gone,
    days_after_the_time_ran_out,
    after_all_was_skipped,
    after_a_late_answer,
]
CREW = 24


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_the_next_batch_may_hold_either_kind_at_every_place(
    project: Project, way: Callable[[Desk], Assignment]
) -> None:
    drawn = []
    for number in range(CREW):
        desk = Desk(project, worker(project, f"{way.__name__}-{number}", ASK))
        drawn.append(way(desk))
        Question.objects.update(state="open", assignment=None, skipped=[], skipped_count=0)
    for place in range(min(one.size for one in drawn)):
        known = sum(str(place) in one.known for one in drawn)
        assert CREW / 8 < known < CREW * 7 / 8, f"place {place}: {known} of {CREW}"


@pytest.mark.both_engines
def test_a_short_batch_is_as_long_as_questions_are_free_whatever_it_holds(project: Project) -> None:
    for number in range(12):
        desk = Desk(project, worker(project, f"ada-{number}", ASK))
        desk.open(3)
        found = desk.ask()
        assert (found.size, len(set(behind(found)))) == (3, 3)
        assert Question.objects.filter(assignment=found).count() == 3, "what stands behind is on loan, too"
        hand_in(found)
        assert not Question.objects.filter(assignment=found).exists()
        answered = Question.objects.filter(state="answered")
        assert set(answered.values_list("id", flat=True)) == set(found.questions)
        answered.update(state="open")


def test_what_comes_again_after_a_return_stays_where_it_was_and_goes_with_the_real_question(project: Project) -> None:
    for number in range(12):
        desk = Desk(project, worker(project, f"ada-{number}", ASK))
        desk.open(12)
        first = desk.ask()
        desk.send_back(first)
        gone = behind(first)[number % 5]
        desk.take(gone)
        again = desk.ask()
        for place, (old, new) in enumerate(zip(behind(first), behind(again), strict=True)):
            assert (old == gone) == (old != new)
            assert (str(place) in first.known) == (str(place) in again.known)
            if str(place) in first.known:
                assert (first.known[str(place)] == again.known[str(place)]) == (old != gone)
        desk.send_back(again)


def test_a_question_that_was_answered_after_the_time_ran_out_is_not_asked_again(project: Project) -> None:
    """Work that is drawn again after it ran out is taken back no second time."""
    desk = Desk(project, worker(project, "ada", ASK))
    desk.open(30)
    first = desk.ask()
    expire_assignments(now=first.expires_at)
    desk.take(behind(first)[0])
    second = desk.ask(hours=2)
    assert second.pk != first.pk
    hand_in(second, now=second.created_at)
    third = desk.ask(hours=1)
    assert third.pk != second.pk and not set(third.known.values()) & set(second.known.values())
    status = TrustStatus.objects.get(worker=desk.who)
    assert (status.asked, status.verified) == (10, len(second.known) + len(third.known))


def test_what_is_too_late_tells_nothing_of_its_kind(project: Project) -> None:
    late = []
    for number in range(12):
        desk = Desk(project, worker(project, f"ada-{number}", ASK))
        desk.open(12)
        first = desk.ask()
        expire_assignments(now=first.expires_at)
        Question.objects.filter(id__in=behind(first)[:2]).update(state="closed", outcome="box")
        receipt = hand_in(Assignment.objects.get(id=first.pk))
        late.append((receipt.late, receipt.taken))
        Question.objects.update(state="open", assignment=None, outcome="")
    assert set(late) == {(2, 3)}
