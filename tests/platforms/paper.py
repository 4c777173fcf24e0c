"""A platform without a network: it takes every call, and answers what a test has prepared."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from pipeline.models import Assignment
from platforms.contract import (
    Bonus,
    ListedSession,
    Marketplace,
    OfferCharge,
    OfferEvent,
    OfferStatus,
    Published,
    RecommendedPay,
)
from platforms.errors import PlatformError
from platforms.models import Offer, Payment, Session
from platforms.sessions import finish_session
from tests.support.projects import submit
from tests.support.recruiting import comes, given_in


@dataclass
class Paper:
    """`pay`: recommended. `soon`: the predicted time. `refuses`: the error that every payment raises. `seen`: listed
    sessions by offer id. `sent`: payments it took."""

    name: str = "mturk"
    pays_parts: bool = True
    has_trials: bool = True
    test_participants: list[str] = field(default_factory=list)
    live: bool = False
    balance: int | None = 1_000_00
    pay: RecommendedPay | None = None
    soon: str = ""
    refuses: PlatformError | None = None
    seen: dict[int, list[ListedSession]] = field(default_factory=dict)
    paid: list[Bonus] = field(default_factory=list)
    sent: list[tuple[str, str, int]] = field(default_factory=list)
    ended: set[int] = field(default_factory=set)

    def marketplace(self) -> Marketplace:
        return Marketplace("USD", 20.0, self.live, {"entry": 9, "work": 9})

    def balance_cents(self) -> int | None:
        return self.balance

    def add_test_participant(self, email: str) -> None:
        self.test_participants.append(email)

    def recommended_pay(self) -> RecommendedPay | None:
        return self.pay

    def predicted_time(self, offer: Offer) -> str:
        return self.soon

    def publish(self, offer: Offer) -> Published:
        return Published(f"HIT{offer.pk}", recruited_in=self.soon)

    def withdraw(self, offer: Offer) -> None:
        self.ended.add(offer.pk)

    def offer_status(self, offer: Offer) -> OfferStatus:
        return OfferStatus(offer.pk not in self.ended, len(self.seen.get(offer.pk, ())))

    def sessions(self, offer: Offer) -> Iterator[ListedSession]:
        yield from self.seen.get(offer.pk, ())

    def bonuses(self, offer: Offer) -> Iterator[Bonus]:
        ids = {one.external_id for one in self.seen.get(offer.pk, ())}
        yield from (one for one in self.paid if one.external_id in ids)

    def cost(self, offer: Offer) -> OfferCharge | None:
        return None

    def send_payment(self, payment: Payment) -> str:
        if self.refuses:
            raise self.refuses
        self.sent.append((payment.kind, payment.session.external_id, payment.cents))
        return ""

    def was_done(self, payment: Payment) -> bool | None:
        return False

    def request_return(self, session: Session, reason: str) -> None:
        self.sent.append(("return", session.external_id, 0))

    def screen(self, *, project_id: int, task: str, passed: dict[str, bool | None]) -> None:
        """Does nothing."""

    def events(self) -> list[OfferEvent]:
        return []

    def lists(self, session: Session, platform_state: Session.PlatformState) -> None:
        """List the session in this state from now on."""
        who = session.worker.identities.get(platform=self.name).external_id
        others = [one for one in self.seen.get(session.offer_id, ()) if one.external_id != session.external_id]
        self.seen[session.offer_id] = [*others, ListedSession(session.external_id, who, platform_state)]


def works(session: Session, assignments: int = 1) -> list[Assignment]:
    """Submit so many assignments of ten questions."""
    done = []
    for _ in range(assignments):
        assignment = given_in(session)
        submit(assignment, *[3] * 10)
        done.append(assignment)
    return done


def hands_in(paper: Paper, session: Session) -> None:
    """Hand the session in on our page and on the platform."""
    finish_session(session_id=session.id, worker_id=session.worker_id)
    paper.lists(session, Session.PlatformState.SUBMITTED)


def serves(paper: Paper, offer: Offer, assignments: int = 1) -> Session:
    """Come, do so many assignments, and hand the session in."""
    session = comes(offer)
    works(session, assignments)
    hands_in(paper, session)
    return session
