"""Submissions as the platform lists them, in our words."""

from collections.abc import Iterator
from datetime import datetime

from django.utils.dateparse import parse_datetime

from platforms.contract.platform import Bonus, Seen
from platforms.models import Offer, Session
from platforms.prolific.client import Client, Json
from platforms.prolific.fields import code_of

PlatformState = Session.PlatformState
APPROVED, REJECTED, AWAITING_REVIEW = "APPROVED", "REJECTED", "AWAITING REVIEW"
ACTIVE, TIMED_OUT = "ACTIVE", "TIMED-OUT"
THERE = {
    AWAITING_REVIEW: PlatformState.SUBMITTED,
    APPROVED: PlatformState.APPROVED,
    REJECTED: PlatformState.REJECTED,
    "RETURNED": PlatformState.RETURNED,
    TIMED_OUT: PlatformState.RETURNED,
    "SCREENED OUT": PlatformState.RETURNED,
}
"""Others are under way."""


def sessions_of(client: Client, offer: Offer) -> Iterator[Seen]:
    for row in client.rows(f"/studies/{offer.external_id}/submissions/"):
        there = _there(row, code_of(offer))
        if there is not None:
            yield Seen(row["id"], row["participant_id"], there, _moment(row.get("completed_at")))


def bonuses_of(client: Client, offer: Offer) -> Iterator[Bonus]:
    """Only the single submission says what it was paid: a call for each."""
    for row in client.rows(f"/studies/{offer.external_id}/submissions/"):
        if row["status"] in THERE:
            for cents in read_submission(client, row["id"])["bonus_payments"]:
                yield Bonus(row["id"], row["participant_id"], int(cents))


def read_submission(client: Client, submission: str) -> Json:
    return client.read(f"/submissions/{submission}/")


def _there(row: Json, code: str) -> Session.PlatformState | None:
    # Who comes back with the code after their time did the work, and can still be approved.
    if row["status"] == TIMED_OUT and row.get("study_code") == code:
        return PlatformState.SUBMITTED
    return THERE.get(row["status"])


def _moment(written: str | None) -> datetime | None:
    return parse_datetime(written) if written else None
