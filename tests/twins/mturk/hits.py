"""Operations on HIT types and HITs."""

from datetime import timedelta
from decimal import Decimal
from typing import Any

from tests.twins.mturk import shown
from tests.twins.mturk.account import Account, page
from tests.twins.mturk.errors import TurkError, invalid, processed, unknown, wrong_state
from tests.twins.mturk.lifecycle import dispose, expire, notice
from tests.twins.mturk.qualifications import check_requirements
from tests.twins.mturk.questions import parse
from tests.twins.mturk.records import HIT, MANY, HITType

Values = dict[str, Any]
YEAR = 365 * 24 * 3600
MONTH = 30 * 24 * 3600
LENGTHS = {"Title": 128, "Description": 2000, "Keywords": 1000, "RequesterAnnotation": 255}
RANGES = {
    "LifetimeInSeconds": (30, YEAR),
    "AssignmentDurationInSeconds": (30, YEAR),
    "AutoApprovalDelayInSeconds": (0, MONTH),
    "MaxAssignments": (1, 10**9),
    "NumberOfAdditionalAssignments": (1, 10**9),
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
        "title": params["Title"],
        "description": params["Description"],
        "reward": Decimal(params["Reward"]),
        "duration": params["AssignmentDurationInSeconds"],
        "auto_approval": params.get("AutoApprovalDelayInSeconds", MONTH),
        "keywords": params.get("Keywords", ""),
        "requirements": requirements,
    }
    same = (kind for kind in account.hit_types.values() if all(getattr(kind, name) == values[name] for name in values))
    return next(same, None) or add_type(account, values)


def add_type(account: Account, values: Values) -> HITType:
    kind = HITType(id=account.new_id(), **values)
    account.hit_types[kind.id] = kind
    return kind


def create_hit(account: Account, params: Values) -> Values:
    refuse_repetition(account, params)
    return offer(account, find_or_make_type(account, params), params)


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
    hit = HIT(
        id=account.new_id(),
        type=kind,
        question=params["Question"],
        max_assignments=params.get("MaxAssignments", 1),
        created=account.now,
        expiration=account.now + timedelta(seconds=params["LifetimeInSeconds"]),
        annotation=params.get("RequesterAnnotation", ""),
    )
    account.need(hit.reserved(account.now))
    account.hits[hit.id] = hit
    account.remember("HIT", params.get("UniqueRequestToken"), hit.id)
    account.tell("HITCreated", hit, account.now)
    return {"HIT": shown.hit(account, hit)}


def get_hit(account: Account, params: Values) -> Values:
    return {"HIT": shown.hit(account, account.hit(params["HITId"]))}


def list_hits(account: Account, params: Values) -> Values:
    return page(account, [shown.hit(account, hit) for hit in account.hits.values() if not hit.disposed], params, "HITs")


def list_reviewable_hits(account: Account, params: Values) -> Values:
    kind, status = params.get("HITTypeId"), params.get("Status", "Reviewable")
    hits = [hit for hit in account.hits.values() if hit.status(account.now) == status and kind in (None, hit.type.id)]
    return page(account, [shown.hit(account, hit) for hit in hits], params, "HITs")


def create_additional_assignments(account: Account, params: Values) -> Values:
    token = params.get("UniqueRequestToken")
    earlier = account.earlier("extend", token)
    if earlier:
        raise processed(token or "", earlier)
    check_ranges(params)
    hit, more = alive(account, params["HITId"]), params["NumberOfAdditionalAssignments"]
    if not hit.costs_more and hit.max_assignments + more >= MANY:
        raise TurkError("InvalidMaximumAssignmentsIncrease", "Made with fewer than 10 assignments, it can't have 10.")
    if account.now < hit.expiration:
        account.need(hit.price * more)
    hit.max_assignments += more
    account.remember("extend", token, account.new_id())
    account.tell("HITExtended", hit, account.now)
    notice(account, hit, account.now)
    return {}


def update_expiration(account: Account, params: Values) -> Values:
    hit, when = alive(account, params["HITId"]), params["ExpireAt"]
    # Seen from the real service: the same time twice for one HIT counts as the same request twice.
    token = f"{hit.id}{when:%a %b %d %H:%M:%S UTC %Y}"
    earlier = account.earlier("expiration", token)
    if earlier:
        raise processed(token, earlier)
    account.remember("expiration", token, account.new_id())
    extended, hit.expiration = when > max(hit.expiration, account.now), when
    if when <= account.now:
        end_now(account, hit)
    else:
        hit.expired = None
    if extended:
        account.tell("HITExtended", hit, account.now)
    notice(account, hit, account.now)
    return {}


def end_now(account: Account, hit: HIT) -> None:
    """Nobody may accept it any more; told once."""
    if not hit.expired:
        expire(account, hit, account.now)


def alive(account: Account, id: str) -> HIT:
    """The HIT, not disposed. Raises TurkError."""
    hit = account.hit(id)
    if hit.disposed:
        raise wrong_state("HIT", ["Assignable", "Unassignable", "Reviewing", "Reviewable"])
    return hit


def delete_hit(account: Account, params: Values) -> Values:
    hit = alive(account, params["HITId"])
    if hit.status(account.now) != "Reviewable" or hit.count("Submitted"):
        raise wrong_state("HIT", ["Reviewing", "Reviewable"])
    dispose(account, hit, account.now)
    return {}
