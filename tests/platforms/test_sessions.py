"""Sessions on a platform, invitation links as a platform, and mishaps between workers and platforms."""

import random
from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.core.management import CommandError, call_command
from django.db.models import QuerySet
from django.test import Client
from django.utils import timezone

from annotation.models import Project
from pipeline.asking.lease_assignment import lease_questions
from pipeline.asking.receipt import GivenAnswer
from pipeline.asking.submit_assignment import submit_assignment
from pipeline.errors import NoAccessError, NotFinishedError, NotTrustedError, SessionOverError
from pipeline.models import Assignment, Judgment, KnownQuestion, LedgerEntry
from pipeline.protocol.tasks.task import Task
from platforms.contract import OfferCharge
from platforms.errors import UnknownVisitorError
from platforms.models import Identity, Offer, Payment, Session
from platforms.offers.read_offers import leave_overdue
from platforms.prolific.wire_format import allowed_minutes
from platforms.sessions import HeldSession, finish_session, identity_of, open_session, session_quota
from platforms.settling.compare_ledger import compare_ledger
from platforms.status import status_of
from runtime.words import money
from tests.platforms.story import ADA, BEN
from tests.platforms.world import World
from tests.support.money import ASK, paying
from tests.support.projects import submit
from tests.support.recruiting import an_offer, asks, comes, given_in
from tests.support.trusting import TEST, add_stock
from workers.models import Access, Invitation, TrustStatus, Worker
from workers.tokens import make_page_token

pytestmark = pytest.mark.django_db

State = Session.State


@pytest.fixture
def project() -> Project:
    return paying()


@pytest.fixture
def offer(project: Project) -> Offer:
    return an_offer(project)


def works(session: Session, questions: int = 2) -> Assignment:
    """Submit one assignment."""
    assignment = given_in(session, questions)
    submit(assignment, *[3] * questions)
    return assignment


def leased(session: Session, task: Task, **options: Any) -> Any:
    of = {"project_id": session.offer.project_id, "worker_id": session.worker_id, "task": task}
    return lease_questions(**of, session=HeldSession(session.id), **options)  # type: ignore[arg-type]


def test_an_assignment_belongs_to_the_session(offer: Offer) -> None:
    session = comes(offer)
    assert works(session).session_id is None  # as it was when it was made
    assert Assignment.objects.get().session == session
    assert session_quota(session.id) == (1, 1, 1)


def test_a_session_gives_no_more_than_its_quota(project: Project) -> None:
    session = comes(an_offer(project, quota=2))
    works(session)
    works(session)
    with pytest.raises(SessionOverError, match="hand it in"):
        asks(session)


def test_what_was_begun_in_another_session_goes_on_in_this_one(project: Project, offer: Offer) -> None:
    first, second = comes(offer, external_id="A1"), comes(an_offer(project), external_id="A2")
    begun = asks(first)
    assert asks(second) == begun
    assert Assignment.objects.get().session == second


def test_a_session_is_for_its_own_task(offer: Offer) -> None:
    session = comes(offer)
    Access.objects.create(worker=session.worker, project_id=offer.project_id, task=Task.BOX_DRAWING.value)
    with pytest.raises(NoAccessError, match="box or no box"):
        leased(session, Task.BOX_DRAWING)


def test_a_session_of_somebody_else_gives_nothing(offer: Offer) -> None:
    session, other = comes(offer, "W1", "A1"), comes(offer, "W2", "A2")
    session.worker_id = other.worker_id
    with pytest.raises(SessionOverError):
        asks(session)


def test_a_finished_session_gives_nothing_more(offer: Offer) -> None:
    session = comes(offer)
    works(session)
    finish_session(session_id=session.id, worker_id=session.worker_id)
    with pytest.raises(SessionOverError):
        asks(session)


def test_a_refusal_is_remembered_as_nothing_open(offer: Offer) -> None:
    session = comes(offer, trusted=False)
    with pytest.raises(NotTrustedError):  # there is no stock for a test
        asks(session)
    session.refresh_from_db()
    assert session.nothing_open


@pytest.mark.both_engines
def test_a_session_leases_ahead_only_what_it_still_needs(project: Project) -> None:
    session = comes(an_offer(project, quota=3, least=2))
    for needed in (True, False):
        current = given_in(session, 2)
        assert (leased(session, Task.BOX_REQUIREMENT, ahead_of=current.token) is not None) == needed
        submit(current, *[3] * current.size)
        session.refresh_from_db()
        assert not session.nothing_open


def finish(session: Session, **options: Any) -> Session:
    return finish_session(session_id=session.id, worker_id=session.worker_id, **options)


def test_it_is_handed_in_once(offer: Offer) -> None:
    session = comes(offer)
    works(session)
    then = timezone.now()
    assert finish(session, now=then).state == State.FINISHED
    assert finish(session, now=then + timedelta(hours=1)).finished_at == then


def test_not_before_something_was_done(offer: Offer) -> None:
    session = comes(offer)
    with pytest.raises(NotFinishedError, match="1 more assignment"):
        finish(session)
    asks(session)
    with pytest.raises(NotFinishedError):
        finish(session)


def test_where_nothing_is_left_what_was_done_is_enough(offer: Offer) -> None:
    session = comes(an_offer(Project.objects.get(), least=5, quota=5))
    works(session, questions=10)
    works(session, questions=2)
    assert asks(session) is None
    assert finish(session).state == State.FINISHED


def test_one_that_was_given_back_can_not_be_handed_in(offer: Offer) -> None:
    session = comes(offer)
    works(session)
    Session.objects.update(state=State.LEFT)
    with pytest.raises(SessionOverError):
        finish(session)


def test_nobody_hands_in_for_somebody_else(offer: Offer) -> None:
    session, other = comes(offer, "W1", "A1"), comes(offer, "W2", "A2")
    works(session)
    with pytest.raises(SessionOverError):
        finish_session(session_id=session.id, worker_id=other.worker_id)


def test_a_forgotten_session_ends_with_its_time(offer: Offer) -> None:
    session = comes(offer)
    assert leave_overdue(offer, session.ends_at + timedelta(minutes=4)) == 0
    assert leave_overdue(offer, session.ends_at + timedelta(minutes=6)) == 1
    session.refresh_from_db()
    assert session.state == State.LEFT


def test_answers_that_come_after_that_are_taken_and_owed(offer: Offer) -> None:
    session = comes(offer)
    assignment = asks(session, 2)
    Session.objects.update(state=State.LEFT)
    assert assignment is not None
    of: dict[str, Any] = {"assignment_id": assignment.token, "worker_id": session.worker_id}
    assert submit_assignment(**of, answers=[GivenAnswer(3), GivenAnswer(3)]).earned_cents > 0


def test_a_newcomer_becomes_a_worker_who_starts_with_the_test(offer: Offer) -> None:
    session = comes(offer, trusted=False)
    assert Identity.objects.get().worker == session.worker
    assert list(Access.objects.values_list("task", flat=True)) == [ASK.value]
    assert TrustStatus.objects.get().state == "invited"


def test_the_same_visit_again_is_the_same_session(offer: Offer) -> None:
    assert comes(offer) == comes(offer)
    assert Session.objects.count() == 1


def test_a_second_session_has_the_same_worker(project: Project, offer: Offer) -> None:
    assert comes(offer).worker == comes(an_offer(project), external_id="A2").worker


def test_the_same_name_on_another_platform_is_somebody_else(project: Project, offer: Offer) -> None:
    there = an_offer(project, platform="prolific")
    assert comes(offer).worker != comes(there).worker


def test_a_place_that_was_given_back_and_taken_by_another_is_theirs_alone(offer: Offer) -> None:
    first = comes(offer, "W1", "A1")
    assignment, second = asks(first), comes(offer, "W2", "A1")
    first.refresh_from_db()
    assert (first.state, second.state) == (State.LEFT, State.OPEN)
    assert second.worker != first.worker
    with pytest.raises(SessionOverError, match="given back"):
        asks(first)
    assert assignment is not None
    assert submit(assignment, *[3] * 10).stored, "what the first one did is not lost"


@pytest.mark.both_engines
def test_a_place_that_was_given_back_can_be_taken_again(offer: Offer) -> None:
    session = comes(offer)
    Session.objects.update(state=State.LEFT, platform_state="returned")
    again = comes(offer)
    assert again == session
    assert (again.state, again.platform_state) == (State.OPEN, "")


@pytest.mark.parametrize("platform_state", ["approved", "rejected"])
def test_what_was_settled_is_over(offer: Offer, platform_state: str) -> None:
    comes(offer)
    Session.objects.update(state=State.FINISHED, platform_state=platform_state)
    with pytest.raises(UnknownVisitorError, match="settled"):
        open_session(offer=offer, external_worker="W1", external_id="A1")


@pytest.mark.both_engines
def test_two_visits_at_once_become_one_worker(offer: Offer, monkeypatch: pytest.MonkeyPatch) -> None:
    """The other visit's row appears between our read and our write."""
    real = QuerySet.first

    def not_yet(rows: Any) -> Any:
        monkeypatch.setattr(QuerySet, "first", real)
        return None

    first = comes(offer)
    monkeypatch.setattr(QuerySet, "first", not_yet)
    assert identity_of("mturk", "W1").worker == first.worker
    assert Worker.objects.count() == 1


JOIN = {"username": "ada", "password1": "a long enough secret", "password2": "a long enough secret"}


@pytest.fixture
def inviting() -> Project:
    made = paying(3, each=10)
    add_stock(made, 10, TEST)
    return made


def publish(project: Project, **options: object) -> None:
    call_command("publish", project.name, "links", tasks=[ASK], entry_places=2, total_cents=100_000, **options)


def test_a_published_link_lets_people_join_until_its_places_are_taken(inviting: Project) -> None:
    publish(inviting)
    offer = Offer.objects.get()
    path = urlsplit(offer.external_id).path
    assert Client().post(path, JOIN).status_code == 302
    assert Access.objects.get().task == ASK.value
    call_command("operation", "read_platform", inviting.name, "links")
    offer.refresh_from_db()
    assert (offer.state, offer.taken) == (Offer.State.OPEN, 1)


def test_the_status_shows_the_link(inviting: Project, capsys: pytest.CaptureFixture[str]) -> None:
    publish(inviting)
    assert Offer.objects.get().external_id in capsys.readouterr().out


@pytest.mark.both_engines
def test_a_withdrawn_link_is_closed(inviting: Project) -> None:
    publish(inviting)
    call_command("withdraw", inviting.name, "links")
    assert Offer.objects.get().state == Offer.State.ENDED
    assert Client().get(urlsplit(Offer.objects.get().external_id).path).status_code == 410


def test_publishing_again_makes_no_second_link(inviting: Project) -> None:
    publish(inviting)
    publish(inviting)
    assert Invitation.objects.count() == 1


def test_a_project_without_a_test_admits_no_newcomers(inviting: Project) -> None:
    KnownQuestion.objects.all().delete()
    with pytest.raises(CommandError, match="too few test questions of box requirement"):
        publish(inviting)
    assert not Offer.objects.exists()


def test_the_cost_is_shown_without_making_anything(inviting: Project, capsys: pytest.CaptureFixture[str]) -> None:
    call_command("offer_cost", inviting.name, "links", tasks=[ASK], entry_places=2)
    assert "Without real money: up to 22 places at a time, which may cost $" in capsys.readouterr().out
    assert not Invitation.objects.exists()
    assert not Offer.objects.exists()


Entry = Offer.Kind.ENTRY
PlatformState = Session.PlatformState


@pytest.fixture
def offer_of(world: World) -> Offer:
    """An offer for newcomers with two places."""
    world.settle()
    return world.offers(Entry)[0]


def ask(token: str, session: Session, world: World) -> Any:
    path = f"/api/v1/projects/{world.project.name}/assignments/"
    headers = {"Authorization": f"Bearer {token}"}
    return Client().post(path, {"task": session.offer.task}, content_type="application/json", headers=headers)


def agrees(world: World) -> bool:
    return all(line.agrees for line in compare_ledger(world.platform, world.project.pk))


class TestTokens:
    def test_a_forged_one_opens_nothing(self, world: World, offer_of: Offer) -> None:
        session = world.arrive(offer_of, ADA)
        good = world.visits[session.id]["bearer"]
        stolen = good.replace(f"{session.worker_id}.", f"{session.worker_id + 1}.", 1)
        for token in (stolen, good[:-1] + ("a" if good[-1] != "a" else "b"), "1.1", ""):
            answer = ask(token, session, world)
            assert (answer.status_code, answer.json()["code"]) == (401, "signed_out")

    @pytest.mark.both_engines
    def test_one_of_another_session_of_another_worker_is_refused(self, world: World, offer_of: Offer) -> None:
        first, second = world.arrive(offer_of, ADA), world.arrive(offer_of, BEN)
        answer = ask(make_page_token(second.worker_id, first.id), first, world)
        assert (answer.status_code, answer.json()["code"]) == (409, "session_over")

    @pytest.mark.slow
    def test_one_replayed_after_its_session_was_handed_in_changes_nothing(self, world: World, offer_of: Offer) -> None:
        session = world.does(offer_of, ADA)
        answer = ask(world.visits[session.id]["bearer"], session, world)
        assert (answer.status_code, answer.json()["code"]) == (409, "session_over")
        assert world.call(session, "session/finish/") == {"finished": True}
        world.settle()
        assert Payment.objects.filter(kind="approve").count() == 1


class TestPlaces:
    def test_one_that_was_given_back_goes_to_somebody_else(self, world: World, offer_of: Offer) -> None:
        session = world.arrive(offer_of, ADA)
        world.trust(ADA)
        world.works(session)
        world.side.give_back(session, ADA)
        ben = world.does(offer_of, BEN)
        world.settle()
        ben.refresh_from_db()
        assert (ben.state, ben.platform_state) == (State.FINISHED, PlatformState.APPROVED)
        assert Judgment.objects.filter(worker=session.worker).count() == 10, "what the first one did is not lost"

    def test_two_tabs_are_one_session(self, world: World, offer_of: Offer) -> None:
        session = world.arrive(offer_of, ADA)
        world.trust(ADA)
        page = world.visits[session.id]
        first = ask(page["bearer"], session, world).json()["assignment"]["token"]
        assert first == ask(page["bearer"], session, world).json()["assignment"]["token"]
        world.works(session)
        again = world.call(session, f"assignments/{first}/submit/", {"answers": [{"answer": 1, "seconds": 1.0}] * 10})
        assert again["repeated"], "the second tab's answers change nothing"
        assert Assignment.objects.count() == 1

    def test_one_that_expires_while_somebody_works_is_paid(self, world: World, offer_of: Offer) -> None:
        session = world.arrive(offer_of, ADA)
        world.trust(ADA)
        Offer.objects.filter(id=offer_of.id).update(expires_at=offer_of.created_at)
        world.round()
        offer_of.refresh_from_db()
        assert offer_of.state == Offer.State.ENDED
        world.works(session)
        world.finishes(session, ADA)
        world.settle()
        session.refresh_from_db()
        assert session.platform_state == PlatformState.APPROVED
        assert agrees(world)

    @pytest.mark.slow
    def test_a_forgotten_session_is_over_and_its_work_is_paid_in_the_next(self, world: World, offer_of: Offer) -> None:
        lost = world.arrive(offer_of, ADA)
        world.trust(ADA)
        world.works(lost)
        world.move(hours=2)
        world.settle()
        lost.refresh_from_db()
        assert (lost.state, LedgerEntry.objects.count()) == (State.LEFT, 0)
        assert status_of(world.side.name, world.project.pk).stranded == {lost.worker_id: 50}
        session = world.does(world.offers(Offer.Kind.WORK)[0], ADA)
        world.settle()
        assert world.side.paid() == 100
        assert agrees(world)
        assert set(session.payments.values_list("kind", "cents")) == {("approve", 50), ("bonus", 50)}

    def test_a_session_whose_work_is_all_here_is_paid_although_its_end_was_lost(self, world: World, offer_of: Offer):
        session = world.arrive(offer_of, ADA)
        world.trust(ADA)
        world.works(session)
        world.side.hand_in(session, ADA)
        world.settle()
        session.refresh_from_db()
        assert (session.state, session.platform_state) == (State.FINISHED, PlatformState.APPROVED)
        assert world.side.paid() == 50

    def test_a_session_submitted_without_work_here_waits_for_the_requester(self, world: World, offer_of: Offer) -> None:
        session = world.arrive(offer_of, ADA)
        world.side.hand_in(session, ADA)
        world.settle()
        assert not Payment.objects.exists()
        session.refresh_from_db()
        assert (session.state, session.platform_state) == (State.OPEN, PlatformState.SUBMITTED)


class TestReading:
    """However often and in whatever order a platform is read, the end is the same."""

    @pytest.mark.slow
    def test_rounds_that_come_too_often_change_nothing(self, world: World, offer_of: Offer) -> None:
        world.does(offer_of, ADA, assignments=2)
        for _ in range(4):
            world.round()
        assert world.side.paid() == 100
        assert Payment.objects.count() == 2

    @pytest.mark.slow
    def test_what_is_listed_in_another_order_and_again_comes_to_the_same_end(
        self, world: World, offer_of: Offer, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        kind = type(world.platform)
        real, rng = kind.sessions, random.Random(7)

        def jumbled(self: Any, of: Offer) -> Any:
            rows = [*real(self, of), *real(self, of)]
            rng.shuffle(rows)
            return iter(rows)

        monkeypatch.setattr(kind, "sessions", jumbled)
        for who in (ADA, BEN):
            world.does(offer_of, who)
        world.settle()
        assert world.side.paid() == 100
        assert agrees(world)

    @pytest.mark.both_engines
    def test_what_the_requester_approved_on_the_platforms_own_pages_is_in_the_ledger(
        self, world: World, offer_of: Offer, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        world.platform.send_payment(Payment(session=world.does(offer_of, ADA), kind=Payment.Kind.APPROVE, cents=50))
        world.settle()
        assert LedgerEntry.objects.get(kind="paid").cents == 50
        assert agrees(world)

    def test_a_rejection_on_the_platform_refuses_the_pay_and_is_not_overridden(self, world: World, offer_of: Offer):
        session = world.does(offer_of, ADA)
        world.platform.send_payment(Payment(session=session, kind=Payment.Kind.REJECT, reason="No."))
        world.settle()
        session.refresh_from_db()
        assert session.platform_state == PlatformState.REJECTED
        assert LedgerEntry.objects.get().kind == "refused"
        assert world.side.paid() == 0

    def test_the_reconcile_command_shows_that_the_books_agree(self, world: World, offer_of: Offer, capsys: Any):
        world.does(offer_of, ADA, assignments=2)
        world.settle()
        call_command("reconcile", world.project.name, world.side.name)
        shown, one = capsys.readouterr().out, money(100, world.side.currency)
        assert f"1 workers were paid {one} on the platform; the ledger says {one}." in shown
        charged = f"The platform charged {one} for them, and {money(50, world.side.currency)} of fees and tax."
        assert (charged in shown) == (world.side.name == "prolific")

    def test_the_reconcile_command_fails_if_the_platform_charged_something_else(
        self, world: World, offer_of: Offer, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        cost = OfferCharge(paid=1, fees=0)
        monkeypatch.setattr("projects.recruiting.operations.project_cost", lambda *_: cost)
        with pytest.raises(CommandError, match="differ"):
            call_command("reconcile", world.project.name, world.side.name)


@pytest.mark.both_engines
def test_money_that_was_paid_elsewhere_is_found(world: World, offer_of: Offer) -> None:
    session = world.does(offer_of, ADA)
    world.settle()
    by_hand = {"kind": Payment.Kind.BONUS, "cents": 7, "reason": "By hand."}
    Payment.objects.create(session=session, created_at=session.opened_at, **by_hand)
    world.platform.send_payment(Payment.objects.get(cents=7))
    (line,) = compare_ledger(world.platform, world.project.pk)
    assert (line.platform_cents, line.ledger_cents) == (57, 50)


def test_only_what_the_work_and_the_cap_allow_is_offered(world: World, offer_of: Offer) -> None:
    """60 questions are six assignments; two places of each kind are the most that the terms allow."""
    assert sum(one.places for one in world.offers(Entry)) == 2
    assert sum(one.places for one in world.offers(Offer.Kind.WORK)) == 2


def test_a_trusted_worker_finds_work_and_a_barred_one_finds_nothing(world: World, offer_of: Offer) -> None:
    assert world.side.finds(ADA) == {offer_of.external_id}
    world.does(offer_of, ADA)
    world.settle()
    assert world.side.finds(ADA) == {one.external_id for one in world.offers(Offer.Kind.WORK)}
    Worker.objects.get().trust_statuses.update(state="barred")
    world.settle()
    assert world.side.finds(ADA) == set()


def test_a_session_lasts_as_long_as_the_platform_lets_it(world: World) -> None:
    """Prolific allows at least a certain time, whatever we ask for."""
    world.settle()
    offer = world.offers(Offer.Kind.ENTRY)[0]
    Offer.objects.update(seconds=300)
    offer.refresh_from_db()
    session = world.arrive(offer, "A1ADAADAADAADA")
    given = (session.ends_at - session.opened_at).total_seconds()
    assert given == {"mturk": 300, "prolific": 60 * allowed_minutes(offer)}[world.side.name]
    assert world.side.name == "mturk" or given > 300
