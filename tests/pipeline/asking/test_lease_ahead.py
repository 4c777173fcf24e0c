"""The next assignment is leased while the worker answers the last question of the present one.
Whatever came before, every place of a worker's next assignment may hold a question of either kind.
Answers that one phrase is part of the other: taken where the project asks for them, and refused elsewhere.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import timedelta

import pytest

from annotation.models import Project
from labelling.pages.worker_status import ended_assignments
from pipeline.asking.end_lease import expire_assignments, return_assignment
from pipeline.asking.lease_assignment import lease_assignment, lease_questions
from pipeline.asking.receipt import Skipped
from pipeline.asking.submit_assignment import submit_assignment
from pipeline.errors import NoPartsError
from pipeline.models import Assignment, Judgment, Question
from pipeline.money.spend_cap import committed
from pipeline.project.settings_versions import change_settings
from pipeline.protocol.tasks.task import PROTOCOL_TASKS, Task
from pipeline.settings.settings import Settings
from runtime import clock
from tests.support.projects import lease, phrases, project_of, submit, worker
from tests.support.table import case
from tests.support.trusting import ASK, ask, given_to, hand_in, kennel, newcomer
from workers.models import TrustStatus, Worker

pytestmark = pytest.mark.django_db

ASK_BOX = Task.BOX_REQUIREMENT
OPEN = Settings(test_questions=0, trusted_rate=0.3)
HALF = Settings(test_questions=0, trusted_rate=0.5, minimum=dict.fromkeys(Settings().minimum, 0.001))
CREW = 24
LINK = Task.COREFERENCE_LINK
PARTS = Settings(part_answers=True)
MEN = phrases("people: three men", "people: one of them")


def ahead(project: Project, who: Worker, current: Assignment, **options: object) -> Assignment | None:
    place = {"project_id": project.id, "worker_id": who.id, "task": ASK_BOX, "ahead_of": current.token}
    found = lease_questions(**place, **options)  # type: ignore[arg-type]
    return found.assignment if found else None


def both(project: Project, who: Worker) -> tuple[Assignment, Assignment]:
    current = given_to(project, who)
    following = ahead(project, who, current)
    assert following is not None
    return current, following


@pytest.fixture
def project() -> Project:
    return kennel(60, stock=40, settings=OPEN)


def shown(assignment: Assignment) -> tuple[list[int], dict[str, int]]:
    return assignment.questions, assignment.known


def test_the_next_assignment_is_ready_when_the_last_answer_is_sent_and_not_before(
    project: Project, ada: Worker
) -> None:
    current, following = both(project, ada)
    again, same = ask(project, ada), ahead(project, ada, current)
    assert again is not None and again.id == current.id
    assert same is not None and same.id == following.id
    assert not set(current.questions) & set(following.questions)
    assert not set(current.known.values()) & set(following.known.values())
    hand_in(current)
    begun = given_to(project, ada)
    assert begun.id == following.id
    begun.refresh_from_db()
    assert not begun.ahead and begun.expires_at > clock.now() + timedelta(minutes=29)


def test_a_batch_ahead_that_was_returned_comes_again_after_the_present_one(project: Project, ada: Worker) -> None:
    current, following = both(project, ada)
    return_assignment(assignment_id=following.token, worker_id=ada.id)
    hand_in(current)
    assert shown(given_to(project, ada)) == shown(following)


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
    project = kennel(120, stock=80, settings=Settings(test_questions=0, trusted_rate=0.5))
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


def test_a_worker_who_stops_gives_the_batch_ahead_back_in_ten_minutes_uncounted(project: Project, ada: Worker) -> None:
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
    assert not Question.objects.exclude(assignment=None).exists() and shown(given_to(project, ada)) == shown(following)


def test_a_batch_ahead_that_ran_out_before_any_sweep_is_drawn_again(project: Project, ada: Worker) -> None:
    current, following = both(project, ada)
    hand_in(current)
    place = {"project_id": project.id, "worker_id": ada.id, "task": ASK_BOX}
    later = lease_questions(**place, now=clock.now() + timedelta(minutes=11))  # type: ignore[arg-type]
    assert later is not None and later.assignment.id != following.id and shown(later.assignment) == shown(following)


def test_a_batch_ahead_needs_its_part_of_the_budget_and_frees_it_when_it_is_returned() -> None:
    settings = Settings(test_questions=0, reward_cents=dict.fromkeys(PROTOCOL_TASKS, 30), spend_cap_cents=60)
    project = kennel(60, stock=0, settings=settings)
    ada, bob = worker(project, "ada"), worker(project, "bob")
    current, following = both(project, ada)
    assert committed(project.id) == 60
    return_assignment(assignment_id=following.token, worker_id=ada.id)
    assert committed(project.id) == 30 and Assignment.objects.get(id=current.id).state == "active"
    given_to(project, bob)
    assert ahead(project, ada, current) is None and committed(project.id) == 60
    hand_in(current)


def test_nothing_is_leased_ahead_in_a_test() -> None:
    project = kennel(60, stock=40, tests=20)
    eve = newcomer(project, "eve")
    test = given_to(project, eve)
    assert test.kind == "test" and ahead(project, eve, test) is None


@case("up to the last batch of probation", 30, 2, "probation")
@case("and its end does not take the batch away that was leased ahead", 60, 4, "trusted")
def test_a_worker_on_probation_gets_batches_ahead_like_a_trusted_one(stock: int, turns: int, state: str) -> None:
    project = kennel(60, stock=stock, settings=Settings(test_questions=0))
    eve = newcomer(project, "eve")
    current = given_to(project, eve)
    for turn in range(turns):
        following = ahead(project, eve, current)
        assert following is not None and (turn > 1 or len(current.known) == len(following.known) == 10)
        hand_in(current)
        current = given_to(project, eve)
        assert current.id == following.id
    assert TrustStatus.objects.get(worker=eve).state == state


def suspend(current: Assignment) -> None:
    TrustStatus.objects.update(state="suspended", suspended_until=clock.now() + timedelta(days=1), resumes="trusted")


@case("a suspended worker gets nothing ahead", suspend)
@case("what ended has nothing ahead", hand_in)
def test_nothing_is_leased_ahead(happens: Callable[[Assignment], object], project: Project, ada: Worker) -> None:
    current = given_to(project, ada)
    happens(current)
    assert ahead(project, ada, current) is None


@dataclass
class Desk:
    """One worker, and questions that are free for them."""

    project: Project
    who: Worker

    def open(self, count: int) -> "Desk":
        """Leave so many questions free for this worker."""
        Question.objects.update(for_people=False, barred=[], barred_count=0)
        ids = Question.objects.filter(state="open", assignment=None).order_by("id").values_list("id", flat=True)
        Question.objects.filter(id__in=list(ids[:count])).update(for_people=True)
        return self

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

    def done(self, size: int = 5) -> "Desk":
        hand_in(self.ask(size))
        return self

    def returned(self, size: int = 5, *, lost: int = 0) -> "Desk":
        """Send an assignment back, of which others take the first questions."""
        first = self.ask(size)
        self.send_back(first)
        self.take(*behind(first)[:lost])
        return self

    def expired(self, size: int, *, lost: int = 0) -> "Desk":
        first = self.ask(size)
        expire_assignments(now=first.expires_at)
        self.take(*behind(first)[:lost])
        return self

    def late(self, size: int) -> "Desk":
        self.expired(size)
        hand_in(Assignment.objects.latest("id"))
        return self

    def skipped(self, size: int) -> "Desk":
        skips = [Skipped("unclear")] * size
        submit_assignment(assignment_id=self.ask(size).pk, worker_id=self.who.pk, answers=skips)
        return self


@pytest.fixture
def mixed_project() -> Project:
    return kennel(60, stock=60, settings=HALF)


def behind(assignment: Assignment) -> list[int]:
    """The real questions by place, those behind verification questions too."""
    real, spare = iter(assignment.questions), iter(assignment.spare)
    return [next(spare if str(place) in assignment.known else real) for place in range(assignment.size)]


@pytest.mark.slow
@case("after a short batch", lambda desk: desk.open(2).done().open(12).ask())
@case("a batch of the last question", lambda desk: desk.open(1).ask())
@case("after batches of one", lambda desk: desk.open(12).done(1).ask(1))
@case("after one was returned and is gone", lambda desk: desk.open(12).returned(1, lost=1).ask(1))
@case("after a return where the first is gone", lambda desk: desk.open(12).returned(lost=1).ask())
@case("after a return that others shorten", lambda desk: desk.open(5).returned(lost=3).done().open(12).ask())
@case("days after the time ran out", lambda desk: desk.open(12).expired(2).ask(2, hours=50))
@case("after the time ran out and one is gone", lambda desk: desk.open(12).expired(2, lost=1).ask(2, hours=2))
@case("after all was skipped", lambda desk: desk.open(12).skipped(3).ask(3))
@case("after a late answer", lambda desk: desk.open(12).late(2).ask(2))
def test_the_next_batch_may_hold_either_kind_at_every_place(way: Callable[[Desk], Assignment], mixed_project: Project):
    drawn = []
    for number in range(CREW):
        drawn.append(way(Desk(mixed_project, worker(mixed_project, f"ada-{number}", ASK))))
        Question.objects.update(state="open", assignment=None, skipped=[], skipped_count=0)
    for place in range(min(one.size for one in drawn)):
        known = sum(str(place) in one.known for one in drawn)
        assert CREW / 8 < known < CREW * 7 / 8, f"place {place}: {known} of {CREW}"


@pytest.mark.both_engines
def test_a_short_batch_is_as_long_as_questions_are_free_whatever_it_holds(mixed_project: Project) -> None:
    for number in range(12):
        desk = Desk(mixed_project, worker(mixed_project, f"ada-{number}", ASK))
        desk.open(3)
        found = desk.ask()
        assert (found.size, len(set(behind(found)))) == (3, 3)
        assert Question.objects.filter(assignment=found).count() == 3, "what stands behind is on loan, too"
        hand_in(found)
        assert not Question.objects.filter(assignment=found).exists()
        answered = Question.objects.filter(state="answered")
        assert set(answered.values_list("id", flat=True)) == set(found.questions)
        answered.update(state="open")


@case("when the time has run out", 1.0)
@case("after a return", 0.0)
def test_what_comes_again_stays_where_it_was_and_goes_with_the_real_question(hours: float, mixed_project: Project):
    for number in range(12):
        desk = Desk(mixed_project, worker(mixed_project, f"ada-{number}", ASK))
        desk.open(12)
        first = desk.ask()
        if hours:
            expire_assignments(now=first.expires_at)
        else:
            desk.send_back(first)
        gone = behind(first)[number % 5]
        desk.take(gone)
        again = desk.ask(hours=hours)
        for place, (old, new) in enumerate(zip(behind(first), behind(again), strict=True)):
            assert (old == gone) == (old != new) and (str(place) in first.known) == (str(place) in again.known)
            if str(place) in first.known:
                assert (first.known[str(place)] == again.known[str(place)]) == (old != gone)
        desk.send_back(again)


def test_a_question_that_was_answered_after_the_time_ran_out_is_not_asked_again(mixed_project: Project) -> None:
    """Work that is drawn again after it ran out is taken back no second time."""
    desk = Desk(mixed_project, worker(mixed_project, "ada", ASK))
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


def test_what_is_too_late_tells_nothing_of_its_kind(mixed_project: Project) -> None:
    late = []
    for number in range(12):
        desk = Desk(mixed_project, worker(mixed_project, f"ada-{number}", ASK))
        desk.open(12)
        first = desk.ask()
        expire_assignments(now=first.expires_at)
        Question.objects.filter(id__in=behind(first)[:2]).update(state="closed", outcome="box")
        receipt = hand_in(Assignment.objects.get(id=first.pk))
        late.append((receipt.late, receipt.taken))
        Question.objects.update(state="open", assignment=None, outcome="")
    assert set(late) == {(2, 3)}


@case("of a person", Worker.Kind.PERSON)
@case("of a program", Worker.Kind.PROGRAM)
def test_a_part_is_refused_in_words_where_the_project_does_not_ask_or_asks_no_longer(kind: Worker.Kind) -> None:
    project = project_of(MEN, settings=PARTS)
    assignment = lease(project, worker(project, "ada", kind=kind), LINK)
    change_settings(project_id=project.pk, settings=replace(PARTS, part_answers=False))
    with pytest.raises(NoPartsError, match="project does not ask what is part of what"):
        submit(assignment, "b is part of a")
    assert not Judgment.objects.exists()
    submit(assignment, "different")
