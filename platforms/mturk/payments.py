"""What workers get: approvals, rejections and bonuses, each said so that it counts once; and what is there to spend."""

from collections.abc import Iterator
from decimal import Decimal

from platforms.contract.errors import NothingDoneError, RefusedError, UnsureError
from platforms.contract.platform import Bonus
from platforms.models import Identity, Payment
from platforms.mturk import NAME
from platforms.mturk.client import Turk, TurkRefusedError, Values

Kind = Payment.Kind
APPROVED, REJECTED = "Approved", "Rejected"
BECOMES = {Kind.APPROVE: APPROVED, Kind.OVERRIDE: APPROVED, Kind.REJECT: REJECTED}
LONGEST_FEEDBACK = 1024
SAID_BEFORE = ("duplicate", "alreadyexist", "idempotency", "already been processed")
"""Words of a refusal whose code is not documented."""


def dollars(cents: int) -> str:
    """As the service wants it: 5 is "0.05"."""
    return f"{cents // 100}.{cents % 100:02d}"


def cents_of(amount: str) -> int:
    """Parts of a cent are left out."""
    return int(Decimal(amount) * 100)


def carry_out(turk: Turk, payment: Payment) -> str:
    """The service has no name for any of them, so what comes back is empty."""
    if payment.kind == Kind.BONUS:
        _pay_bonus(turk, payment)
    else:
        _review(turk, payment)
    return ""


def was_done(turk: Turk, payment: Payment) -> bool | None:
    """None: the service no longer knows the assignment."""
    if payment.kind == Kind.BONUS:
        paid = bonuses(turk, AssignmentId=payment.session.external_id)
        return any(mark_of(payment) in bonus.reason for bonus in paid)
    status = _status(turk, payment)
    return None if status is None else status == BECOMES[Kind(payment.kind)]


def bonuses(turk: Turk, **of: str) -> Iterator[Bonus]:
    """Paid for one HITId or AssignmentId."""
    for paid in turk.listed("list_bonus_payments", "BonusPayments", **of):
        cents = cents_of(paid["BonusAmount"])
        yield Bonus(paid["AssignmentId"], paid["WorkerId"], cents, paid.get("Reason", ""))


def mark_of(payment: Payment) -> str:
    """By which a bonus is found again, in its reason: the token that makes it once is forgotten after a day."""
    return f"[{_token(payment)}]"


def _token(payment: Payment) -> str:
    """Another service's payments, paid from the same account, have the same numbers but other offers."""
    return f"{payment.session.offer.key}-{payment.pk}"


def _pay_bonus(turk: Turk, payment: Payment) -> None:
    # After a day a token is no protection any more.
    if payment.tries > 1 and was_done(turk, payment):
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
        if was_done(turk, payment):
            return
        if any(word in f"{refused.code} {refused}".lower() for word in SAID_BEFORE):
            # It was heard, and is not in the list yet. Taken for a refusal it would be paid again.
            raise UnsureError(str(refused)) from refused
        raise


def _review(turk: Turk, payment: Payment) -> None:
    try:
        _say_verdict(turk, payment)
    except TurkRefusedError as refused:
        status = _status(turk, payment)
        if status == BECOMES[Kind(payment.kind)]:
            return
        if status == "Submitted" and "state" in refused.code:
            # Others saw the service refuse work for some minutes that it had just listed.
            raise NothingDoneError(str(refused)) from refused
        raise


def _say_verdict(turk: Turk, payment: Payment) -> None:
    which = {"AssignmentId": payment.session.external_id}
    words = {"RequesterFeedback": payment.reason[:LONGEST_FEEDBACK]} if payment.reason.strip() else {}
    match Kind(payment.kind):
        case Kind.APPROVE:
            turk("approve_assignment", **which, **words)
        case Kind.OVERRIDE:
            turk("approve_assignment", **which, **words, OverrideRejection=True)
        case Kind.REJECT:
            turk("reject_assignment", **which, **{"RequesterFeedback": "The work was refused.", **words})


def _status(turk: Turk, payment: Payment) -> str | None:
    try:
        shown: Values = turk("get_assignment", AssignmentId=payment.session.external_id)["Assignment"]
    except TurkRefusedError:
        return None
    return str(shown["AssignmentStatus"])


def _external_worker(payment: Payment) -> str:
    identity = Identity.objects.filter(platform=NAME, worker=payment.session.worker_id).first()
    if identity is None:
        raise RefusedError("Mechanical Turk does not know this worker.")
    return identity.external_id
