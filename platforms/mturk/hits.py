"""HITs, each made once, looked up and withdrawn; the qualifications that they require."""

import re
from contextlib import suppress
from datetime import UTC, datetime, timedelta

from django.conf import settings
from django.urls import reverse
from django.utils.crypto import salted_hmac

from platforms.contract import OfferStatus, Published, RecruitmentTerms
from platforms.errors import RefusedError, UnsureError
from platforms.models import Counterpart, Offer
from platforms.mturk import NAME
from platforms.mturk.client import (
    HIT,
    HITDetails,
    QualificationType,
    Turk,
    TurkRefusedError,
    Values,
    dollars,
    parse_values,
    question_of,
)
from runtime import clock

APPROVED, PERCENT = "00000000000000000040", "000000000000000000L0"
"""Mechanical Turk's own qualifications: number and percentage of a worker's approved HITs."""
PASSED, EXCLUDED = 1, 0
"""Values of our qualification; newcomers do not have it."""
# Hides an offer from workers who may not take it, so that nobody reads instructions in vain.
GUARDED = "DiscoverPreviewAndAccept"
DESCRIPTION = (
    "Given to workers who passed the test of this task, which is a HIT of its own. "
    "It cannot be requested: take that HIT."
)


def requirements(turk: Turk, offer: Offer) -> list[Values]:
    """Return what an offer requires of workers, in the form of a HIT type [paper 3.3]."""
    own = type_id(turk, offer.project_id, offer.task)
    if offer.kind == Offer.Kind.WORK:
        return [_at_least(own, PASSED)]
    terms = RecruitmentTerms(**offer.terms)
    experience = ((APPROVED, terms.approved_least), (PERCENT, terms.approved_percent))
    newcomer = {"QualificationTypeId": own, "Comparator": "DoesNotExist", "ActionsGuarded": GUARDED}
    return [*(_at_least(kind, least) for kind, least in experience if least), newcomer]


def screen(turk: Turk, *, project_id: int, task: str, passed: dict[str, bool | None]) -> None:
    """Report every worker's result. If some were refused, raises the last refusal after all were sent."""
    own, refused = type_id(turk, project_id, task), None
    for worker, result in passed.items():
        try:
            _report(turk, own, worker, result=result)
        except RefusedError as error:
            refused = error
    if refused:
        raise refused


def type_id(turk: Turk, project_id: int, task: str) -> str:
    """Return the id of our qualification for a task; it is made when first needed, and its id is kept."""
    known = Counterpart.objects.filter(platform=NAME, name=f"qualification {project_id} {task}").first()
    if known is None:
        made = _make_or_find(turk, f"Chainbox {_mark()}: {task.replace('_', ' ')}, project {project_id}")
        known, _ = Counterpart.objects.get_or_create(
            platform=NAME, name=f"qualification {project_id} {task}", defaults={"external_id": made}
        )
    return known.external_id


def _at_least(kind: str, value: int) -> Values:
    return {
        "QualificationTypeId": kind,
        "Comparator": "GreaterThanOrEqualTo",
        "IntegerValues": [value],
        "ActionsGuarded": GUARDED,
    }


def _report(turk: Turk, own: str, worker: str, *, result: bool | None) -> None:
    key = {"QualificationTypeId": own, "WorkerId": worker}
    if result is not None:
        value = PASSED if result else EXCLUDED
        # No mail: the worker has read the result on our page.
        turk("associate_qualification_with_worker", **key, IntegerValue=value, SendNotification=False)
        return
    try:
        turk("disassociate_qualification_from_worker", **key)
    except TurkRefusedError:
        if _has_one(turk, key):
            raise


def _has_one(turk: Turk, key: Values) -> bool:
    try:
        score = turk("get_qualification_score", **key)
    except TurkRefusedError:
        return False
    return bool(score["Qualification"].get("Status") == "Granted")


def _make_or_find(turk: Turk, name: str) -> str:
    try:
        made = turk("create_qualification_type", Name=name, Description=DESCRIPTION, QualificationTypeStatus="Active")
    except TurkRefusedError as refused:
        return _find_type(turk, name, refused).id
    return parse_values(made["QualificationType"], QualificationType).id


def _find_type(turk: Turk, name: str, refused: TurkRefusedError) -> QualificationType:
    """Return the qualification type that an earlier try made, and whose answer was lost."""
    ours = {"MustBeRequestable": False, "MustBeOwnedByCaller": True}
    for values in turk.listed("list_qualification_types", "QualificationTypes", Query=name, **ours):
        found = parse_values(values, QualificationType)
        if found.name == name:
            return found
    if "alreadyexist" in refused.code:
        # A search does not find a type that was made a moment ago.
        raise UnsureError(str(refused))
    raise refused


def _mark() -> str:
    """Return a mark of this service, because another one that shares the account numbers its projects alike."""
    return salted_hmac("mturk.qualifications", settings.ADDRESS, algorithm="sha256").hexdigest()[:8]


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
