"""HITs: each made once, looked up, and withdrawn."""

import re
from contextlib import suppress
from datetime import UTC, datetime, timedelta

from django.conf import settings
from django.urls import reverse

from platforms.contract.errors import RefusedError, UnsureError
from platforms.contract.platform import OfferStatus, Published
from platforms.contract.terms import RecruitmentTerms
from platforms.models import Offer
from platforms.mturk.client import Turk, TurkRefusedError, parse_values
from platforms.mturk.qualifications import requirements
from platforms.mturk.wire_format import HIT, HITDetails, dollars, question_of
from runtime import clock

MOST_PLACES = 9
"""From ten on the fee doubles, and a HIT that was made with fewer can never have more."""
LIFE_SECONDS = (30, 365 * 24 * 3600)
LONG_AGO = datetime(2015, 1, 1, tzinfo=UTC)
HIT_ID = re.compile(r"\b[A-Z0-9]{20,64}\b")


def make_type(turk: Turk, offer: Offer) -> str:
    """Return the id of the offer's HIT type. The same values always give the same type."""
    terms = RecruitmentTerms(**offer.terms)
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
    """Make the HIT, or find it: our token prevents a second one for a day, and later `find_hit` is asked first."""
    shortest, longest = LIFE_SECONDS
    life = int((offer.expires_at - clock.now()).total_seconds())
    try:
        made = turk(
            "create_hit_with_hit_type",
            HITTypeId=hit_type,
            MaxAssignments=offer.places,
            LifetimeInSeconds=max(shortest, min(life, longest)),
            Question=question_of(hit_address(offer)),
            RequesterAnnotation=offer.key,
            UniqueRequestToken=offer.key,
        )
    except TurkRefusedError as refused:
        if "alreadyexist" not in refused.code:
            raise
        return _made_before(turk, offer, refused)
    return _published(parse_values(made["HIT"], HIT))


def find_hit(turk: Turk, offer: Offer) -> Published | None:
    """Return the offer's HIT, found by its annotation."""
    hits = (parse_values(values, HIT) for values in turk.listed("list_hits", "HITs"))
    return next((_published(hit) for hit in hits if hit.annotation == offer.key), None)


def check_places(offer: Offer) -> None:
    if offer.places > MOST_PLACES:
        raise RefusedError(f"A HIT has up to {MOST_PLACES} places here, not {offer.places}: with ten the fee doubles.")


def hit_address(offer: Offer) -> str:
    """Return the address of the page that Mechanical Turk frames."""
    return settings.ADDRESS + reverse("platforms:mturk_work", args=[offer.key])


def end_hit(turk: Turk, offer: Offer) -> None:
    try:
        turk("update_expiration_for_hit", HITId=offer.external_id, ExpireAt=LONG_AGO)
    except TurkRefusedError:
        # Mechanical Turk refuses a repetition, and to end a HIT that is over.
        hit = _find(turk, offer.external_id)
        if hit and _is_open(hit):
            raise


def status_of_hit(turk: Turk, offer: Offer) -> OfferStatus:
    """Return whether the HIT is open. A full HIT is: a place that is given back becomes free again."""
    hit = _find(turk, offer.external_id)
    if hit is None:
        return OfferStatus(open=False, taken=offer.taken)
    return OfferStatus(open=_is_open(hit), taken=hit.places - hit.free)


def _is_open(hit: HIT) -> bool:
    if hit.status != "Unassignable":
        return hit.status == "Assignable"
    return hit.expires_at is not None and hit.expires_at > clock.now()


def _find(turk: Turk, hit_id: str) -> HITDetails | None:
    """Return the HIT; None: Mechanical Turk has forgotten it, some months after its end."""
    try:
        return parse_values(turk("get_hit", HITId=hit_id)["HIT"], HITDetails)
    except TurkRefusedError as refused:
        if "notexist" not in refused.code:
            raise
        return None


def _made_before(turk: Turk, offer: Offer, refused: TurkRefusedError) -> Published:
    """Return the HIT that the refusal names. Its wording is not documented, so every id in it is looked up."""
    for hit_id in HIT_ID.findall(str(refused)):
        with suppress(TurkRefusedError):
            hit = _find(turk, hit_id)
            if hit and hit.annotation == offer.key:
                return _published(hit)
    found = find_hit(turk, offer)
    if found is None:
        raise UnsureError(str(refused)) from refused
    return found


def _published(hit: HIT) -> Published:
    return Published(hit.id, hit.expires_at)
