"""Who finds an offer: experience, and a qualification of our own for each task, which tells newcomers from the rest."""

from django.conf import settings
from django.utils.crypto import salted_hmac

from platforms.contract.errors import PlatformError, RefusedError, UnsureError
from platforms.contract.terms import Terms
from platforms.models import Counterpart, Offer
from platforms.mturk import NAME
from platforms.mturk.client import Turk, TurkRefusedError, Values

APPROVED, PERCENT = "00000000000000000040", "000000000000000000L0"
"""How many HITs of a worker were approved, and what share of them: the service's own."""
PASSED, OUT = 1, 0
"""Values of our own qualification; newcomers have none."""
# Who does not fit does not find it: nobody reads instructions, or previews pages, of work that they can't take.
GUARDED = "DiscoverPreviewAndAccept"
DESCRIPTION = (
    "Given to who has passed the test of this task, which is a HIT of its own. It can't be asked for: take that HIT."
)


def requirements(turk: Turk, offer: Offer) -> list[Values]:
    """What an offer asks of workers, as a HIT type has it [paper 3.3]."""
    own = type_id(turk, offer.project_id, offer.task)
    if offer.kind == Offer.Kind.WORK:
        return [_at_least(own, PASSED)]
    terms = Terms.read(offer.terms)
    experience = ((APPROVED, terms.approved_least), (PERCENT, terms.approved_percent))
    newcomer = {"QualificationTypeId": own, "Comparator": "DoesNotExist", "ActionsGuarded": GUARDED}
    return [*(_at_least(kind, least) for kind, least in experience if least), newcomer]


def screen(turk: Turk, *, project_id: int, task: str, passed: dict[str, bool | None]) -> None:
    """Everybody is told of, also after one was refused; then that is raised."""
    own, refused = type_id(turk, project_id, task), None
    for worker, result in passed.items():
        try:
            _tell(turk, own, worker, result)
        except RefusedError as error:
            refused = error
    if refused:
        raise refused


def type_id(turk: Turk, project_id: int, task: str) -> str:
    """Of our qualification for a task; made when it is needed first, and remembered."""
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


def _tell(turk: Turk, own: str, worker: str, result: bool | None) -> None:
    who = {"QualificationTypeId": own, "WorkerId": worker}
    if result is not None:
        value = PASSED if result else OUT
        # A mail for each would tell them what the page has told them already.
        turk("associate_qualification_with_worker", **who, IntegerValue=value, SendNotification=False)
        return
    try:
        turk("disassociate_qualification_from_worker", **who)
    except TurkRefusedError:
        if _has_one(turk, who):
            raise


def _has_one(turk: Turk, who: Values) -> bool:
    try:
        score = turk("get_qualification_score", **who)
    except TurkRefusedError:
        return False
    return bool(score["Qualification"].get("Status") == "Granted")


def _make_or_find(turk: Turk, name: str) -> str:
    try:
        made = turk("create_qualification_type", Name=name, Description=DESCRIPTION, QualificationTypeStatus="Active")[
            "QualificationType"
        ]
    except TurkRefusedError as refused:
        made = _find(turk, name, refused)
    return str(made["QualificationTypeId"])


def _find(turk: Turk, name: str, refused: TurkRefusedError) -> Values:
    """One whose making was answered with a refusal: perhaps it was made before, and the answer was lost."""
    own = {"MustBeRequestable": False, "MustBeOwnedByCaller": True}
    for kind in turk.listed("list_qualification_types", "QualificationTypes", Query=name, **own):
        if kind["Name"] == name:
            return kind
    raise _not_there(refused)


def _not_there(refused: TurkRefusedError) -> PlatformError:
    # What was made a moment ago is not found by a search yet.
    return UnsureError(str(refused)) if "alreadyexist" in refused.code else refused


def _mark() -> str:
    """Tells the qualifications of two services with one account apart: their projects have the same numbers."""
    return salted_hmac("mturk.qualifications", settings.ADDRESS, algorithm="sha256").hexdigest()[:8]
