"""Operations on qualification types, and who meets a requirement."""

from collections.abc import Callable
from typing import Any

from tests.twins.mturk.account import Account, TurkError, invalid, page, unknown, wrong_state
from tests.twins.mturk.records import Mail, Worker

Values = dict[str, Any]
NUMBERS: dict[str, Callable[[Worker], int]] = {
    "00000000000000000040": lambda worker: worker.approved,
    "000000000000000000L0": lambda worker: worker.percent_approved,
}
VALUES = {"GreaterThanOrEqualTo": 1, "Exists": 0, "DoesNotExist": 0}
"""The comparators that the twin plays, and how many values each takes."""
MAX_REQUIREMENTS = 10


def check_requirements(account: Account, requirements: list[Values]) -> None:
    """Raises TurkError for requirements that no HIT type may have."""
    if len(requirements) > MAX_REQUIREMENTS:
        raise invalid(f"A HIT type has at most {MAX_REQUIREMENTS} qualification requirements.")
    for requirement in requirements:
        id = requirement["QualificationTypeId"]
        if id not in NUMBERS:
            find_type(account, id)
        check_values(requirement)


def check_values(requirement: Values) -> None:
    """Raises TurkError if the values do not fit the comparator."""
    comparator, given = requirement["Comparator"], len(requirement.get("IntegerValues", []))
    if VALUES.get(comparator) != given or "LocaleValues" in requirement:
        raise invalid(f"{comparator} of {given} numbers is none of {VALUES}, which the twin plays.")


def meets(account: Account, worker: Worker, requirement: Values) -> bool:
    """Whether the worker's qualification is as the requirement wants it."""
    value, comparator = value_of(account, worker, requirement["QualificationTypeId"]), requirement["Comparator"]
    if not VALUES[comparator]:
        return (value is not None) == (comparator == "Exists")
    return value is not None and value >= requirement["IntegerValues"][0]


def value_of(account: Account, worker: Worker, id: str) -> int | None:
    """The worker's value of a qualification; None if they have none."""
    if id in NUMBERS:
        return NUMBERS[id](worker)
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
    pair = {"QualificationTypeId": kind["QualificationTypeId"], "WorkerId": worker.id}
    granted = {"GrantTime": account.now, "IntegerValue": params.get("IntegerValue", 1), "Status": "Granted"}
    account.qualifications[kind["QualificationTypeId"], worker.id] = pair | granted
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
