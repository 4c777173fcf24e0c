"""A platform on paper that keeps books of its own, and fails by chance."""

import random
from dataclasses import dataclass, field

from platforms.contract.errors import NothingDoneError, RefusedError, UnsureError
from platforms.contract.platform import Bonus, OfferStatus
from platforms.models import Offer, Payment, Session
from tests.platforms.paper import Paper

Kind, PlatformState = Payment.Kind, Session.PlatformState
BECOMES = {
    Kind.APPROVE: PlatformState.APPROVED,
    Kind.OVERRIDE: PlatformState.APPROVED,
    Kind.REJECT: PlatformState.REJECTED,
}
TAKES = {
    Kind.APPROVE: PlatformState.SUBMITTED,
    Kind.OVERRIDE: PlatformState.REJECTED,
    Kind.REJECT: PlatformState.SUBMITTED,
}


@dataclass
class Market(Paper):
    """`last_error`: how probably a call fails in each of the ways in which it can."""

    lot: random.Random = field(default_factory=random.Random)
    last_error: float = 0.0

    def trust(self, session: Session) -> Session.PlatformState:
        listed = self.seen.get(session.offer_id, ())
        return next(
            (one.platform_state for one in listed if one.external_id == session.external_id), PlatformState.UNKNOWN
        )

    def carry_out(self, payment: Payment) -> str:
        self._fails(UnsureError("No answer."), NothingDoneError("Busy."), RefusedError("Not now."))
        if not self.was_done(payment):
            self._do(payment)
        self._fails(UnsureError("No answer."))
        return ""

    def was_done(self, payment: Payment) -> bool:
        if payment.kind == Kind.BONUS:
            return any(one.reason == str(payment.pk) for one in self.paid)
        return self.trust(payment.session) == BECOMES[Kind(payment.kind)]

    def look(self, offer: Offer) -> OfferStatus:
        self._fails(UnsureError("No answer."))
        return super().look(offer)

    def _do(self, payment: Payment) -> None:
        session, kind = payment.session, Kind(payment.kind)
        if kind in TAKES:
            if self.trust(session) != TAKES[kind]:
                raise RefusedError("It is in another state.")
            self.lists(session, BECOMES[kind])
            return
        who = session.worker.identities.get().external_id
        self.paid.append(Bonus(session.external_id, who, payment.cents, str(payment.pk)))

    def _fails(self, *ways: Exception) -> None:
        for error in ways:
            if self.lot.random() < self.last_error:
                raise error
