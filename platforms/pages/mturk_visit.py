"""Whether somebody who comes with these parameters can have been sent by the service, to this offer."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from platforms.contract.errors import UnknownVisitorError
from platforms.models import Offer
from platforms.mturk.modes import origin

ID, WORKER = re.compile(r"[A-Z0-9]{1,64}"), re.compile(r"A[A-Z0-9]{1,63}")
NOT_ACCEPTED = "ASSIGNMENT_ID_NOT_AVAILABLE"
STRANGER = "This page opens from Mechanical Turk only: begin there."
ELSEWHERE = "This page was opened for another HIT. Go back to Mechanical Turk and open it from there."
OVER = "This HIT has ended. PlatformState may be others on Mechanical Turk."
NOT_YET = "This HIT is being set up. Reload this page in a minute: your place is kept."


class VisitError(UnknownVisitorError):
    """As it is, with the status of the answer."""

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status


@dataclass(frozen=True, slots=True)
class Visit:
    """As the address says: anybody may have written it."""

    assignment: str
    hit: str
    worker: str
    submit_to: str

    @classmethod
    def read(cls, parameters: Mapping[str, str]) -> "Visit":
        return cls(*(parameters.get(name, "") for name in ("assignmentId", "hitId", "workerId", "turkSubmitTo")))

    @property
    def is_preview(self) -> bool:
        return self.assignment in ("", NOT_ACCEPTED)

    def site(self, sites: Sequence[str]) -> str:
        """Where its form goes: the service does not always say. VisitError: to somebody else."""
        if not self.submit_to:
            return sites[0]
        named = origin(self.submit_to)
        if named not in sites or self.submit_to not in (named, f"{named}/"):
            raise VisitError(STRANGER, 403)
        return named


def check_visit(visit: Visit, offer: Offer, now: datetime) -> None:
    """VisitError. The service signs nothing: who is paid is decided by what it lists, not by who came."""
    if not (ID.fullmatch(visit.assignment) and ID.fullmatch(visit.hit) and WORKER.fullmatch(visit.worker)):
        raise VisitError(STRANGER, 400)
    if not offer.external_id:
        # The answer to its making was lost; the next look finds its name.
        raise VisitError(NOT_YET, 503)
    if visit.hit != offer.external_id:
        raise VisitError(ELSEWHERE, 403)
    # Accepted in the last moment, it may be worked on for as long as any other.
    if offer.expires_at + timedelta(seconds=offer.seconds) <= now:
        raise VisitError(OVER, 410)


def check_preview(offer: Offer, now: datetime) -> None:
    """VisitError."""
    if offer.state in (Offer.State.ENDING, Offer.State.ENDED) or offer.expires_at <= now:
        raise VisitError(OVER, 410)
