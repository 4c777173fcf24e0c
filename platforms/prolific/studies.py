"""Studies: each made once under a name of ours, published, looked up and stopped."""

from platforms.contract.errors import PlatformError, RefusedError
from platforms.contract.platform import OfferStatus
from platforms.models import Offer
from platforms.prolific.client import Client, parse
from platforms.prolific.wire_format import Json, Study, StudyDetails

UNPUBLISHED = "UNPUBLISHED"
OPEN = frozenset({"SCHEDULED", "PUBLISHING", "ACTIVE", "PAUSED", "AWAITING REVIEW"})
"""A study without free places waits for review, and is active again when a place becomes free."""
HAS_PLACES = frozenset({"SCHEDULED", "PUBLISHING", "ACTIVE", "PAUSED"})


def publish_study(client: Client, offer: Offer, fields: Json) -> str:
    """Make and publish a study, and return its id.

    A second POST would make a second study, so a later try first searches for the study by its internal name.
    """
    study = find_study(client, offer.key) if offer.tries > 1 else None
    if study is None:
        study = parse(client.send_once("POST", "/studies/", fields), Study)
    if study.status == UNPUBLISHED:
        _publish(client, study.id)
    return study.id


def find_study(client: Client, internal_name: str) -> Study | None:
    """Return the study of this name; a published one comes before a draft, which takes no participants."""
    found = [study for study in client.rows("/studies/", Study) if study.internal_name == internal_name]
    return min(found, key=lambda study: study.status == UNPUBLISHED, default=None)


def stop_study(client: Client, study: str) -> None:
    path = f"/studies/{study}/"
    if client.read(path, Study).status not in OPEN:
        return
    try:
        client.send("POST", f"{path}transition/", {"action": "STOP"})
    except RefusedError:
        if client.read(path, Study).status in HAS_PLACES:
            raise


def status_of_study(client: Client, study: str) -> OfferStatus:
    """Return whether the study is open. A full study is: a place that is given back becomes free again."""
    shown = client.read(f"/studies/{study}/", StudyDetails)
    return OfferStatus(open=shown.status in OPEN, taken=shown.places_taken)


def _publish(client: Client, study: str) -> None:
    try:
        client.send("POST", f"/studies/{study}/transition/", {"action": "PUBLISH"})
    except RefusedError as refused:
        # A repetition after a lost answer is refused too, although the study is published.
        if client.read(f"/studies/{study}/", Study).status == UNPUBLISHED:
            _delete_draft(client, study)
            raise refused from None


def _delete_draft(client: Client, draft: str) -> None:
    """Delete a draft if possible; one that stays only clutters the requester's list."""
    try:
        client.send_once("DELETE", f"/studies/{draft}/")
    except PlatformError:
        return
