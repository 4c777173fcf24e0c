"""The ends of HITs and assignments, by somebody's act or because time passes."""

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta

from tests.twins.mturk.account import Account
from tests.twins.mturk.records import HIT, Assignment

Due = tuple[datetime, Callable[[], None]]
DISPOSAL = timedelta(days=120)


def settle(account: Account) -> None:
    """Does everything that is due by now, each thing at its own time."""
    while found := sorted(due(account), key=lambda item: item[0]):
        found[0][1]()


def due(account: Account) -> Iterator[Due]:
    """The events that should have happened by now and have not."""
    for hit in account.hits.values():
        yield from (item for item in ahead(account, hit) if item[0] <= account.now)


def ahead(account: Account, hit: HIT) -> Iterator[Due]:
    """The events of a HIT if nobody does anything."""
    if hit.disposed:
        return
    if not hit.expired:
        yield hit.expiration, lambda: expire(account, hit, hit.expiration)
    waiting = [assignment for assignment in hit.assignments if assignment.status in ("Accepted", "Submitted")]
    for one in waiting:
        yield fate(account, one)
    if hit.expired and not waiting:
        end = hit.expired + DISPOSAL
        yield end, lambda: dispose(account, hit, end)


def fate(account: Account, assignment: Assignment) -> Due:
    """The event of an assignment if nobody submits it, or nobody reviews it."""
    if assignment.status == "Accepted":
        return assignment.deadline, lambda: leave(account, assignment, "Abandoned", assignment.deadline)
    when = assignment.auto_approval or account.now
    return when, lambda: approve(account, assignment, "", when)


def notice(account: Account, hit: HIT, at: datetime) -> None:
    """Tells when a HIT has become reviewable."""
    reviewable = hit.status(at) == "Reviewable"
    if reviewable and not hit.told_reviewable:
        account.tell("HITReviewable", hit, at)
    hit.told_reviewable = reviewable


def expire(account: Account, hit: HIT, at: datetime) -> None:
    hit.expired = at
    account.tell("HITExpired", hit, at)
    notice(account, hit, at)


def dispose(account: Account, hit: HIT, at: datetime) -> None:
    hit.disposed = True
    account.tell("HITDisposed", hit, at)


def leave(account: Account, assignment: Assignment, how: str, at: datetime) -> None:
    """Ends an accepted assignment unsubmitted: "Returned" or "Abandoned". Somebody else may accept it."""
    assignment.status = how
    account.tell(f"Assignment{how}", assignment.hit, at, assignment)
    notice(account, assignment.hit, at)


def approve(account: Account, assignment: Assignment, feedback: str, at: datetime) -> None:
    """Pays the worker, also where the work was rejected before."""
    if assignment.status == "Rejected":
        assignment.worker.rejected -= 1
    assignment.status, assignment.approved, assignment.rejected = "Approved", at, None
    assignment.feedback = feedback or assignment.feedback
    assignment.worker.approved += 1
    assignment.worker.known = True
    account.paid += assignment.hit.price
    account.tell("AssignmentApproved", assignment.hit, at, assignment)


def reject(account: Account, assignment: Assignment, feedback: str, at: datetime) -> None:
    assignment.status, assignment.rejected, assignment.feedback = "Rejected", at, feedback
    assignment.worker.rejected += 1
    assignment.worker.known = True
    account.tell("AssignmentRejected", assignment.hit, at, assignment)
