"""Submissions as Prolific lists them, translated into sessions and bonuses."""

from collections.abc import Iterator

from platforms.contract.platform import Bonus, ListedSession
from platforms.models import Offer, Session
from platforms.prolific.client import Client
from platforms.prolific.wire_format import ListedSubmission, Submission, SubmissionBonuses, code_of

PlatformState = Session.PlatformState
APPROVED, REJECTED, AWAITING_REVIEW = "APPROVED", "REJECTED", "AWAITING REVIEW"
ACTIVE, TIMED_OUT = "ACTIVE", "TIMED-OUT"
STATES = {
    AWAITING_REVIEW: PlatformState.SUBMITTED,
    APPROVED: PlatformState.APPROVED,
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
            yield ListedSession(row.id, row.participant_id, state, row.completed_at)


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
