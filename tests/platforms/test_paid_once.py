"""Nobody is paid twice and nothing earned is forgotten, whenever and beside whatever a round runs."""

import random
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from annotation.models import Project
from pipeline.models import Assignment
from pipeline.money.ledger import account_of, accounts
from pipeline.money.refuse_pay import refuse_pay, restore_pay
from platforms.contract import ListedSession
from platforms.errors import NothingDoneError, RefusedError, UnsureError
from platforms.models import Offer, Payment, Session
from platforms.offers.read_offers import read_offers
from platforms.offers.send_offers import send_offers
from platforms.sessions import finish_session
from platforms.settling import plan_payments as plan
from platforms.settling.plan_payments import plan_payments
from platforms.settling.send_payments import mark_done, send_payment, send_payments
from platforms.settling.settle_by_hand import CannotSettleError, retry_payment
from platforms.sync import Round, settle
from runtime import clock
from tests.platforms.paper import Paper, hands_in, serves, works
from tests.support.money import REWARD, paying
from tests.support.projects import submit
from tests.support.race import Race
from tests.support.recruiting import an_offer, comes, given_in

pytestmark = [pytest.mark.both_engines, pytest.mark.django_db]

PlatformState = Session.PlatformState


def round_of(paper: Paper, offer: Offer, **later: float) -> Round:
    """Read and settle, as a round does."""
    this = Round()
    with pytest.MonkeyPatch.context() as patch:
        now = clock.now() + timedelta(**later)
        patch.setattr(clock, "now", lambda: now)
        this.failures += read_offers(paper, offer.project_id, now=now)
        settle(paper, offer.project_id, this, now=now)
    return this


def settled(paper: Paper, offer: Offer) -> Session:
    """A worker's first session, approved and paid."""
    session = serves(paper, offer)
    round_of(paper, offer)
    paper.lists(session, PlatformState.APPROVED)
    assert paper.sent == [("approve", "A1", REWARD)]
    return session


def paid(paper: Paper) -> int:
    return sum(cents for _, _, cents in paper.sent)


class TestAtWork:
    def test_what_an_open_session_earned_is_not_paid_by_a_bonus_meanwhile(self, offer: Offer, paper: Paper) -> None:
        settled(paper, offer)
        second = comes(offer, "W1", "A2")
        works(second)
        round_of(paper, offer)
        hands_in(paper, second)
        round_of(paper, offer)
        assert paid(paper) == 2 * REWARD
        assert account_of(second.worker_id, offer.project_id).bonus == 0

    def test_a_session_that_waits_for_the_requester_gets_no_bonus_before(self, project: Project, paper: Paper) -> None:
        offer = an_offer(project, quota=3, terms={"approve_hours": 24})
        session = comes(offer)
        first, second = works(session, 2)
        hands_in(paper, session)
        round_of(paper, offer)
        assert paper.sent == []
        for one in (first, second):
            refuse_pay(assignment_id=one.id, reason="one button", actor="ada")
        round_of(paper, offer, hours=25)
        assert [kind for kind, *_ in paper.sent] == ["reject"]

    def test_after_its_wait_it_gets_both(self, project: Project, paper: Paper) -> None:
        offer = an_offer(project, quota=3, terms={"approve_hours": 24})
        serves(paper, offer, 2)
        round_of(paper, offer, hours=25)
        assert paper.sent == [("bonus", "A1", REWARD), ("approve", "A1", REWARD)]


class TestTheLedger:
    def test_has_one_reward_of_a_session_whichever_decision_paid_it(self, offer: Offer, paper: Paper) -> None:
        session = settled(paper, offer)
        kinds = (Payment.Kind.APPROVE, Payment.Kind.OVERRIDE)
        again = [
            Payment.objects.create(session=session, kind=kind, cents=REWARD, created_at=clock.now()) for kind in kinds
        ]
        for one in (*again, *again):
            mark_done(one.pk)
        assert account_of(session.worker_id, offer.project_id).paid == REWARD


class TestOutages:
    def test_a_session_is_not_given_up_while_the_platform_can_not_be_read(
        self, offer: Offer, paper: Paper, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        serves(paper, offer)
        Session.objects.update(state="open", finished_at=None)  # the request that hands it in was lost
        down = UnsureError("503")
        with monkeypatch.context() as patch:
            patch.setattr(Paper, "offer_status", lambda *_: (_ for _ in ()).throw(down))
            round_of(paper, offer, hours=3)
        Offer.objects.update(state="ended")
        round_of(paper, offer, hours=3)
        assert paper.sent == [("approve", "A1", REWARD)]

    def test_a_session_submitted_while_we_were_off_for_days_is_found(self, offer: Offer, paper: Paper) -> None:
        serves(paper, offer)
        Offer.objects.update(state="ended")
        round_of(paper, offer, days=20)
        assert paper.sent == [("approve", "A1", REWARD)]

    def test_a_session_listed_late_is_found_although_its_offer_has_ended(self, offer: Offer, paper: Paper) -> None:
        session = comes(offer)
        works(session)
        Offer.objects.update(state="ended")
        round_of(paper, offer, minutes=70)
        session.refresh_from_db()
        assert session.state == Session.State.LEFT
        paper.lists(session, PlatformState.SUBMITTED)
        round_of(paper, offer, minutes=75)
        assert paper.sent == [("approve", "A1", REWARD)]

    def test_a_session_that_is_never_listed_is_not_read_for_ever(self, offer: Offer, paper: Paper, monkeypatch: Any):
        session = comes(offer)
        works(session)
        finish_session(session_id=session.id, worker_id=session.worker_id)
        Offer.objects.update(state="ended")
        round_of(paper, offer, days=3)
        monkeypatch.setattr(Paper, "offer_status", lambda *_: pytest.fail("it was read again"))
        round_of(paper, offer, days=3)

    def test_sessions_of_another_platform_are_not_given_up_unread(self, project: Project, offer: Offer, paper: Paper):
        elsewhere = comes(an_offer(project, platform="prolific"), "P1", "S1")
        round_of(paper, offer, days=3)
        elsewhere.refresh_from_db()
        assert elsewhere.state == Session.State.OPEN


class TestChangesOfMind:
    """A payment can wait for days, because the account is empty or the platform does not answer."""

    def unsent(self, paper: Paper, offer: Offer, assignments: int = 1) -> tuple[Session, list[Assignment]]:
        session = comes(offer)
        done = works(session, assignments)
        hands_in(paper, session)
        paper.refuses = NothingDoneError("no money")
        round_of(paper, offer)
        paper.refuses = None
        assert set(Payment.objects.values_list("state", flat=True)) == {"planned"}
        return session, done

    def carried(self, paper: Paper, offer: Offer) -> Session:
        """A session whose approval the platform refused, and whose pay was sent as a bonus."""
        session = serves(paper, offer)
        paper.refuses = RefusedError("not now")
        read_offers(paper, offer.project_id)
        plan_payments(paper.name, offer.project_id)
        send_payments(paper, offer.project_id)
        paper.refuses = None
        round_of(paper, offer)
        assert paper.sent == [("bonus", "A1", REWARD)]
        return session

    def test_a_session_refused_meanwhile_is_not_approved(self, offer: Offer, paper: Paper) -> None:
        _, (assignment,) = self.unsent(paper, offer)
        refuse_pay(assignment_id=assignment.id, reason="one button", actor="ada")
        round_of(paper, offer)
        assert [kind for kind, *_ in paper.sent] == ["reject"]

    def test_a_bonus_is_cut_by_what_was_refused_meanwhile(self, offer: Offer, paper: Paper) -> None:
        session, (_, assignment) = self.unsent(paper, offer, 2)
        refuse_pay(assignment_id=assignment.id, reason="one button", actor="ada", cents=30)
        round_of(paper, offer)
        assert sorted(paper.sent) == [("approve", "A1", REWARD), ("bonus", "A1", 20)]
        assert account_of(session.worker_id, offer.project_id).owed == 0

    def test_a_rejection_that_was_not_sent_yet_is_taken_back(self, offer: Offer, paper: Paper) -> None:
        session = comes(offer)
        (assignment,) = works(session)
        hands_in(paper, session)
        refuse_pay(assignment_id=assignment.id, reason="one button", actor="ada")
        paper.refuses = NothingDoneError("no answer")
        round_of(paper, offer)
        paper.refuses = None
        restore_pay(assignment_id=assignment.id, reason="they were right", actor="ada")
        round_of(paper, offer)
        assert paper.sent == [("approve", "A1", REWARD)]

    def test_a_refused_bonus_in_place_of_a_refused_approval_can_be_sent_again(self, offer: Offer, paper: Paper) -> None:
        serves(paper, offer)
        paper.refuses = RefusedError("not now")
        round_of(paper, offer)
        round_of(paper, offer)
        paper.refuses = None
        assert set(Payment.objects.values_list("kind", "state")) == {("approve", "refused"), ("bonus", "refused")}
        retry_payment(Payment.objects.get(kind="bonus").id)
        round_of(paper, offer)
        assert paper.sent == [("bonus", "A1", REWARD)]

    def test_a_rejection_on_the_platform_is_not_overridden_for_pay_that_a_bonus_carried(
        self, offer: Offer, paper: Paper, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        session, real = serves(paper, offer, 2), Paper.send_payment

        def bonuses_only(self: Paper, payment: Payment) -> str:
            if payment.kind != "bonus":
                raise NothingDoneError("not yet")
            return real(self, payment)

        with monkeypatch.context() as patch:
            patch.setattr(Paper, "send_payment", bonuses_only)
            round_of(paper, offer)
        paper.lists(session, PlatformState.REJECTED)
        round_of(paper, offer)
        assert paper.sent == [("bonus", "A1", REWARD)]
        assert account_of(session.worker_id, offer.project_id).owed == 0

    @pytest.mark.parametrize("is_in", [True, False], ids=["handed in", "at work"])
    def test_what_a_bonus_has_paid_is_not_overridden_with_the_money_of_later_work(
        self, offer: Offer, paper: Paper, *, is_in: bool
    ) -> None:
        paper.lists(self.carried(paper, offer), PlatformState.REJECTED)
        second = comes(offer, "W1", "A2")
        works(second)
        if is_in:
            hands_in(paper, second)
        round_of(paper, offer)
        if not is_in:
            hands_in(paper, second)
            round_of(paper, offer)
        assert paper.sent == [("bonus", "A1", REWARD), ("approve", "A2", REWARD)]
        assert account_of(second.worker_id, offer.project_id).bonus == 0

    def test_an_approval_that_a_bonus_replaced_is_not_retried_with_later_pay(self, offer: Offer, paper: Paper) -> None:
        self.carried(paper, offer)
        works(comes(offer, "W1", "A2"))
        with pytest.raises(CannotSettleError, match="bonus"):
            retry_payment(Payment.objects.get(kind="approve").id)

    def test_a_refusal_taken_back_is_overridden_beside_work_that_waits(self, offer: Offer, paper: Paper) -> None:
        first = comes(offer)
        (assignment,) = works(first)
        hands_in(paper, first)
        refuse_pay(assignment_id=assignment.id, reason="one button", actor="ada")
        round_of(paper, offer)
        paper.lists(first, PlatformState.REJECTED)
        restore_pay(assignment_id=assignment.id, reason="they were right", actor="ada")
        second = comes(offer, "W1", "A2")
        works(second)
        hands_in(paper, second)
        round_of(paper, offer)
        assert sorted(paper.sent[1:]) == [("approve", "A2", REWARD), ("override", "A1", REWARD)]
        assert account_of(first.worker_id, offer.project_id).bonus == 0


class TestClaims:
    """Rounds take long. A row that another run is sending is not sent again, however long ago the round started."""

    def test_of_payments(self, offer: Offer, paper: Paper, monkeypatch: pytest.MonkeyPatch) -> None:
        serves(paper, offer)
        read_offers(paper, offer.project_id)
        plan_payments(paper.name, offer.project_id)
        long_ago = timezone.now() - timedelta(hours=1)
        asked = []

        def another_run_meanwhile(self: Paper, payment: Payment) -> str:
            asked.append(send_payment(self, Payment.objects.select_related("session__offer").get(id=payment.id)))
            return ""

        monkeypatch.setattr(Paper, "send_payment", another_run_meanwhile)
        monkeypatch.setattr(Paper, "was_done", lambda *_: pytest.fail("it is being sent at this moment"))
        settle(paper, offer.project_id, Round(), now=long_ago)
        assert asked == [False]

    def test_of_offers(self, offer: Offer, paper: Paper, monkeypatch: pytest.MonkeyPatch) -> None:
        Offer.objects.update(state="planned", external_id="")
        made = []

        def another_run_meanwhile(self: Paper, one: Offer) -> Any:
            made.append(one.pk)
            assert len(made) == 1, "two runs make the same offer at once"
            send_offers(self, one.project_id)
            raise UnsureError("no answer")

        monkeypatch.setattr(Paper, "publish", another_run_meanwhile)
        send_offers(paper, offer.project_id)
        assert made == [offer.pk]


def test_an_offer_that_is_to_end_and_was_refused_is_over(offer: Offer, paper: Paper, monkeypatch: pytest.MonkeyPatch):
    """The offer may have existed; the refusal says that it does not."""
    Offer.objects.update(state="ending", external_id="", tries=1)
    monkeypatch.setattr(Paper, "publish", lambda *_: (_ for _ in ()).throw(RefusedError("no such type")))
    send_offers(paper, offer.project_id)
    offer.refresh_from_db()
    assert (offer.state, offer.last_error) == ("ended", "no such type")


PEOPLE, SESSIONS, EACH = 5, 3, 10
"""Number of workers, sessions of each, and cents that an assignment of two questions pays."""


@dataclass
class Market(Paper):
    """A slow platform that pays a bonus as often as it is asked to."""

    got: Counter[str] = field(default_factory=Counter)
    lock: threading.Lock = field(default_factory=threading.Lock)
    rng: random.Random = field(default_factory=lambda: random.Random(7))

    def hand_in(self, session: Session, who: str) -> None:
        with self.lock:
            self.seen.setdefault(session.offer_id, []).append(
                ListedSession(session.external_id, who, PlatformState.SUBMITTED)
            )

    def send_payment(self, payment: Payment) -> str:
        with self.lock:
            slowness = self.rng.random() * 0.01
        time.sleep(slowness)
        who = payment.session.worker.identities.get().external_id
        with self.lock:
            if payment.kind == "bonus":
                self.got[who] += payment.cents
            else:
                self._approve(payment.session, who)
        return ""

    def sessions(self, offer: Offer) -> Iterator[ListedSession]:
        with self.lock:
            return iter(list(self.seen.get(offer.pk, ())))

    def _approve(self, session: Session, who: str) -> None:
        before, after = (
            ListedSession(session.external_id, who, there)
            for there in (PlatformState.SUBMITTED, PlatformState.APPROVED)
        )
        listed = self.seen[session.offer_id]
        if before in listed:
            listed[listed.index(before)] = after
            self.got[who] += session.offer.reward_cents


def worker_of(market: Market, offer: Offer, number: int) -> Callable[[], None]:
    """Do one session after another, each with one assignment more than its reward pays."""

    rng = random.Random(number)

    def body() -> None:
        for number_of in range(SESSIONS):
            session = comes(offer, f"W{number}", f"A{number}x{number_of}")
            for _ in range(2):
                submit(given_in(session, 2), 3, 3)
                time.sleep(rng.random() * 0.02)
            finish_session(session_id=session.id, worker_id=session.worker_id)
            market.hand_in(session, f"W{number}")

    return body


@pytest.mark.django_db(transaction=True)
@pytest.mark.slow
@pytest.mark.smoke
def test_everybody_is_paid_exactly_what_they_earned() -> None:
    project, market = paying(4, each=PEOPLE * SESSIONS), Market()
    offer = an_offer(project, quota=2, places=100, reward_cents=EACH)
    race, people = Race(project), [worker_of(market, offer, number) for number in range(PEOPLE)]
    over = threading.Event()

    def rounds() -> None:
        while not over.is_set():
            one_round(market, project.pk)

    def work() -> None:
        try:
            Race(project).run_once(*people)
        finally:
            over.set()

    race.run_once(rounds, rounds, rounds, work)
    one_round(market, project.pk)
    one_round(market, project.pk)
    earned = SESSIONS * 2 * EACH
    assert market.got == {f"W{number}": earned for number in range(PEOPLE)}
    assert {(one.paid, one.owed, one.bonus) for one in accounts(project.pk).values()} == {(earned, 0, 0)}
    assert not Payment.objects.exclude(state="done").exists()


def one_round(market: Market, project_id: int) -> None:
    this = Round()
    read_offers(market, project_id)
    settle(market, project_id, this, now=timezone.now())
    assert not this.failures


@pytest.mark.django_db(transaction=True)
@pytest.mark.smoke
def test_a_worker_who_earns_something_while_another_run_pays_them_is_paid_once(monkeypatch: pytest.MonkeyPatch):
    """The slow run has read what is owed before the quick one pays it, and must not plan it too."""
    if connection.vendor != "postgresql":
        pytest.skip("SQLite has one writer at a time")
    project, market = paying(12), Market()
    session = comes(an_offer(project, quota=2, places=100, reward_cents=EACH), "W0", "A0")
    slow = threading.get_ident()
    steps: list[Callable[[], None]] = [partial(earns, session), partial(one_round, market, project.pk)]
    for name in ("accounts", "session_facts"):
        monkeypatch.setattr(plan, name, meanwhile(getattr(plan, name), slow, steps))
    plan.plan_payments(market.name, project.pk)
    assert not steps
    one_round(market, project.pk)
    assert market.got["W0"] == EACH


def earns(session: Session) -> None:
    """Earn something in a session that is settled already, so that a bonus pays it."""
    submit(given_in(session, 2), 3, 3)
    Session.objects.update(state="finished", platform_state=PlatformState.APPROVED)


def meanwhile(real: Callable[..., Any], slow: int, steps: list[Callable[[], None]]) -> Callable[..., Any]:
    """Run the next step in another thread after each call of the slow one."""

    def called(*given: Any, **named: Any) -> Any:
        found = real(*given, **named)
        if threading.get_ident() == slow and steps:
            Race.run_once(Race(Project.objects.get()), steps.pop(0))
        return found

    return called
