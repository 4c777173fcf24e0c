"""The calls that every platform answers, and the terms of an offer. An adapter knows its platform's protocol alone.

Adapters write no rows but `Counterpart`; the functions that call them decide and write. Any call may raise UnsureError
(it is not known whether the call took effect) or RefusedError (it did not, and will not). An adapter repeats a call
only if a repetition is harmless.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, NamedTuple, Protocol, Self

from annotated_types import Ge, Le, MaxLen
from pydantic import BaseModel, ConfigDict, Field, model_validator

from platforms.errors import RefusedError
from platforms.models import Offer, Payment, Session


class RecruitmentTerms(BaseModel):
    """The terms of a recruitment. By default, a session pays what the project pays for its assignments."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    title: Annotated[str, MaxLen(128)] = ""
    """Workers read this first. Empty: made of the task and the project's title."""
    description: Annotated[str, MaxLen(2000)] = ""
    """Workers read this below. Empty: a standard sentence."""
    keywords: Annotated[str, MaxLen(1000)] = "images, captions, boxes, annotation"
    """Workers of Mechanical Turk search by these."""
    most_places: Annotated[int, Ge(1), Le(10_000), Field(title="Open places")] = 20
    """For each task at a time, for workers who passed its test."""
    entry_places: Annotated[int, Ge(0), Le(10_000), Field(title="Open places for newcomers")] = 9
    """For each task at a time; newcomers begin with the test. 0: no newcomers."""
    least: Annotated[int, Ge(1), Le(100), Field(title="Assignments that a session needs")] = 1
    quota: Annotated[int, Ge(1), Le(1_000), Field(title="Assignments that a session may have")] = 1
    """Earnings beyond the reward are paid as a bonus."""
    reward_cents: Annotated[int, Ge(0), Le(100_000), Field(title="Reward of a session, in cents")] = 0
    """0: the pay of the assignments that it needs."""
    pays_tests: Annotated[bool, Field(title="Pay failed tests")] = False
    """Also pay the reward for a test that was not passed."""
    minutes: Annotated[int, Ge(5), Le(1_440), Field(title="Minutes for a session")] = 60
    """From taking a place to handing in."""
    days: Annotated[float, Ge(0.01), Le(365), Field(title="Days that an offer stays open")] = 3.0
    """Then a new offer follows, while there is work."""
    approve_hours: Annotated[float, Ge(0), Le(24 * 20), Field(title="Hours before a session is approved")] = 0.0
    """Time to look at the work first."""
    pays_itself: Annotated[bool, Field(title="Settle automatically")] = True
    """Otherwise sessions wait until you pay what is due."""
    # The paper's newcomers had 500 approved HITs, and 95 % of their work was approved [paper 3.3].
    approved_least: Annotated[int, Ge(0), Le(1_000_000), Field(title="Approved HITs")] = 500
    """The number that a newcomer needs on Mechanical Turk."""
    approved_percent: Annotated[int, Ge(0), Le(100), Field(title="Approved, in percent")] = 95
    """Share of a newcomer's work on Mechanical Turk that was approved."""
    auto_approve_days: Annotated[float, Ge(0), Le(30), Field(title="Days until it approves automatically")] = 7.0
    """Mechanical Turk then approves what we have not settled."""

    @model_validator(mode="after")
    def _allows_what_it_needs(self) -> Self:
        if self.quota < self.least:
            raise ValueError(f"a session needs {self.least} assignments, so it must be allowed at least as many")
        return self


@dataclass(frozen=True, slots=True)
class Marketplace:
    """The terms of a platform itself, the same for all offers."""

    currency: str
    """The account's currency, which must be the project's too. Empty: any."""
    fee_percent: float
    """About what the platform charges on top of the workers' pay."""
    live: bool
    """Real money moves."""
    most_places: dict[str, int]
    """Places that one offer may have, by the offer's kind."""


class Published(NamedTuple):
    """An offer as the platform accepted it."""

    external_id: str
    expires_at: datetime | None = None
    """None: as the offer says."""
    recruited_in: str = ""
    """The platform's prediction when the last place is taken, in its words. Empty: unknown."""


class RecommendedPay(NamedTuple):
    """Pay of an hour that a platform recommends, in cents."""

    least: int
    good: int


class OfferStatus(NamedTuple):
    """An offer as the platform shows it now."""

    open: bool
    """Workers can still take a place."""
    taken: int
    """Places that are taken or done."""


class ListedSession(NamedTuple):
    """A session as the platform lists it. A session that is not listed is under way, or never existed there."""

    external_id: str
    external_worker: str
    platform_state: Session.PlatformState
    at: datetime | None = None
    """The time when the worker submitted the session."""


class Bonus(NamedTuple):
    """A bonus as the platform lists it."""

    external_id: str
    """Id of the session that the bonus was attached to."""
    external_worker: str
    cents: int
    reason: str = ""
    """Empty if the platform does not list it."""


class OfferCharge(NamedTuple):
    """Cents that a platform has charged for offers so far."""

    paid: int
    """For rewards and bonuses."""
    fees: int
    """For the platform's fee, and the tax on it."""


class OfferEvent(NamedTuple):
    """Something happened to an offer."""

    offer_external_id: str
    what: str = ""


class Platform(Protocol):
    """One marketplace, with the account that the settings name. Bodies are for those that lack something."""

    @property
    def name(self) -> str:
        """The platform's name in our rows."""

    @property
    def pays_parts(self) -> bool:
        """A session can be approved for a part of its reward."""
        return False

    @property
    def has_trials(self) -> bool:
        """An offer can be published to test participants alone, without money."""
        return False

    def add_test_participant(self, email: str) -> None:
        """Make a test participant with this e-mail address."""
        raise RefusedError("This platform has no test participants.")

    def marketplace(self) -> Marketplace:
        """Return the platform's own terms. Takes at most one call."""

    def balance_cents(self) -> int | None:
        """Return what can be spent, without what open offers have set aside; None: the platform has no balance."""

    def recommended_pay(self) -> RecommendedPay | None:
        """Return the pay that the platform recommends; None: it recommends none."""
        return None

    def predicted_time(self, offer: Offer) -> str:
        """Return the time after which all places of an offer that is not made yet would be taken, in the platform's
        words; empty: unknown."""
        return ""

    def publish(self, offer: Offer) -> Published:
        """Make the offer, or find it if it exists. The same `offer.key` is never made twice, however often and however
        late this is called; `offer.tries` > 1 means that it may exist. From now on, workers can take places."""

    def withdraw(self, offer: Offer) -> None:
        """Close the offer to newcomers; workers who have a place keep it. A repetition changes nothing."""

    def offer_status(self, offer: Offer) -> OfferStatus:
        """Return whether the offer is open, and how many places are taken."""

    def sessions(self, offer: Offer) -> Iterator[ListedSession]:
        """Yield all sessions that the platform lists for the offer, page by page to the last."""

    def bonuses(self, offer: Offer) -> Iterator[Bonus]:
        """Yield all bonuses that were paid to sessions of the offer, page by page to the last."""

    def cost(self, offer: Offer) -> OfferCharge | None:
        """Return what was charged for the offer so far; None: the platform does not list it."""
        return None

    def send_payment(self, payment: Payment) -> str:
        """Approve, pay a part (`cents`), reject (`reason` is the feedback), approve after all, or pay a bonus.

        Sent once: the caller asks `was_done` before it decides on a repetition. A session that is already in the
        wanted state is a success. Returns the platform's id of the payment, or "".
        """

    def was_done(self, payment: Payment) -> bool | None:
        """Read back whether a payment that was sent took effect; None: it is too early, or the platform cannot tell."""

    def request_return(self, session: Session, reason: str) -> None:
        """Ask the worker to give back a session that waits for a decision. A repetition is a second message."""

    def screen(self, *, project_id: int, task: str, passed: dict[str, bool | None]) -> None:
        """Report by external id who passed the test of a task (True), who may not work (False), and who is a newcomer
        again (None). A repetition changes nothing."""

    def events(self) -> Iterable[OfferEvent]:
        """Return what happened since the last call; empty if the platform calls us instead. Events may be repeated,
        lost or in any order: they say where to look, and nothing depends on them."""
        return ()
