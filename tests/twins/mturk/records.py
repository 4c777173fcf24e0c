"""The records of the account, types, HITs, assignments and workers, and how the API shows them."""

from dataclasses import dataclass, field
from datetime import datetime
from decimal import ROUND_DOWN, Decimal
from typing import Any

CENT = Decimal("0.01")
FEE = Decimal("0.20")
"""Of HITs of up to nine places: our adapter makes no larger ones."""
UNTAKEN = ("Returned", "Abandoned")
Shown = dict[str, Any]


def fee(amount: Decimal) -> Decimal:
    """The service's fee on top of a payment: a share, at least a cent."""
    return max(CENT, amount * FEE)


@dataclass
class Worker:
    """A worker. `approved` and `rejected` count all their work, for other requesters too."""

    id: str
    approved: int = 0
    rejected: int = 0
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
    expired: datetime | None = None
    told_reviewable: bool = False

    @property
    def price(self) -> Decimal:
        """The cost of one approved assignment: the reward and the service's fee."""
        return self.type.reward + fee(self.type.reward)

    def count(self, *statuses: str) -> int:
        return sum(assignment.status in statuses for assignment in self.assignments)

    @property
    def available(self) -> int:
        """The number of times it can still be accepted."""
        return self.max_assignments - len(self.assignments) + self.count(*UNTAKEN)

    def status(self, now: datetime) -> str:
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


def money(amount: Decimal) -> str:
    """Dollars with two places; what is less than a cent is not shown."""
    return str(amount.quantize(CENT, rounding=ROUND_DOWN))


def filled(**members: Any) -> Shown:
    """Without the members that have no value."""
    return {name: value for name, value in members.items() if value not in (None, "")}


def shown_hit(one: HIT, now: datetime) -> Shown:
    kind = one.type
    return filled(
        **{"HITId": one.id, "HITTypeId": kind.id, "HITGroupId": kind.id, "CreationTime": one.created},
        **{"Title": kind.title, "Description": kind.description, "Question": one.question, "Keywords": kind.keywords},
        **{"HITStatus": one.status(now), "MaxAssignments": one.max_assignments, "Reward": money(kind.reward)},
        **{"AutoApprovalDelayInSeconds": kind.auto_approval, "AssignmentDurationInSeconds": kind.duration},
        **{"Expiration": one.expiration, "RequesterAnnotation": one.annotation, "HITReviewStatus": "NotReviewed"},
        QualificationRequirements=kind.requirements,
        NumberOfAssignmentsPending=one.count("Accepted"),
        NumberOfAssignmentsAvailable=one.available,
        NumberOfAssignmentsCompleted=one.count("Approved", "Rejected"),
    )


def shown_assignment(one: Assignment) -> Shown:
    return filled(
        **{"AssignmentId": one.id, "WorkerId": one.worker.id, "HITId": one.hit.id, "AssignmentStatus": one.status},
        **{"AcceptTime": one.accepted, "SubmitTime": one.submitted, "AutoApprovalTime": one.auto_approval},
        **{"ApprovalTime": one.approved, "RejectionTime": one.rejected, "Deadline": one.deadline},
        **{"Answer": one.answer, "RequesterFeedback": one.feedback},
    )


def shown_bonus(one: Bonus) -> Shown:
    what = {"BonusAmount": money(one.amount), "Reason": one.reason, "GrantTime": one.granted}
    return filled(WorkerId=one.worker, AssignmentId=one.assignment.id, **what)
