"""What every platform can do for us. An adapter knows its platform's protocol and nothing of projects or questions.

Adapters write no rows but `Counterpart`: what is decided and written down is the business of the verbs that call them.
Every call may raise UnsureError (nobody knows whether it took effect) or RefusedError (it did not, and will not); no
call is repeated inside an adapter unless repeating it is harmless.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple, Protocol

from platforms.models import Offer, Payment, Session


@dataclass(frozen=True, slots=True)
class Marketplace:
    """Where an offer is and what it costs, before it is made."""

    currency: str
    """The platform's; the project's must be the same. Empty: any."""
    fee_percent: float
    """About; what the platform takes on top of what workers get."""
    live: bool
    """Real money moves."""
    most_places: dict[str, int]
    """That one offer may have, by its kind."""


class Published(NamedTuple):
    """An offer as the platform took it."""

    external_id: str
    expires_at: datetime | None = None
    """None: as it was asked for."""


class OfferStatus(NamedTuple):
    """An offer as the platform sees it now."""

    open: bool
    """Workers can still take a place."""
    taken: int
    """Places that are taken or done."""


class Seen(NamedTuple):
    """One worker's facts as the platform lists it. Sessions that it does not list are under way, or never were."""

    external_id: str
    external_worker: str
    platform_state: Session.PlatformState
    at: datetime | None = None
    """When the worker handed it in."""


class Bonus(NamedTuple):
    """A bonus as the platform lists it."""

    external_id: str
    """Of the session that it was attached to."""
    external_worker: str
    cents: int
    reason: str = ""
    """Empty where the platform does not say."""


class Platform(Protocol):
    """One marketplace."""

    @property
    def name(self) -> str:
        """How rows name it."""

    def place(self) -> Marketplace:
        """Costs no call, or one."""

    def balance_cents(self) -> int | None:
        """What is there to be spent, without what open offers promise; None: the platform does not say."""

    def publish(self, offer: Offer) -> Published:
        """Make the offer, or find that it is made: the same `offer.key` is never made twice, however long ago, and
        however often (`offer.tries` > 0: it may be there already). Workers can take places from now on."""

    def withdraw(self, offer: Offer) -> None:
        """Nobody can take a place from now on; who has one keeps it. Again it changes nothing."""

    def look(self, offer: Offer) -> OfferStatus:
        """Whether the offer is open, and how many places are gone."""

    def sessions(self, offer: Offer) -> Iterator[Seen]:
        """All all_facts that the platform lists for the offer, page by page to the end."""

    def bonuses(self, offer: Offer) -> Iterator[Bonus]:
        """All bonuses that were paid to sessions of the offer, page by page to the end."""

    def carry_out(self, payment: Payment) -> str:
        """Approve, reject (`reason` is the feedback), approve after all, or pay a bonus (`cents`, `reason`).

        Said once: a repetition is the caller's decision, after `was_done`. Returns the platform's name for it, or "".
        That the session is already as it should become is success.
        """

    def was_done(self, payment: Payment) -> bool | None:
        """Whether a payment that was said took effect, read back from the platform; None: it is too early to tell,
        or the platform cannot say."""

    def screen(self, *, project_id: int, task: str, passed: dict[str, bool | None]) -> None:
        """Tell the platform who has passed the test of a task (True), who may not work (False), and who is a newcomer
        again (None), by the workers' external ids. Again it changes nothing."""

    def events(self) -> Iterable["Event"]:
        """What the platform has to tell since it was asked last; empty where it only calls us. It may be told twice, in
        any order, or never: an event says where to look, and nothing rests on it."""


class Event(NamedTuple):
    """Something happened to this offer."""

    offer_external_id: str
    what: str = ""
