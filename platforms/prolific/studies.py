"""Studies: made once under a name of ours, published, looked at and stopped."""

from platforms.contract.errors import PlatformError, RefusedError
from platforms.contract.platform import OfferStatus
from platforms.models import Offer
from platforms.prolific.client import Client, Json, json_of

UNPUBLISHED = "UNPUBLISHED"
GOES_ON = frozenset({"SCHEDULED", "PUBLISHING", "ACTIVE", "PAUSED", "AWAITING REVIEW"})
"""A study whose places are all used waits, and goes on when one of them comes free."""
TAKES_SOMEBODY = frozenset({"SCHEDULED", "PUBLISHING", "ACTIVE", "PAUSED"})


def publish_study(client: Client, offer: Offer, fields: Json) -> str:
    """Its id. Making one is not idempotent, so a lost answer is followed by a search for its internal name."""
    study = find_study(client, offer.key) if offer.tries > 1 else None
    if study is None:
        study = json_of(client.tell_once("POST", "/studies/", fields))
    if study["status"] == UNPUBLISHED:
        _publish(client, study["id"])
    return str(study["id"])


def find_study(client: Client, internal_name: str) -> Json | None:
    """One that was published rather than a draft: a draft takes nobody."""
    found = [study for study in client.rows("/studies/") if study.get("internal_name") == internal_name]
    return min(found, key=lambda study: study["status"] == UNPUBLISHED, default=None)


def stop_study(client: Client, study: str) -> None:
    path = f"/studies/{study}/"
    if client.read(path)["status"] not in GOES_ON:
        return
    try:
        client.tell("POST", f"{path}transition/", {"action": "STOP"})
    except RefusedError:
        if client.read(path)["status"] in TAKES_SOMEBODY:
            raise


def standing_of(client: Client, study: str) -> OfferStatus:
    shown = client.read(f"/studies/{study}/")
    return OfferStatus(open=shown["status"] in GOES_ON, taken=shown["places_taken"])


def _publish(client: Client, study: str) -> None:
    try:
        client.tell("POST", f"/studies/{study}/transition/", {"action": "PUBLISH"})
    except RefusedError as refused:
        # Said a second time after a lost answer it is refused as well.
        if client.read(f"/studies/{study}/")["status"] == UNPUBLISHED:
            _clear_away(client, study)
            raise refused from None


def _clear_away(client: Client, draft: str) -> None:
    """Best effort: a draft that stays does no harm but to the requester's list."""
    try:
        client.tell_once("DELETE", f"/studies/{draft}/")
    except PlatformError:
        return
