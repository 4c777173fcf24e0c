"""Approvals, rejections and bonuses: each takes effect once, and is read back."""

from collections.abc import Iterator

from platforms.contract.errors import NothingDoneError, RefusedError, UnsureError
from platforms.contract.platform import Bonus
from platforms.models import Identity, Payment
from platforms.mturk import NAME
from platforms.mturk.client import Turk, TurkRefusedError, parse_values
from platforms.mturk.wire_format import MturkAssignment, PaidBonus, cents_of, dollars
from platforms.sessions.open_session import FORGOTTEN

Kind = Payment.Kind
APPROVED, REJECTED = "Approved", "Rejected"
STATUS_AFTER = {Kind.APPROVE: APPROVED, Kind.OVERRIDE: APPROVED, Kind.REJECT: REJECTED}
LONGEST_FEEDBACK = 1024
REPETITION = ("duplicate", "alreadyexist", "idempotency", "already been processed")
"""Parts of the refusal of a repeated bonus, whose code is not documented."""


def request_payment(turk: Turk, payment: Payment) -> None:
    if payment.kind == Kind.BONUS:
        _pay_bonus(turk, payment)
    else:
        _review(turk, payment)


def took_effect(turk: Turk, payment: Payment) -> bool | None:
    """Return whether the payment took effect; None: Mechanical Turk no longer knows the assignment."""
    if payment.kind == Kind.BONUS:
        paid = listed_bonuses(turk, AssignmentId=payment.session.external_id)
        return any(mark_of(payment) in bonus.reason for bonus in paid)
    status = _status(turk, payment)
    return None if status is None else status == STATUS_AFTER[Kind(payment.kind)]


def listed_bonuses(turk: Turk, **of: str) -> Iterator[Bonus]:
    """Yield the bonuses of one HITId or AssignmentId."""
    for values in turk.listed("list_bonus_payments", "BonusPayments", **of):
        paid = parse_values(values, PaidBonus)
        yield Bonus(paid.assignment, paid.worker, cents_of(paid.amount), paid.reason)


def mark_of(payment: Payment) -> str:
    """Return the mark in a bonus's reason by which the bonus is found again, after its token is forgotten."""
    return f"[{_token(payment)}]"


def _token(payment: Payment) -> str:
    """Return the token that prevents a second bonus for a day.

    It holds the offer's key, because another service that shares the account numbers its payments alike.
    """
    return f"{payment.session.offer.key}-{payment.pk}"


def _pay_bonus(turk: Turk, payment: Payment) -> None:
    # The token of an earlier try may be forgotten by now.
    if payment.tries > 1 and took_effect(turk, payment):
        return
    try:
        turk(
            "send_bonus",
            WorkerId=_external_worker(payment),
            AssignmentId=payment.session.external_id,
            BonusAmount=dollars(payment.cents),
            Reason=f"{payment.reason or 'Thank you.'} {mark_of(payment)}",
            UniqueRequestToken=_token(payment),
        )
    except TurkRefusedError as refused:
        if took_effect(turk, payment):
            return
        if any(part in f"{refused.code} {refused}".lower() for part in REPETITION):
            # The bonus was paid, but is not listed yet. Taken for a refusal, it would be paid again.
            raise UnsureError(str(refused)) from refused
        raise


def _review(turk: Turk, payment: Payment) -> None:
    try:
        _send_decision(turk, payment)
    except TurkRefusedError as refused:
        status = _status(turk, payment)
        if status == STATUS_AFTER[Kind(payment.kind)]:
            return
        if status == "Submitted" and "state" in refused.code:
            # For some minutes, Mechanical Turk may refuse to review an assignment that it already lists.
            raise NothingDoneError(str(refused)) from refused
        raise


def _send_decision(turk: Turk, payment: Payment) -> None:
    which = {"AssignmentId": payment.session.external_id}
    feedback = {"RequesterFeedback": payment.reason[:LONGEST_FEEDBACK]} if payment.reason.strip() else {}
    match Kind(payment.kind):
        case Kind.APPROVE:
            turk("approve_assignment", **which, **feedback)
        case Kind.OVERRIDE:
            turk("approve_assignment", **which, **feedback, OverrideRejection=True)
        case Kind.REJECT:
            turk("reject_assignment", **which, **{"RequesterFeedback": "The work was refused.", **feedback})


def _status(turk: Turk, payment: Payment) -> str | None:
    try:
        shown = turk("get_assignment", AssignmentId=payment.session.external_id)["Assignment"]
    except TurkRefusedError:
        return None
    return parse_values(shown, MturkAssignment).status


def _external_worker(payment: Payment) -> str:
    identity = Identity.objects.filter(platform=NAME, worker=payment.session.worker_id).first()
    if identity is None or identity.external_id.startswith(FORGOTTEN):
        raise RefusedError("Mechanical Turk does not know this worker.")
    return identity.external_id
