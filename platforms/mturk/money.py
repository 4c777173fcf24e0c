"""What workers get: approvals, rejections and bonuses, each said so that it counts once; and what is there to spend."""

from collections.abc import Iterator
from decimal import Decimal

from platforms.errors import NothingDoneError, RefusedError, UnsureError
from platforms.mturk import NAME
from platforms.mturk.client import Turk, TurkRefusedError, Values
from platforms.platform import Bonus
from workers.models import Identity, Movement

Kind = Movement.Kind
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


def carry_out(turk: Turk, movement: Movement) -> str:
    """The service has no name for any of them, so what comes back is empty."""
    if movement.kind == Kind.BONUS:
        _pay_bonus(turk, movement)
    else:
        _review(turk, movement)
    return ""


def was_done(turk: Turk, movement: Movement) -> bool | None:
    """None: the service no longer knows the assignment."""
    if movement.kind == Kind.BONUS:
        paid = bonuses(turk, AssignmentId=movement.session.external_id)
        return any(mark_of(movement) in bonus.reason for bonus in paid)
    status = _status(turk, movement)
    return None if status is None else status == BECOMES[Kind(movement.kind)]


def bonuses(turk: Turk, **of: str) -> Iterator[Bonus]:
    """Paid for one HITId or AssignmentId."""
    for paid in turk.listed("list_bonus_payments", "BonusPayments", **of):
        cents = cents_of(paid["BonusAmount"])
        yield Bonus(paid["AssignmentId"], paid["WorkerId"], cents, paid.get("Reason", ""))


def mark_of(movement: Movement) -> str:
    """By which a bonus is found again, in its reason: the token that makes it once is forgotten after a day."""
    return f"[{_token(movement)}]"


def _token(movement: Movement) -> str:
    """Another service's movements, paid from the same account, have the same numbers but other offers."""
    return f"{movement.session.offer.key}-{movement.pk}"


def _pay_bonus(turk: Turk, movement: Movement) -> None:
    # After a day a token is no protection any more.
    if movement.tries > 1 and was_done(turk, movement):
        return
    try:
        turk(
            "send_bonus",
            WorkerId=_external_worker(movement),
            AssignmentId=movement.session.external_id,
            BonusAmount=dollars(movement.cents),
            Reason=f"{movement.reason or 'Thank you.'} {mark_of(movement)}",
            UniqueRequestToken=_token(movement),
        )
    except TurkRefusedError as refused:
        if was_done(turk, movement):
            return
        if any(word in f"{refused.code} {refused}".lower() for word in SAID_BEFORE):
            # It was heard, and is not in the list yet. Taken for a refusal it would be paid again.
            raise UnsureError(str(refused)) from refused
        raise


def _review(turk: Turk, movement: Movement) -> None:
    try:
        _say_verdict(turk, movement)
    except TurkRefusedError as refused:
        status = _status(turk, movement)
        if status == BECOMES[Kind(movement.kind)]:
            return
        if status == "Submitted" and "state" in refused.code:
            # Others saw the service refuse work for some minutes that it had just listed.
            raise NothingDoneError(str(refused)) from refused
        raise


def _say_verdict(turk: Turk, movement: Movement) -> None:
    which = {"AssignmentId": movement.session.external_id}
    words = {"RequesterFeedback": movement.reason[:LONGEST_FEEDBACK]} if movement.reason.strip() else {}
    match Kind(movement.kind):
        case Kind.APPROVE:
            turk("approve_assignment", **which, **words)
        case Kind.OVERRIDE:
            turk("approve_assignment", **which, **words, OverrideRejection=True)
        case Kind.REJECT:
            turk("reject_assignment", **which, **{"RequesterFeedback": "The work was refused.", **words})


def _status(turk: Turk, movement: Movement) -> str | None:
    try:
        shown: Values = turk("get_assignment", AssignmentId=movement.session.external_id)["Assignment"]
    except TurkRefusedError:
        return None
    return str(shown["AssignmentStatus"])


def _external_worker(movement: Movement) -> str:
    identity = Identity.objects.filter(platform=NAME, worker=movement.session.worker_id).first()
    if identity is None:
        raise RefusedError("Mechanical Turk does not know this worker.")
    return identity.external_id
