"""Operations on qualification types, and who meets a requirement."""

import operator
from collections.abc import Callable
from typing import Any

from tests.twins.mturk.account import Account, TurkError, invalid, page, unknown, wrong_state
from tests.twins.mturk.records import Mail, Worker

Values = dict[str, Any]
NUMBERS: dict[str, Callable[[Worker], int]] = {
    "00000000000000000040": lambda worker: worker.approved,
    "000000000000000000L0": lambda worker: worker.percent_approved,
    "00000000000000000060": lambda worker: int(worker.adult),
}
LOCALE = "00000000000000000071"
MASTERS = ("2F1QJWKUDD8XADTFD2Q0G6UTO95ALH", "2ARFPLSP75KLA8M8DH1HTEQVJT3SY6")
COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "LessThan": operator.lt,
    "LessThanOrEqualTo": operator.le,
    "GreaterThan": operator.gt,
    "GreaterThanOrEqualTo": operator.ge,
    "EqualTo": operator.eq,
    "NotEqualTo": operator.ne,
}
MAX_REQUIREMENTS = 10
MAX_SET, MAX_LOCALES = 15, 30


def check_requirements(account: Account, requirements: list[Values]) -> None:
    """Raises TurkError for requirements that no HIT type may have."""
    if len(requirements) > MAX_REQUIREMENTS:
        raise invalid(f"A HIT type has at most {MAX_REQUIREMENTS} qualification requirements.")
    for requirement in requirements:
        id = requirement["QualificationTypeId"]
        if id not in NUMBERS and id not in (LOCALE, *MASTERS):
            find_type(account, id)
        check_values(requirement)


def check_values(requirement: Values) -> None:
    """Raises TurkError if the values do not fit the comparator."""
    comparator = requirement["Comparator"]
    wanted, other = ("LocaleValues", "IntegerValues")[:: 1 if requirement["QualificationTypeId"] == LOCALE else -1]
    most = 0 if "Exist" in comparator else 1 if comparator in COMPARE else MAX_SET
    most = MAX_LOCALES if wanted == "LocaleValues" and most == MAX_SET else most
    count = len(requirement.get(wanted, []))
    if requirement.get(other) or not min(most, 1) <= count <= most:
        raise invalid(f"{comparator} takes {most} {wanted} at most and no {other}, not {count}.")


def meets(account: Account, worker: Worker, requirement: Values) -> bool:
    """Whether the worker's qualification is as the requirement wants it."""
    value, comparator = value_of(account, worker, requirement["QualificationTypeId"]), requirement["Comparator"]
    if "Exist" in comparator or value is None:
        return (value is not None) == (comparator == "Exists") and "Exist" in comparator
    places = [locale["Country"] for locale in requirement.get("LocaleValues", [])]
    wanted = requirement.get("IntegerValues") or places
    if comparator in COMPARE:
        return COMPARE[comparator](value, wanted[0])
    return (value in wanted) == (comparator == "In")


def value_of(account: Account, worker: Worker, id: str) -> int | str | None:
    """The worker's value of a qualification; None if they have none."""
    if id in NUMBERS:
        return NUMBERS[id](worker)
    if id == LOCALE:
        return worker.country
    if id in MASTERS:
        return 1 if worker.masters else None
    held = account.qualifications.get((id, worker.id))
    return held["IntegerValue"] if held and held["Status"] == "Granted" else None


def find_type(account: Account, id: str) -> Values:
    """Raises TurkError if there is no such type."""
    if id not in account.qualification_types:
        raise unknown("QualificationType", id)
    return account.qualification_types[id]


def create_qualification_type(account: Account, params: Values) -> Values:
    if any(kind["Name"] == params["Name"] for kind in account.qualification_types.values()):
        message = "You have already created a QualificationType with this name. A QualificationType's name must be "
        message += "unique among all of the QualificationTypes created by the same user."
        raise TurkError("QualificationTypeAlreadyExists", message)
    granted = {"AutoGrantedValue": params.get("AutoGrantedValue", 1)} if params.get("AutoGranted") else {}
    id = account.new_id()
    made = {"QualificationTypeId": id, "CreationTime": account.now, "IsRequestable": True}
    account.qualification_types[id] = {"AutoGranted": False, **params, **granted, **made}
    return {"QualificationType": account.qualification_types[id]}


def list_qualification_types(account: Account, params: Values) -> Values:
    query = params.get("Query", "").lower()
    texts = ("Name", "Description", "Keywords")
    kinds = account.qualification_types.values()
    found = [kind for kind in kinds if any(query in kind.get(text, "").lower() for text in texts)]
    return page(account, found, params, "QualificationTypes")


def associate_qualification(account: Account, params: Values) -> Values:
    kind = find_type(account, params["QualificationTypeId"])
    worker = account.worker(params["WorkerId"])
    account.qualifications[kind["QualificationTypeId"], worker.id] = {
        "QualificationTypeId": kind["QualificationTypeId"],
        "WorkerId": worker.id,
        "GrantTime": account.now,
        "IntegerValue": params.get("IntegerValue", 1),
        "Status": "Granted",
    }
    if params.get("SendNotification", True):
        account.mails.append(Mail(worker.id, "Qualification granted", kind["Name"]))
    return {}


def disassociate_qualification(account: Account, params: Values) -> Values:
    held(account, params)["Status"] = "Revoked"
    return {}


def get_qualification_score(account: Account, params: Values) -> Values:
    return {"Qualification": held(account, params)}


def held(account: Account, params: Values) -> Values:
    """The worker's qualification, not revoked. Raises TurkError."""
    find_type(account, params["QualificationTypeId"])
    found = account.qualifications.get((params["QualificationTypeId"], params["WorkerId"]))
    if not found:
        raise TurkError("QualificationDoesNotExist", "You requested a Qualification that does not exist.")
    if found["Status"] != "Granted":
        raise wrong_state("Qualification", ["Granted"])
    return found
