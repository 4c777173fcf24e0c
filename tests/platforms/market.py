"""A platform on paper that keeps books of its own, and fails by chance."""

import random
from dataclasses import dataclass, field

from platforms.errors import NothingDoneError, RefusedError, UnsureError
from platforms.platform import Bonus, Standing
from tests.platforms.paper import Paper
from workers.models import Movement, Offer, Session

Kind, There = Movement.Kind, Session.There
BECOMES = {Kind.APPROVE: There.APPROVED, Kind.OVERRIDE: There.APPROVED, Kind.REJECT: There.REJECTED}
TAKES = {Kind.APPROVE: There.SUBMITTED, Kind.OVERRIDE: There.REJECTED, Kind.REJECT: There.SUBMITTED}


@dataclass
class Market(Paper):
    """`trouble`: how probably a call fails in each of the ways in which it can."""

    lot: random.Random = field(default_factory=random.Random)
    trouble: float = 0.0

    def standing(self, session: Session) -> Session.There:
        listed = self.seen.get(session.offer_id, ())
        return next((one.there for one in listed if one.external_id == session.external_id), There.UNKNOWN)

    def carry_out(self, movement: Movement) -> str:
        self._fails(UnsureError("No answer."), NothingDoneError("Busy."), RefusedError("Not now."))
        if not self.was_done(movement):
            self._do(movement)
        self._fails(UnsureError("No answer."))
        return ""

    def was_done(self, movement: Movement) -> bool:
        if movement.kind == Kind.BONUS:
            return any(one.reason == str(movement.pk) for one in self.paid)
        return self.standing(movement.session) == BECOMES[Kind(movement.kind)]

    def look(self, offer: Offer) -> Standing:
        self._fails(UnsureError("No answer."))
        return super().look(offer)

    def _do(self, movement: Movement) -> None:
        session, kind = movement.session, Kind(movement.kind)
        if kind in TAKES:
            if self.standing(session) != TAKES[kind]:
                raise RefusedError("It is in another state.")
            self.lists(session, BECOMES[kind])
            return
        who = session.worker.identities.get().external_id
        self.paid.append(Bonus(session.external_id, who, movement.cents, str(movement.pk)))

    def _fails(self, *ways: Exception) -> None:
        for error in ways:
            if self.lot.random() < self.trouble:
                raise error
