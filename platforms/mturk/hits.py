"""HITs: each made once, looked at, and withdrawn."""

import re
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from xml.sax.saxutils import escape

from django.conf import settings
from django.urls import reverse
from django.utils import timezone

from platforms.contract.errors import RefusedError, UnsureError
from platforms.contract.platform import OfferStatus, Published
from platforms.contract.terms import Terms
from platforms.models import Offer
from platforms.mturk.client import Turk, TurkRefusedError, Values
from platforms.mturk.money import dollars
from platforms.mturk.qualifications import requirements

MOST_PLACES = 9
"""From ten on the fee is twice as high, and a HIT made with fewer never gets more."""
LIFE_SECONDS = (30, 365 * 24 * 3600)
LONG_AGO = datetime(2015, 1, 1, tzinfo=UTC)
HIT_ID = re.compile(r"\b[A-Z0-9]{20,64}\b")
QUESTION = (
    '<ExternalQuestion xmlns="http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas/2006-07-14/'
    'ExternalQuestion.xsd"><ExternalURL>{}</ExternalURL><FrameHeight>0</FrameHeight></ExternalQuestion>'
)
"""Height 0: as high as the window."""


def make_type(turk: Turk, offer: Offer) -> str:
    """What offers that look the same have in common; the same values are the same type."""
    terms = Terms.read(offer.terms)
    made = turk(
        "create_hit_type",
        Title=terms.title,
        Description=terms.description,
        Keywords=terms.keywords,
        Reward=dollars(offer.reward_cents),
        AssignmentDurationInSeconds=offer.seconds,
        AutoApprovalDelayInSeconds=int(timedelta(days=terms.auto_approve_days).total_seconds()),
        QualificationRequirements=requirements(turk, offer),
    )
    return str(made["HITTypeId"])


def make_hit(turk: Turk, offer: Offer, hit_type: str) -> Published:
    """Never twice: the service remembers our token for a day, and after that the HIT is found by its annotation."""
    least, most = LIFE_SECONDS
    life = int((offer.expires_at - timezone.now()).total_seconds())
    try:
        made = turk(
            "create_hit_with_hit_type",
            HITTypeId=hit_type,
            MaxAssignments=offer.places,
            LifetimeInSeconds=max(least, min(life, most)),
            Question=QUESTION.format(escape(address_of(offer))),
            RequesterAnnotation=offer.key,
            UniqueRequestToken=offer.key,
        )
    except TurkRefusedError as refused:
        if "alreadyexist" not in refused.code:
            raise
        return _made_before(turk, offer, refused)
    return _published(made["HIT"])


def find_hit(turk: Turk, offer: Offer) -> Published | None:
    hits = turk.listed("list_hits", "HITs")
    return next((_published(hit) for hit in hits if hit.get("RequesterAnnotation") == offer.key), None)


def check_places(offer: Offer) -> None:
    if offer.places > MOST_PLACES:
        raise RefusedError(f"A HIT has up to {MOST_PLACES} places here, not {offer.places}: with ten the fee doubles.")


def address_of(offer: Offer) -> str:
    """Of the page that the service frames."""
    return settings.ADDRESS + reverse("platforms:mturk_work", args=[offer.key])


def end_hit(turk: Turk, offer: Offer) -> None:
    try:
        turk("update_expiration_for_hit", HITId=offer.external_id, ExpireAt=LONG_AGO)
    except TurkRefusedError:
        # The same said twice is refused, and so is what is over for good.
        if _takes_somebody(_shown(turk, offer.external_id)):
            raise


def standing_of(turk: Turk, offer: Offer) -> OfferStatus:
    """Full is not over: a place that is given back is free again."""
    hit = _shown(turk, offer.external_id)
    if not hit:
        return OfferStatus(open=False, taken=offer.taken)
    free = hit.get("NumberOfAssignmentsAvailable", 0)
    return OfferStatus(open=_takes_somebody(hit), taken=hit["MaxAssignments"] - free)


def _takes_somebody(hit: Values) -> bool:
    status = hit.get("HITStatus")
    return status == "Assignable" or (status == "Unassignable" and hit["Expiration"] > timezone.now())


def _shown(turk: Turk, hit_id: str) -> Values:
    """Empty: there is none any more; the service forgets a HIT months after it ended."""
    try:
        hit: Values = turk("get_hit", HITId=hit_id)["HIT"]
    except TurkRefusedError as refused:
        if "notexist" not in refused.code:
            raise
        return {}
    return hit


def _made_before(turk: Turk, offer: Offer, refused: TurkRefusedError) -> Published:
    """The refusal names the HIT; how it is worded is not documented, so what it names is looked at."""
    for name in HIT_ID.findall(str(refused)):
        with suppress(TurkRefusedError):
            hit = _shown(turk, name)
            if hit.get("RequesterAnnotation") == offer.key:
                return _published(hit)
    found = find_hit(turk, offer)
    if found is None:
        raise UnsureError(str(refused)) from refused
    return found


def _published(hit: Values) -> Published:
    return Published(hit["HITId"], hit.get("Expiration"))
