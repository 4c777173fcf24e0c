"""Random stories: in whatever order things happen, the books agree in the end, and everybody is paid once.

`CHAINBOX_STORIES=1000` runs so many stories instead of a few. A failing story is named by its number.
"""

import os
import random
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TypeVar

import pytest
from django.db.models import Model, QuerySet

from annotation.models import Project
from pipeline.errors import PipelineError
from pipeline.models import Assignment, LedgerEntry
from pipeline.money.ledger import accounts, unpaid_of
from pipeline.money.refuse_pay import refuse_pay, restore_pay
from pipeline.rules.settings.table_3 import BATCH
from platforms.contract.errors import NothingDoneError, RefusedError, UnsureError
from platforms.contract.platform import Bonus, OfferStatus
from platforms.models import Offer, Payment, Session
from platforms.offers.read_offers import read_offers
from platforms.sessions.hold_session import finish_session
from platforms.settling.compare_ledger import compare_ledger
from platforms.settling.settle_by_hand import CannotSettleError, decide_unknown, retry_payment
from platforms.status import status_of
from platforms.sync import Round, settle
from tests.platforms.paper import Paper
from tests.support.money import paying
from tests.support.projects import submit
from tests.support.recruiting import an_offer, asks, comes
from upkeep import clock

Kind, PlatformState = Payment.Kind, Session.PlatformState
STATE_AFTER = {
    Kind.APPROVE: PlatformState.APPROVED,
    Kind.OVERRIDE: PlatformState.APPROVED,
    Kind.REJECT: PlatformState.REJECTED,
}
STATE_BEFORE = {
    Kind.APPROVE: PlatformState.SUBMITTED,
    Kind.OVERRIDE: PlatformState.REJECTED,
    Kind.REJECT: PlatformState.SUBMITTED,
}


@dataclass
class Market(Paper):
    """`failure_rate`: probability of each way in which a call can fail."""

    lot: random.Random = field(default_factory=random.Random)
    failure_rate: float = 0.0

    def state_of(self, session: Session) -> Session.PlatformState:
        listed = self.seen.get(session.offer_id, ())
        return next(
            (one.platform_state for one in listed if one.external_id == session.external_id), PlatformState.UNKNOWN
        )

    def send_payment(self, payment: Payment) -> str:
        self._fails(UnsureError("No answer."), NothingDoneError("Busy."), RefusedError("Not now."))
        if not self.was_done(payment):
            self._do(payment)
        self._fails(UnsureError("No answer."))
        return ""

    def was_done(self, payment: Payment) -> bool:
        if payment.kind == Kind.BONUS:
            return any(one.reason == str(payment.pk) for one in self.paid)
        return self.state_of(payment.session) == STATE_AFTER[Kind(payment.kind)]

    def offer_status(self, offer: Offer) -> OfferStatus:
        self._fails(UnsureError("No answer."))
        return super().offer_status(offer)

    def _do(self, payment: Payment) -> None:
        session, kind = payment.session, Kind(payment.kind)
        if kind in STATE_BEFORE:
            if self.state_of(session) != STATE_BEFORE[kind]:
                raise RefusedError("It is in another state.")
            self.lists(session, STATE_AFTER[kind])
            return
        who = session.worker.identities.get().external_id
        self.paid.append(Bonus(session.external_id, who, payment.cents, str(payment.pk)))

    def _fails(self, *ways: Exception) -> None:
        for error in ways:
            if self.lot.random() < self.failure_rate:
                raise error


pytestmark = pytest.mark.django_db
FEW = (0, 1, 2, 3, 50, 63)
"""Stories 50 and 63 once approved a session after all that a bonus had paid, with the money of later work."""
MANY = int(os.environ.get("CHAINBOX_STORIES", "0"))
STEPS = 40
Row = TypeVar("Row", bound=Model)


@dataclass
class Story:
    project: Project
    lot: random.Random
    ahead: timedelta = field(default_factory=timedelta)

    def __post_init__(self) -> None:
        self.market = Market(lot=self.lot)
        self.offers = [an_offer(self.project, quota=2, places=99) for _ in range(2)]

    # --- Workers ---

    def comes(self) -> None:
        who, number = self.lot.choice(["W1", "W2"]), Session.objects.count()
        self.works(comes(self.lot.choice(self.offers), who, f"A{number}"))

    def works(self, session: Session | None = None) -> None:
        if session := session or self.session(state="open"):
            with suppress(PipelineError):
                if assignment := asks(session):
                    submit(assignment, *[3] * assignment.size)

    def finishes(self) -> None:
        if session := self.session(state="open"):
            with suppress(PipelineError):
                finish_session(session_id=session.id, worker_id=session.worker_id)
                self.market.lists(session, PlatformState.SUBMITTED)

    # --- The requester ---

    def refuses(self) -> None:
        if (assignment := self.assignment()) and (cents := unpaid_of(assignment)):
            refuse_pay(assignment_id=assignment.id, reason="one button", actor="ada", cents=cents)

    def restores(self) -> None:
        if assignment := self.assignment():
            with suppress(PipelineError):
                restore_pay(assignment_id=assignment.id, reason="they were right", actor="ada")

    def rejects_there(self) -> None:
        session = self.session()
        if session and self.market.state_of(session) == PlatformState.SUBMITTED:
            self.market.lists(session, PlatformState.REJECTED)

    def mends(self) -> None:
        for payment in Payment.objects.filter(state__in=["refused", "sent"]):
            with suppress(CannotSettleError):
                if payment.state == "refused":
                    retry_payment(payment.id)
                else:
                    decide_unknown(payment.id, done=self.market.was_done(payment))

    # --- Time and rounds ---

    def waits(self) -> None:
        self.ahead += timedelta(hours=self.lot.choice([0.2, 3, 25]))

    def round(self, failure_rate: float = 0.25) -> None:
        self.market.failure_rate = failure_rate
        read_offers(self.market, self.project.pk)
        settle(self.market, self.project.pk, Round(), now=clock.now())

    def tell(self) -> None:
        steps: list[Callable[[], None]] = [self.comes, self.works, self.finishes, self.refuses, self.restores]
        steps += [self.rejects_there, self.mends, self.waits, self.round]
        for step in self.lot.choices(steps, [4, 2, 4, 1, 2, 1, 2, 2, 6], k=STEPS):
            step()
        for _ in range(8):  # the dust settles
            self.ahead += timedelta(hours=13)
            self.mends()
            self.round(failure_rate=0)

    # --- Picking ---

    def session(self, **those: str) -> Session | None:
        return self.pick(Session.objects.filter(**those).order_by("id"))

    def assignment(self) -> Assignment | None:
        return self.pick(Assignment.objects.filter(state="submitted").order_by("id"))

    def pick(self, rows: QuerySet[Row]) -> Row | None:
        return self.lot.choice(list(rows)) if rows else None


def open_ends(story: Story) -> dict[int, int]:
    """Return cents that are owed by worker id, and are neither stranded nor part of a refused payment."""
    stranded = status_of(story.market.name, story.project.pk).stranded
    refused = set(Payment.objects.filter(state="refused").values_list("session__worker", flat=True))
    found = {worker: account.owed - stranded.get(worker, 0) for worker, account in accounts(story.project.pk).items()}
    return {worker: cents for worker, cents in found.items() if cents and worker not in refused}


@pytest.mark.slow
@pytest.mark.parametrize("number", range(MANY) if MANY else FEW)
@pytest.mark.both_engines
def test_in_the_end_the_books_agree_and_everybody_has_what_they_earned(
    number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    story, real = Story(paying(2, each=20, batch=dict.fromkeys(BATCH, 1)), random.Random(number)), clock.now
    monkeypatch.setattr(clock, "now", lambda: real() + story.ahead)
    story.tell()
    assert all(line.agrees for line in compare_ledger(story.market, story.project.pk))
    assert open_ends(story) == {}
    refused = LedgerEntry.objects.filter(kind="refused").values("worker")
    beyond = LedgerEntry.objects.filter(kind="bonus").exclude(worker__in=refused)
    assert not beyond.exists(), "each session earned its reward: nothing is paid beyond it"
