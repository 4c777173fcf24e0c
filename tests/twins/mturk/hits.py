"""Operations on HIT types and HITs."""

from datetime import timedelta
from decimal import Decimal
from typing import Any

from tests.twins.mturk.account import Account, TurkError, invalid, page, processed, unknown
from tests.twins.mturk.assignments import expire, notice
from tests.twins.mturk.qualifications import check_requirements
from tests.twins.mturk.records import HIT, HITType, shown_hit
from tests.twins.mturk.worker_side import parse

Values = dict[str, Any]
VERSIONS = ("2006-05-05", "2014-08-15")
YEAR = 365 * 24 * 3600
MONTH = 30 * 24 * 3600
LENGTHS = {"Title": 128, "Description": 2000, "Keywords": 1000, "RequesterAnnotation": 255}
RANGES = {
    "LifetimeInSeconds": (30, YEAR),
    "AssignmentDurationInSeconds": (30, YEAR),
    "AutoApprovalDelayInSeconds": (0, MONTH),
    "MaxAssignments": (1, 10**9),
}


def check_ranges(params: Values) -> None:
    """Raises TurkError for a text too long or a number out of range."""
    for name, value in params.items():
        if name in LENGTHS and len(value) > LENGTHS[name]:
            raise invalid(f"{name} is longer than {LENGTHS[name]} characters.")
        low, high = RANGES.get(name, (value, value))
        if not low <= value <= high:
            raise invalid(f"{name} must be between {low} and {high}.")


def create_hit_type(account: Account, params: Values) -> Values:
    return {"HITTypeId": find_or_make_type(account, params).id}


def find_or_make_type(account: Account, params: Values) -> HITType:
    """The same values give the same type."""
    check_ranges(params)
    requirements = params.get("QualificationRequirements", [])
    check_requirements(account, requirements)
    values = {
        "title": params["Title"], "description": params["Description"], "keywords": params.get("Keywords", ""),
        "reward": Decimal(params["Reward"]), "duration": params["AssignmentDurationInSeconds"],
        "auto_approval": params.get("AutoApprovalDelayInSeconds", MONTH),
        "requirements": requirements,
    }  # fmt: skip
    same = (kind for kind in account.hit_types.values() if all(getattr(kind, name) == values[name] for name in values))
    return next(same, None) or add_type(account, values)


def add_type(account: Account, values: Values) -> HITType:
    kind = HITType(id=account.new_id(), **values)
    account.hit_types[kind.id] = kind
    return kind


def create_hit_with_hit_type(account: Account, params: Values) -> Values:
    refuse_repetition(account, params)
    if params["HITTypeId"] not in account.hit_types:
        raise unknown("HITType", params["HITTypeId"])
    return offer(account, account.hit_types[params["HITTypeId"]], params)


def refuse_repetition(account: Account, params: Values) -> None:
    earlier = account.earlier("HIT", params.get("UniqueRequestToken"))
    if earlier:
        raise TurkError("HitAlreadyExists", f"The HIT with ID {earlier} already exists for this UniqueRequestToken.")


def offer(account: Account, kind: HITType, params: Values) -> Values:
    check_ranges(params)
    if "Question" not in params:
        raise invalid("The twin takes HITs with a Question only, none with a layout.")
    parse(params["Question"])
    expiration = account.now + timedelta(seconds=params["LifetimeInSeconds"])
    most, annotation = params.get("MaxAssignments", 1), params.get("RequesterAnnotation", "")
    hit = HIT(account.new_id(), kind, params["Question"], most, account.now, expiration, annotation)
    account.need(hit.reserved(account.now))
    account.hits[hit.id] = hit
    account.remember("HIT", params.get("UniqueRequestToken"), hit.id)
    account.tell("HITCreated", hit, account.now)
    return {"HIT": shown_hit(hit, account.now)}


def get_hit(account: Account, params: Values) -> Values:
    return {"HIT": shown_hit(account.hit(params["HITId"]), account.now)}


def list_hits(account: Account, params: Values) -> Values:
    return page(account, [shown_hit(hit, account.now) for hit in account.hits.values()], params, "HITs")


def update_expiration(account: Account, params: Values) -> Values:
    hit, when = account.hit(params["HITId"]), params["ExpireAt"]
    # Seen from the real service: the same time twice for one HIT counts as the same request twice.
    token = f"{hit.id}{when:%a %b %d %H:%M:%S UTC %Y}"
    earlier = account.earlier("expiration", token)
    if earlier:
        raise processed(token, earlier)
    account.remember("expiration", token, account.new_id())
    extended, hit.expiration = when > max(hit.expiration, account.now), when
    if when <= account.now:
        if not hit.expired:
            expire(account, hit, account.now)
    else:
        hit.expired = None
    if extended:
        account.tell("HITExtended", hit, account.now)
    notice(account, hit, account.now)
    return {}


def update_notification_settings(account: Account, params: Values) -> Values:
    kind, notification = params["HITTypeId"], params.get("Notification", {})
    if kind not in account.hit_types:
        raise unknown("HITType", kind)
    earlier = account.notifications.get(kind, {})
    if not notification and not earlier:
        raise invalid("This HIT type has no notification specification yet.")
    if notification and notification["Version"] not in VERSIONS:
        raise invalid(f"Version must be {' or '.join(VERSIONS)}.")
    if "Ping" in notification.get("EventTypes", []):
        raise invalid("Ping is for SendTestEventNotification only.")
    account.notifications[kind] = {"Active": True, **earlier, **params}
    return {}
