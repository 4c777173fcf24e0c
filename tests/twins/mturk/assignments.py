"""Assignments and HITs come to their ends, by an operation or because time passes; and the money that follows."""

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from tests.twins.mturk.account import Account, TurkError, invalid, page, processed, wrong_state
from tests.twins.mturk.records import HIT, Assignment, Bonus, fee, money, shown_assignment, shown_bonus, shown_hit

Due = tuple[datetime, Callable[[], None]]
Values = dict[str, Any]
DONE = ("Submitted", "Approved", "Rejected")
OVERRIDE = timedelta(days=30)
MAX_FEEDBACK = 1024


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
    if not hit.expired:
        yield hit.expiration, lambda: expire(account, hit, hit.expiration)
    yield from (fate(account, one) for one in hit.assignments if one.status in ("Accepted", "Submitted"))


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


def list_assignments(account: Account, params: Values) -> Values:
    wanted = params.get("AssignmentStatuses", DONE)
    found = [one for one in account.hit(params["HITId"]).assignments if one.status in wanted]
    found.sort(key=lambda one: one.submitted or one.accepted)
    return page(account, [shown_assignment(one) for one in found], params, "Assignments")


def get_assignment(account: Account, params: Values) -> Values:
    one = account.assignment(params["AssignmentId"])
    if one.status not in DONE:
        raise wrong_state("Assignment", ["Reviewable", "Approved", "Rejected"])
    return {"Assignment": shown_assignment(one), "HIT": shown_hit(one.hit, account.now)}


def approve_assignment(account: Account, params: Values) -> Values:
    one = account.assignment(params["AssignmentId"])
    if one.status == "Rejected" and params.get("OverrideRejection"):
        check_override(account, one)
    elif one.status != "Submitted":
        raise refused(one)
    approve(account, one, params.get("RequesterFeedback", ""), account.now)
    return {}


def check_override(account: Account, one: Assignment) -> None:
    """Raises TurkError if this rejection stands for good, or there is no money to take it back."""
    if one.submitted and account.now > one.submitted + OVERRIDE:
        raise wrong_state("Assignment", ["Submitted"])
    account.need(one.hit.price)


def reject_assignment(account: Account, params: Values) -> Values:
    one = account.assignment(params["AssignmentId"])
    if not params["RequesterFeedback"].strip():
        raise invalid("RequesterFeedback must say why.")
    if len(params["RequesterFeedback"]) > MAX_FEEDBACK:
        raise invalid(f"RequesterFeedback is longer than {MAX_FEEDBACK} characters.")
    if one.status != "Submitted":
        raise refused(one)
    reject(account, one, params["RequesterFeedback"], account.now)
    return {}


def refused(one: Assignment) -> TurkError:
    """The service's words depend on whether there was ever anything to review."""
    return wrong_state("Assignment", ["Submitted" if one.status in DONE else "null"])


def send_bonus(account: Account, params: Values) -> Values:
    token = params.get("UniqueRequestToken")
    earlier = account.earlier("bonus", token)
    if earlier:
        raise processed(token or "", earlier)
    one, amount = account.assignment(params["AssignmentId"]), Decimal(params["BonusAmount"])
    if one.status not in DONE or one.worker.id != params["WorkerId"]:
        raise wrong_state("Assignment", DONE)
    if not amount or not params["Reason"].strip():
        raise invalid("A bonus needs an amount above zero and a reason.")
    account.need(amount + fee(amount))
    account.paid += amount + fee(amount)
    account.bonuses.append(Bonus(one.worker.id, amount, one, params["Reason"], account.now))
    account.remember("bonus", token, account.new_id())
    return {}


def list_bonus_payments(account: Account, params: Values) -> Values:
    hit, assignment = params.get("HITId"), params.get("AssignmentId")
    if not hit and not assignment:
        raise invalid("Either HITId or AssignmentId must be given.")
    found = [
        bonus
        for bonus in account.bonuses
        if (not hit or bonus.assignment.hit.id == hit) and (not assignment or bonus.assignment.id == assignment)
    ]
    return page(account, [shown_bonus(bonus) for bonus in found], params, "BonusPayments")


def get_account_balance(account: Account, params: Values) -> Values:
    return {"AvailableBalance": money(account.available), "OnHoldBalance": money(account.on_hold)}
