"""Qualifications that an offer requires: experience, and a test result, which has a qualification for each task."""

from django.conf import settings
from django.utils.crypto import salted_hmac

from platforms.contract.errors import RefusedError, UnsureError
from platforms.contract.terms import RecruitmentTerms
from platforms.models import Counterpart, Offer
from platforms.mturk import NAME
from platforms.mturk.client import Turk, TurkRefusedError, Values, parse_values
from platforms.mturk.wire_format import QualificationType

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
        return _find(turk, name, refused).id
    return parse_values(made["QualificationType"], QualificationType).id


def _find(turk: Turk, name: str, refused: TurkRefusedError) -> QualificationType:
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
