"""Submissions as Prolific lists them, translated into sessions; decisions and bonuses, each sent once and read back."""

from collections.abc import Iterator
from datetime import timedelta

from platforms.contract import Bonus, ListedSession
from platforms.errors import NothingDoneError, RefusedError, UnsureError
from platforms.models import Offer, Payment, Session
from platforms.prolific.client import Client, ThrottledError, parse
from platforms.prolific.wire_format import (
    Created,
    Json,
    ListedSubmission,
    Submission,
    SubmissionBonuses,
    bonus_list_of,
    code_of,
    part_of,
    rejection_of,
)
from runtime import clock

PlatformState = Session.PlatformState
APPROVED, REJECTED, AWAITING_REVIEW = "APPROVED", "REJECTED", "AWAITING REVIEW"
PARTLY_APPROVED = "PARTIALLY APPROVED"
ACTIVE, TIMED_OUT = "ACTIVE", "TIMED-OUT"
STATES = {
    AWAITING_REVIEW: PlatformState.SUBMITTED,
    APPROVED: PlatformState.APPROVED,
    PARTLY_APPROVED: PlatformState.APPROVED,
    REJECTED: PlatformState.REJECTED,
    "RETURNED": PlatformState.RETURNED,
    TIMED_OUT: PlatformState.RETURNED,
    "SCREENED OUT": PlatformState.RETURNED,
}
"""State by Prolific's status; a submission with any other status is under way."""


def sessions_of(client: Client, offer: Offer) -> Iterator[ListedSession]:
    for row in _listed(client, offer):
        state = _state(row, code_of(offer))
        if state is not None:
            yield ListedSession(row.id, worker_of(offer, row.participant_id, row.id), state, row.completed_at)


def worker_of(offer: Offer, participant: str, submission: str) -> str:
    """Return our worker's external id. A test participant is a new worker in each session, to take the test again."""
    return f"test {submission}" if offer.kind == Offer.Kind.TEST else participant


def bonuses_of(client: Client, offer: Offer) -> Iterator[Bonus]:
    """Yield the bonuses of an offer. Takes a call for each submission, because the list does not show bonuses."""
    for row in _listed(client, offer):
        if row.status in STATES:
            for cents in read_bonuses(client, row.id).bonus_payments:
                yield Bonus(row.id, row.participant_id, cents)


def read_submission(client: Client, submission: str) -> Submission:
    return client.read(f"/submissions/{submission}/", Submission)


def read_bonuses(client: Client, submission: str) -> SubmissionBonuses:
    return client.read(f"/submissions/{submission}/", SubmissionBonuses)


def _listed(client: Client, offer: Offer) -> Iterator[ListedSubmission]:
    return client.rows(f"/studies/{offer.external_id}/submissions/", ListedSubmission)


def _state(row: ListedSubmission, code: str) -> Session.PlatformState | None:
    # A participant who brings the code after the deadline did the work, and can still be approved.
    if row.status == TIMED_OUT and row.study_code == code:
        return PlatformState.SUBMITTED
    return STATES.get(row.status)


Kind = Payment.Kind
STATUS_AFTER = {
    Kind.APPROVE: APPROVED,
    Kind.PART: PARTLY_APPROVED,
    Kind.OVERRIDE: APPROVED,
    Kind.REJECT: REJECTED,
}
BONUS_LISTED_WITHIN = timedelta(hours=24)
"""Prolific pays bonuses some minutes later. A bonus that is not listed after so long was never received."""


def send_decision(client: Client, payment: Payment) -> None:
    """Approve, approve for a part, reject, or approve after all. A repetition changes nothing."""
    submission = payment.session.external_id
    if payment.kind == Kind.OVERRIDE and read_submission(client, submission).status == REJECTED:
        _move(client, submission, AWAITING_REVIEW, {"action": "UNREJECT"})
    if payment.kind == Kind.REJECT:
        _move(client, submission, REJECTED, rejection_of(payment.reason))
    elif payment.kind == Kind.PART:
        step = part_of(payment.session.offer, payment.cents, payment.reason)
        _move(client, submission, PARTLY_APPROVED, step)
    else:
        _move(client, submission, APPROVED, {"action": "APPROVE"})


def request_return(client: Client, submission: str, reason: str) -> None:
    """Send the participant a message, once."""
    client.send_once("POST", f"/submissions/{submission}/request-return/", {"request_return_reasons": [reason]})


def pay_bonus(client: Client, payment: Payment) -> str:
    """Pay a bonus, and return the id of its bonus list.

    To make a list pays nothing. The call that pays the list is sent once: two calls would pay twice.
    """
    bonus_list = _make_bonus_list(client, payment)
    try:
        client.send_once("POST", f"/bulk-bonus-payments/{bonus_list}/pay/")
    except (UnsureError, ThrottledError) as error:
        # A throttled call most likely did nothing. That is not certain enough to pay again.
        message = f"{error} The call was to pay bonus list {bonus_list}."
        raise UnsureError(message, out_of_reach=error.out_of_reach) from error
    return bonus_list


def was_done(client: Client, payment: Payment) -> bool | None:
    """Return whether the payment took effect; None: a bonus may still be listed later."""
    if payment.kind != Kind.BONUS:
        return read_submission(client, payment.session.external_id).status == STATUS_AFTER[Kind(payment.kind)]
    listed = read_bonuses(client, payment.session.external_id).bonus_payments
    same = Payment.objects.filter(session=payment.session_id, kind=Kind.BONUS, cents=payment.cents)
    others = same.filter(state=Payment.State.DONE).exclude(id=payment.id).count()
    if listed.count(payment.cents) > others:
        return True
    is_late = payment.sent_at is not None and clock.now() - payment.sent_at >= BONUS_LISTED_WITHIN
    return False if is_late else None


def _move(client: Client, submission: str, goal: str, step: Json) -> None:
    try:
        client.send("POST", f"/submissions/{submission}/transition/", step)
    except RefusedError:
        if read_submission(client, submission).status != goal:
            raise


def _make_bonus_list(client: Client, payment: Payment) -> str:
    session = payment.session
    body = bonus_list_of(session.offer.external_id, session.external_id, payment.cents)
    try:
        return parse(client.send_once("POST", "/submissions/bonus-payments/", body), Created).id
    except UnsureError as error:
        raise NothingDoneError(f"{error} No bonus was paid.", out_of_reach=error.out_of_reach) from error
