"""What the platform is told once because money hangs on it, and whether it was heard."""

from datetime import timedelta

from django.utils import timezone

from platforms.contract.errors import NothingDoneError, RefusedError, UnsureError
from platforms.models import Payment
from platforms.prolific.client import Client, ThrottledError, json_of
from platforms.prolific.submissions import APPROVED, AWAITING_REVIEW, REJECTED, read_submission

Kind = Payment.Kind
SHORTEST_REASON = 100
STANDING_REASON = (
    "Some answers of every session have known solutions or are compared with those of others. "
    "Yours were too far from them to be used. If you think that this is wrong, write to us and we look again."
)
BECOMES = {Kind.APPROVE: APPROVED, Kind.OVERRIDE: APPROVED, Kind.REJECT: REJECTED}
BONUS_PATIENCE = timedelta(hours=24)
"""The platform pays bonuses some minutes later. After so long, one that is not listed was never heard."""


def decide(client: Client, payment: Payment) -> None:
    """Approve, reject, or approve after all. Again it changes nothing."""
    submission = payment.session.external_id
    if payment.kind == Kind.OVERRIDE and read_submission(client, submission)["status"] == REJECTED:
        _move(client, submission, AWAITING_REVIEW, action="UNREJECT")
    if payment.kind == Kind.REJECT:
        said = {"message": long_enough(payment.reason), "rejection_category": "OTHER"}
        _move(client, submission, REJECTED, action="REJECT", **said)
    else:
        _move(client, submission, APPROVED, action="APPROVE")


def pay_bonus(client: Client, payment: Payment) -> str:
    """The id of the bonus list. A list pays nobody; to pay it is said once, for twice pays twice."""
    made = _bonus_list(client, payment)
    try:
        client.tell_once("POST", f"/bulk-bonus-payments/{made}/pay/")
    except (UnsureError, ThrottledError) as unsure:
        # Who is told to try again later was most likely not heard. Most likely is not enough to pay again.
        raise UnsureError(f"{unsure} It was to pay bonus list {made}.", out_of_reach=unsure.out_of_reach) from unsure
    return made


def was_done(client: Client, payment: Payment) -> bool | None:
    """None: a bonus may still come."""
    shown = read_submission(client, payment.session.external_id)
    if payment.kind != Kind.BONUS:
        return bool(shown["status"] == BECOMES[Kind(payment.kind)])
    same = Payment.objects.filter(session=payment.session_id, kind=Kind.BONUS, cents=payment.cents)
    explained = same.filter(state=Payment.State.DONE).exclude(id=payment.id).count()
    if [int(cents) for cents in shown["bonus_payments"]].count(payment.cents) > explained:
        return True
    waited = payment.sent_at is not None and timezone.now() - payment.sent_at >= BONUS_PATIENCE
    return False if waited else None


def long_enough(reason: str) -> str:
    """The platform takes no rejection in fewer words."""
    return reason if len(reason) >= SHORTEST_REASON else f"{reason} {STANDING_REASON}".strip()


def amount(cents: int) -> str:
    """425 as `4.25`."""
    return f"{cents // 100}.{cents % 100:02d}"


def _move(client: Client, submission: str, goal: str, **said: str) -> None:
    try:
        client.tell("POST", f"/submissions/{submission}/transition/", said)
    except RefusedError:
        if read_submission(client, submission)["status"] != goal:
            raise


def _bonus_list(client: Client, payment: Payment) -> str:
    line = f"{payment.session.external_id},{amount(payment.cents)}"
    said = {"study_id": payment.session.offer.external_id, "csv_bonuses": line}
    try:
        return str(json_of(client.tell_once("POST", "/submissions/bonus-payments/", said))["id"])
    except UnsureError as unsure:
        raise NothingDoneError(f"{unsure} No bonus was paid.", out_of_reach=unsure.out_of_reach) from unsure
