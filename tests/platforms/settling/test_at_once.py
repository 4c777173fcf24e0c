"""Rounds at the same time, while people work; on PostgreSQL they really run in parallel."""

import random
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from annotation.models import Project
from pipeline.money.ledger import accounts
from platforms.contract.platform import ListedSession
from platforms.models import Offer, Payment, Session
from platforms.offers.read_offers import read_offers
from platforms.sessions.hold_session import finish_session
from platforms.settling import plan_payments as plan
from platforms.sync import Round, settle
from tests.platforms.paper import Paper
from tests.support.money import paying
from tests.support.projects import submit
from tests.support.race import Race
from tests.support.recruiting import an_offer, comes, given_in

pytestmark = [pytest.mark.both_engines, pytest.mark.django_db(transaction=True)]
PlatformState = Session.PlatformState
PEOPLE, SESSIONS, EACH = 5, 3, 10
"""Number of workers, sessions of each, and cents that an assignment of two questions pays."""


@dataclass
class Market(Paper):
    """A slow platform that pays a bonus as often as it is asked to."""

    got: Counter[str] = field(default_factory=Counter)
    lock: threading.Lock = field(default_factory=threading.Lock)
    lot: random.Random = field(default_factory=lambda: random.Random(7))

    def hand_in(self, session: Session, who: str) -> None:
        with self.lock:
            self.seen.setdefault(session.offer_id, []).append(
                ListedSession(session.external_id, who, PlatformState.SUBMITTED)
            )

    def send_payment(self, payment: Payment) -> str:
        with self.lock:
            slowness = self.lot.random() * 0.01
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

    lot = random.Random(number)

    def body() -> None:
        for number_of in range(SESSIONS):
            session = comes(offer, f"W{number}", f"A{number}x{number_of}")
            for _ in range(2):
                assignment = given_in(session, 2)
                submit(assignment, 3, 3)
                time.sleep(lot.random() * 0.02)
            finish_session(session_id=session.id, worker_id=session.worker_id)
            market.hand_in(session, f"W{number}")

    return body


def test_everybody_is_paid_exactly_what_they_earned() -> None:
    project, market = paying(4, each=PEOPLE * SESSIONS), Market()
    offer = an_offer(project, quota=2, places=100, reward_cents=EACH)
    race = Race(project)
    people = [worker_of(market, offer, number) for number in range(PEOPLE)]
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
    assert {(account.paid, account.owed, account.bonus) for account in accounts(project.pk).values()} == {
        (earned, 0, 0)
    }
    assert not Payment.objects.exclude(state="done").exists()


def one_round(market: Market, project_id: int) -> None:
    this = Round()
    read_offers(market, project_id)
    settle(market, project_id, this, now=timezone.now())
    assert not this.failures


def test_a_worker_who_earns_something_while_another_run_pays_them_is_paid_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
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
    assignment = given_in(session, 2)
    submit(assignment, 3, 3)
    Session.objects.update(state="finished", platform_state=PlatformState.APPROVED)


def meanwhile(real: Callable[..., Any], slow: int, steps: list[Callable[[], None]]) -> Callable[..., Any]:
    """Run the next step in another thread after each call of the slow one."""

    def called(*given: Any, **named: Any) -> Any:
        found = real(*given, **named)
        if threading.get_ident() == slow and steps:
            Race.run_once(Race(Project.objects.get()), steps.pop(0))
        return found

    return called
