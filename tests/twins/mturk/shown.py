"""The account's records as the API shows them."""

from decimal import ROUND_DOWN, Decimal
from typing import Any

from tests.twins.mturk.account import Account
from tests.twins.mturk.records import CENT, HIT, Assignment, Bonus

Shown = dict[str, Any]


def money(amount: Decimal) -> str:
    """Dollars with two places; what is less than a cent is not shown."""
    return str(amount.quantize(CENT, rounding=ROUND_DOWN))


def filled(**members: Any) -> Shown:
    """Without the members that have no value."""
    return {name: value for name, value in members.items() if value not in (None, "")}


def hit(account: Account, one: HIT) -> Shown:
    kind = one.type
    return filled(
        HITId=one.id,
        HITTypeId=kind.id,
        HITGroupId=kind.id,
        CreationTime=one.created,
        Title=kind.title,
        Description=kind.description,
        Question=one.question,
        Keywords=kind.keywords,
        HITStatus=one.status(account.now),
        MaxAssignments=one.max_assignments,
        Reward=money(kind.reward),
        AutoApprovalDelayInSeconds=kind.auto_approval,
        Expiration=one.expiration,
        AssignmentDurationInSeconds=kind.duration,
        RequesterAnnotation=one.annotation,
        QualificationRequirements=kind.requirements,
        HITReviewStatus="NotReviewed",
        NumberOfAssignmentsPending=one.count("Accepted"),
        NumberOfAssignmentsAvailable=one.available,
        NumberOfAssignmentsCompleted=one.count("Approved", "Rejected"),
    )


def assignment(one: Assignment) -> Shown:
    return filled(
        AssignmentId=one.id,
        WorkerId=one.worker.id,
        HITId=one.hit.id,
        AssignmentStatus=one.status,
        AutoApprovalTime=one.auto_approval,
        AcceptTime=one.accepted,
        SubmitTime=one.submitted,
        ApprovalTime=one.approved,
        RejectionTime=one.rejected,
        Deadline=one.deadline,
        Answer=one.answer,
        RequesterFeedback=one.feedback,
    )


def bonus(one: Bonus) -> Shown:
    return filled(
        WorkerId=one.worker,
        BonusAmount=money(one.amount),
        AssignmentId=one.assignment.id,
        Reason=one.reason,
        GrantTime=one.granted,
    )
