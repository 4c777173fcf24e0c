"""Whether somebody who comes with these ids was sent by the platform, to this offer, and is at work."""

import re
from dataclasses import dataclass

from platforms.contract.errors import RefusedError, UnknownVisitorError
from platforms.models import Offer
from platforms.prolific.client import Client
from platforms.prolific.submissions import ACTIVE, read_submission

ID = re.compile(r"[0-9A-Za-z]{8,64}")
STRANGER = "This page opens from Prolific only: begin there."
OVER = "This place was given back, handed in, or its time ran out. You can take another one on Prolific."


@dataclass(frozen=True, slots=True)
class Visit:
    """As the address says: anybody may have written it."""

    participant: str
    study: str
    submission: str

    @property
    def is_well_formed(self) -> bool:
        return all(ID.fullmatch(one) for one in (self.participant, self.study, self.submission))


def check_visit(client: Client, offer: Offer, visit: Visit) -> None:
    """UnknownVisitorError: the platform knows nothing of it. Any other PlatformError: it could not be asked."""
    if not visit.is_well_formed or (offer.external_id and offer.external_id != visit.study):
        raise UnknownVisitorError(STRANGER)
    try:
        shown = read_submission(client, visit.submission)
        # A study can have visitors before we know its id: the answer to its making was lost.
        known = offer.external_id or client.read(f"/studies/{visit.study}/").get("internal_name") == offer.key
    except RefusedError as refused:
        raise UnknownVisitorError(STRANGER) from refused
    if not known or (shown["participant"], shown["study_id"]) != (visit.participant, visit.study):
        raise UnknownVisitorError(STRANGER)
    if shown["status"] != ACTIVE:
        raise UnknownVisitorError(OVER)
