"""A paper platform that keeps its own books, and fails at random."""

import random
from dataclasses import dataclass, field

from platforms.contract.errors import NothingDoneError, RefusedError, UnsureError
from platforms.contract.platform import Bonus, OfferStatus
from platforms.models import Offer, Payment, Session
from tests.platforms.paper import Paper

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
