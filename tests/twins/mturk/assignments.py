"""Operations on assignments, and the money that follows them."""

from datetime import timedelta
from decimal import Decimal
from typing import Any

from tests.twins.mturk import shown
from tests.twins.mturk.account import Account, page
from tests.twins.mturk.errors import TurkError, invalid, processed, wrong_state
from tests.twins.mturk.lifecycle import approve, reject
from tests.twins.mturk.records import Assignment, Bonus, fee

Values = dict[str, Any]
DONE = ("Submitted", "Approved", "Rejected")
OVERRIDE = timedelta(days=30)
MAX_FEEDBACK = 1024


def list_assignments(account: Account, params: Values) -> Values:
    wanted = params.get("AssignmentStatuses", DONE)
    found = [one for one in account.hit(params["HITId"]).assignments if one.status in wanted]
    found.sort(key=lambda one: one.submitted or one.accepted)
    return page(account, [shown.assignment(one) for one in found], params, "Assignments")


def get_assignment(account: Account, params: Values) -> Values:
    one = account.assignment(params["AssignmentId"])
    if one.status not in DONE:
        raise wrong_state("Assignment", ["Reviewable", "Approved", "Rejected"])
    return {"Assignment": shown.assignment(one), "HIT": shown.hit(account, one.hit)}


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
    if one.hit.disposed or (one.submitted and account.now > one.submitted + OVERRIDE):
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
    return page(account, [shown.bonus(bonus) for bonus in found], params, "BonusPayments")


def get_account_balance(account: Account, params: Values) -> Values:
    return {"AvailableBalance": shown.money(account.available), "OnHoldBalance": shown.money(account.on_hold)}
