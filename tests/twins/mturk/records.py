"""The records of the account: types, HITs, assignments, workers."""

from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Any

CENT = Decimal("0.01")
MANY = 10
FEE, FEE_OF_MANY = Decimal("0.20"), Decimal("0.40")
UNTAKEN = ("Returned", "Abandoned")


def fee(amount: Decimal, rate: Decimal = FEE) -> Decimal:
    """The service's fee on top of a payment: a share, at least a cent."""
    return max(CENT, amount * rate)


@dataclass
class Worker:
    """A worker. `approved` and `rejected` count all their work, for other requesters too."""

    id: str
    approved: int = 0
    rejected: int = 0
    country: str = "US"
    adult: bool = True
    masters: bool = False
    known: bool = False
    """Whether this requester has reviewed work of theirs."""

    @property
    def percent_approved(self) -> int:
        reviewed = self.approved + self.rejected
        return 100 * self.approved // reviewed if reviewed else 100


@dataclass(frozen=True)
class HITType:
    id: str
    title: str
    description: str
    reward: Decimal
    duration: int
    auto_approval: int
    keywords: str
    requirements: list[dict[str, Any]]


@dataclass
class Assignment:
    """A HIT that one worker has accepted. Returned and abandoned ones are nothing that the API shows."""

    id: str
    hit: "HIT"
    worker: Worker
    accepted: datetime
    deadline: datetime
    status: str = "Accepted"
    submitted: datetime | None = None
    auto_approval: datetime | None = None
    approved: datetime | None = None
    rejected: datetime | None = None
    feedback: str = ""
    answer: str = ""


@dataclass
class HIT:
    id: str
    type: HITType
    question: str
    max_assignments: int
    created: datetime
    expiration: datetime
    annotation: str = ""
    assignments: list[Assignment] = field(default_factory=list)
    disposed: bool = False
    expired: datetime | None = None
    told_reviewable: bool = False

    def __post_init__(self) -> None:
        self.costs_more = self.max_assignments >= MANY

    @property
    def price(self) -> Decimal:
        """The cost of one approved assignment: the reward and the service's fee."""
        return self.type.reward + fee(self.type.reward, FEE_OF_MANY if self.costs_more else FEE)

    def count(self, *statuses: str) -> int:
        return sum(assignment.status in statuses for assignment in self.assignments)

    @property
    def available(self) -> int:
        """The number of times it can still be accepted."""
        return self.max_assignments - len(self.assignments) + self.count(*UNTAKEN)

    def status(self, now: datetime) -> str:
        if self.disposed:
            return "Disposed"
        if self.available and now < self.expiration:
            return "Assignable"
        return "Unassignable" if self.count("Accepted") else "Reviewable"

    def reserved(self, now: datetime) -> Decimal:
        """The amount that may still have to be paid for it."""
        offered = self.available if self.status(now) == "Assignable" else 0
        return self.price * (offered + self.count("Accepted", "Submitted"))


@dataclass(frozen=True)
class Bonus:
    worker: str
    amount: Decimal
    assignment: Assignment
    reason: str
    granted: datetime


@dataclass(frozen=True)
class Mail:
    """A message in a worker's mailbox."""

    worker: str
    subject: str
    text: str
