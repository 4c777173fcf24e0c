"""Mishaps between workers and platforms, and their outcome on both platforms."""

import random
import time
from types import SimpleNamespace
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client

from pipeline.models import Assignment, Judgment, LedgerEntry
from pipeline.money.amounts import in_words
from platforms.models import Offer, Payment, Session
from platforms.prolific.wire_format import allowed_minutes
from platforms.settling.compare_ledger import compare_ledger
from platforms.status import status_of
from tests.platforms.story import ADA, BEN
from tests.platforms.world import World
from workers.models import Worker
from workers.page_token import MOST_SECONDS, make_page_token

pytestmark = pytest.mark.django_db
Entry = Offer.Kind.ENTRY
State, PlatformState = Session.State, Session.PlatformState


@pytest.fixture
def offer(world: World) -> Offer:
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
    def test_a_forged_one_opens_nothing(self, world: World, offer: Offer) -> None:
        session = world.arrive(offer, ADA)
        good = world.visits[session.id]["bearer"]
        stolen = good.replace(f"{session.worker_id}.", f"{session.worker_id + 1}.", 1)
        for token in (stolen, good[:-1] + ("a" if good[-1] != "a" else "b"), "1.1", ""):
            answer = ask(token, session, world)
            assert (answer.status_code, answer.json()["code"]) == (401, "signed_out")

    @pytest.mark.both_engines
    def test_one_of_another_session_of_another_worker_is_refused(self, world: World, offer: Offer) -> None:
        first, second = world.arrive(offer, ADA), world.arrive(offer, BEN)
        answer = ask(make_page_token(second.worker_id, first.id), first, world)
        assert (answer.status_code, answer.json()["code"]) == (409, "session_over")

    def test_an_expired_token_signs_out(self, world: World, offer: Offer, monkeypatch: pytest.MonkeyPatch) -> None:
        session = world.arrive(offer, ADA)
        later = time.time() + MOST_SECONDS + 60
        monkeypatch.setattr("django.core.signing.time", SimpleNamespace(time=lambda: later))
        answer = ask(world.visits[session.id]["bearer"], session, world)
        assert (answer.status_code, answer.json()["code"]) == (401, "signed_out")

    @pytest.mark.slow
    def test_one_replayed_after_its_session_was_handed_in_gives_nothing_and_changes_nothing(
        self, world: World, offer: Offer
    ) -> None:
        session = world.does(offer, ADA)
        answer = ask(world.visits[session.id]["bearer"], session, world)
        assert (answer.status_code, answer.json()["code"]) == (409, "session_over")
        assert world.call(session, "session/finish/") == {"finished": True}
        world.settle()
        assert Payment.objects.filter(kind="approve").count() == 1


class TestPlaces:
    def test_one_that_was_given_back_goes_to_somebody_else(self, world: World, offer: Offer) -> None:
        session = world.arrive(offer, ADA)
        world.trust(ADA)
        world.works(session)
        world.side.give_back(session, ADA)
        ben = world.does(offer, BEN)
        world.settle()
        ben.refresh_from_db()
        assert (ben.state, ben.platform_state) == (State.FINISHED, PlatformState.APPROVED)
        assert Judgment.objects.filter(worker=session.worker).count() == 10, "what the first one did is not lost"

    def test_two_tabs_are_one_session(self, world: World, offer: Offer) -> None:
        session = world.arrive(offer, ADA)
        world.trust(ADA)
        page = world.visits[session.id]
        first = ask(page["bearer"], session, world).json()["assignment"]["token"]
        second = ask(page["bearer"], session, world).json()["assignment"]["token"]
        assert first == second
        world.works(session)
        late = [{"answer": 1, "seconds": 1.0}] * 10
        again = world.call(session, f"assignments/{first}/submit/", {"answers": late})
        assert again["repeated"], "the second tab's answers change nothing"
        assert Assignment.objects.count() == 1

    def test_one_that_expires_while_somebody_works_is_paid(self, world: World, offer: Offer) -> None:
        session = world.arrive(offer, ADA)
        world.trust(ADA)
        Offer.objects.filter(id=offer.id).update(expires_at=offer.created_at)
        world.round()
        offer.refresh_from_db()
        assert offer.state == Offer.State.ENDED
        world.works(session)
        world.finishes(session, ADA)
        world.settle()
        session.refresh_from_db()
        assert session.platform_state == PlatformState.APPROVED
        assert agrees(world)

    @pytest.mark.slow
    def test_a_session_that_is_forgotten_is_over_and_what_was_done_in_it_is_paid_with_the_next(
        self, world: World, offer: Offer
    ) -> None:
        lost = world.arrive(offer, ADA)
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

    def test_a_session_whose_work_is_all_here_is_paid_although_its_end_was_lost(
        self, world: World, offer: Offer
    ) -> None:
        session = world.arrive(offer, ADA)
        world.trust(ADA)
        world.works(session)
        world.side.hand_in(session, ADA)
        world.settle()
        session.refresh_from_db()
        assert (session.state, session.platform_state) == (State.FINISHED, PlatformState.APPROVED)
        assert world.side.paid() == 50

    def test_a_session_submitted_without_work_here_waits_for_the_requester(self, world: World, offer: Offer) -> None:
        session = world.arrive(offer, ADA)
        world.side.hand_in(session, ADA)
        world.settle()
        assert not Payment.objects.exists()
        session.refresh_from_db()
        assert (session.state, session.platform_state) == (State.OPEN, PlatformState.SUBMITTED)


class TestReading:
    """However often and in whatever order a platform is read, the end is the same."""

    @pytest.mark.slow
    def test_rounds_that_come_too_often_change_nothing(self, world: World, offer: Offer) -> None:
        world.does(offer, ADA, assignments=2)
        for _ in range(4):
            world.round()
        assert world.side.paid() == 100
        assert Payment.objects.count() == 2

    @pytest.mark.slow
    def test_what_is_listed_in_another_order_and_again_comes_to_the_same_end(
        self, world: World, offer: Offer, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        kind = type(world.platform)
        real, lot = kind.sessions, random.Random(7)

        def jumbled(self: Any, of: Offer) -> Any:
            rows = [*real(self, of), *real(self, of)]
            lot.shuffle(rows)
            return iter(rows)

        monkeypatch.setattr(kind, "sessions", jumbled)
        for who in (ADA, BEN):
            world.does(offer, who)
        world.settle()
        assert world.side.paid() == 100
        assert agrees(world)

    @pytest.mark.both_engines
    def test_what_the_requester_approved_on_the_platforms_own_pages_is_in_the_ledger(
        self, world: World, offer: Offer, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        session = world.does(offer, ADA)
        payment = Payment(session=session, kind=Payment.Kind.APPROVE, cents=50)
        world.platform.send_payment(payment)
        world.settle()
        assert LedgerEntry.objects.get(kind="paid").cents == 50
        assert agrees(world)

    def test_a_rejection_on_the_platform_refuses_the_pay_and_is_not_overridden(
        self, world: World, offer: Offer
    ) -> None:
        session = world.does(offer, ADA)
        world.platform.send_payment(Payment(session=session, kind=Payment.Kind.REJECT, reason="No."))
        world.settle()
        session.refresh_from_db()
        assert session.platform_state == PlatformState.REJECTED
        assert LedgerEntry.objects.get().kind == "refused"
        assert world.side.paid() == 0

    def test_the_reconcile_command_shows_that_the_books_agree(
        self, world: World, offer: Offer, capsys: pytest.CaptureFixture[str]
    ) -> None:
        world.does(offer, ADA, assignments=2)
        call_command("reconcile", world.side.name, world.project.name)
        shown = capsys.readouterr().out
        one = in_words(100, world.side.currency)
        assert f"1 workers were paid {one} on the platform; the ledger says {one}." in shown


@pytest.mark.both_engines
def test_money_that_was_paid_elsewhere_is_found(world: World, offer: Offer) -> None:
    session = world.does(offer, ADA)
    world.settle()
    Payment.objects.create(
        session=session, kind=Payment.Kind.BONUS, cents=7, reason="By hand.", created_at=session.opened_at
    )
    world.platform.send_payment(Payment.objects.get(cents=7))
    assert [(line.platform_cents, line.ledger_cents) for line in compare_ledger(world.platform, world.project.pk)] == [
        (57, 50)
    ]


def test_only_what_the_work_and_the_cap_allow_is_offered(world: World, offer: Offer) -> None:
    """60 questions are six assignments; two places of each kind are the most that the terms allow."""
    assert sum(one.places for one in world.offers(Entry)) == 2
    assert sum(one.places for one in world.offers(Offer.Kind.WORK)) == 2


def test_a_trusted_worker_finds_work_and_a_barred_one_finds_nothing(world: World, offer: Offer) -> None:
    assert world.side.finds(ADA) == {offer.external_id}
    world.does(offer, ADA)
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
