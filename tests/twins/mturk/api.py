"""The requester's API: AWS JSON 1.1, one address, the operation in a header, held against botocore's model."""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from email.message import Message
from typing import Any

from botocore.loaders import Loader
from botocore.model import ServiceModel
from botocore.validate import ParamValidator

from tests.twins.faults import Faults
from tests.twins.mturk import assignments, hits, qualifications
from tests.twins.mturk.account import PREFIX, Account, TurkError, invalid

SERVICE = Loader().load_service_model("mturk", "service-2")
SHAPES = SERVICE["shapes"]
TARGET = SERVICE["metadata"]["targetPrefix"] + "."
MODEL = ServiceModel(SERVICE, "mturk")
Values = dict[str, Any]
OPERATIONS: dict[str, Callable[[Account, Values], Values]] = {
    "ApproveAssignment": assignments.approve_assignment,
    "AssociateQualificationWithWorker": qualifications.associate_qualification,
    "CreateHITType": hits.create_hit_type,
    "CreateHITWithHITType": hits.create_hit_with_hit_type,
    "CreateQualificationType": qualifications.create_qualification_type,
    "DisassociateQualificationFromWorker": qualifications.disassociate_qualification,
    "GetAccountBalance": assignments.get_account_balance,
    "GetAssignment": assignments.get_assignment,
    "GetHIT": hits.get_hit,
    "GetQualificationScore": qualifications.get_qualification_score,
    "ListAssignmentsForHIT": assignments.list_assignments,
    "ListBonusPayments": assignments.list_bonus_payments,
    "ListHITs": hits.list_hits,
    "ListQualificationTypes": qualifications.list_qualification_types,
    "RejectAssignment": assignments.reject_assignment,
    "SendBonus": assignments.send_bonus,
    "UpdateExpirationForHIT": hits.update_expiration,
    "UpdateNotificationSettings": hits.update_notification_settings,
}
SIGNATURE = "AWS4-HMAC-SHA256 Credential="
SCOPE = "/us-east-1/mturk-requester/aws4_request"


def complaints(operation: str, value: Any, side: str) -> list[str]:
    """The faults of a request (side "input") or a reply ("output") by the model; timestamps as datetime."""
    name = SERVICE["operations"][operation][side]["shape"]
    report = ParamValidator().validate(value, MODEL.shape_for(name))
    if report.has_errors():
        return [report.generate_report()]
    return list(finer(value, name, operation))


def finer(value: Any, name: str, where: str) -> Iterator[str]:
    """Faults that botocore's validator lets pass: unknown members, patterns, choices, upper limits."""
    shape = SHAPES[name]
    if shape["type"] == "structure":
        for member, part in value.items():
            if member not in shape["members"]:
                yield f"{where}.{member}: no such member"
            else:
                yield from finer(part, shape["members"][member]["shape"], f"{where}.{member}")
    elif shape["type"] == "list":
        for part in value:
            yield from finer(part, shape["member"]["shape"], f"{where}[]")
    elif shape["type"] == "string":
        yield from text_complaints(value, shape, where)
    elif "max" in shape and value > shape["max"]:
        yield f"{where}: {value} is more than {shape['max']}"


def text_complaints(value: str, shape: dict[str, Any], where: str) -> Iterator[str]:
    if len(value) > shape.get("max", len(value)):
        yield f"{where}: longer than {shape['max']} characters"
    if "pattern" in shape and not re.search(shape["pattern"], value):
        yield f"{where}: {value!r} does not match {shape['pattern']}"
    if "enum" in shape and value not in shape["enum"]:
        yield f"{where}: {value!r} is none of {', '.join(shape['enum'])}"


def from_wire(value: Any, name: str) -> Any:
    """A request's JSON with its timestamps (seconds since 1970) as datetime."""
    shape = SHAPES[name]
    if shape["type"] == "timestamp" and isinstance(value, int | float):
        return datetime.fromtimestamp(value, UTC)
    if shape["type"] == "structure" and isinstance(value, dict):
        members = shape["members"]
        return {key: from_wire(part, members[key]["shape"]) if key in members else part for key, part in value.items()}
    if shape["type"] == "list" and isinstance(value, list):
        return [from_wire(part, shape["member"]["shape"]) for part in value]
    return value


@dataclass(frozen=True)
class Reply:
    """An HTTP reply; status 0 is none: "timeout" keeps the line open, "cut" closes it."""

    status: int
    body: Any


@dataclass(frozen=True)
class Call:
    """One call as it came in. `outcome`: "ok", an error's code, or the fault that hit it."""

    operation: str
    params: Values
    outcome: str


def answer(account: Account, faults: Faults, headers: Message, body: bytes) -> tuple[Call, Reply]:
    """Answers one request: a fault that was asked for, an error, or the operation's reply."""
    operation = headers.get("X-Amz-Target", "").removeprefix(TARGET)
    refusal = refuse(operation, headers)
    if refusal:
        return Call(operation, {}, refusal.body["__type"]), refusal
    params = json.loads(body)
    fault = faults.take(operation)
    if fault is None or fault.how == "after":
        outcome, reply = perform(account, operation, params)
    if fault is not None:
        outcome, reply = f"{fault.kind} {fault.how}", failure(account, fault.kind)
    return Call(operation, params, outcome), reply


def refuse(operation: str, headers: Message) -> Reply | None:
    """The refusal of a request that is wrong before its body is read."""
    if operation not in OPERATIONS:
        return Reply(400, {"__type": "UnknownOperationException", "message": f"The twin has no {operation}."})
    signature = headers.get("Authorization", "")
    if not signature.startswith(SIGNATURE) or SCOPE not in signature:
        return Reply(400, {"__type": "MissingAuthenticationTokenException", "message": "Not signed for this service."})
    if headers.get("Content-Type") != "application/x-amz-json-1.1":
        return Reply(400, {"__type": "SerializationException", "message": "Not AWS JSON 1.1."})
    return None


def perform(account: Account, operation: str, raw: Values) -> tuple[str, Reply]:
    """Runs the operation, with the model's word on what goes in and what comes out."""
    try:
        params = from_wire(raw, SERVICE["operations"][operation]["input"]["shape"])
        faulty = complaints(operation, params, "input")
        if faulty:
            raise invalid("; ".join(faulty))
        result = OPERATIONS[operation](account, params)
    except TurkError as error:
        return error.code, problem(account, 400, "RequestError", error.code, error.message)
    if wrong := complaints(operation, result, "output"):
        raise AssertionError(f"the twin's reply to {operation} is none: {wrong}")
    return "ok", Reply(200, result)


def problem(account: Account, status: int, kind: str, code: str, message: str) -> Reply:
    """An error; the service ends its messages with the time in milliseconds."""
    stamp = int(account.now.timestamp() * 1000)
    return Reply(status, {"__type": kind, "Message": f"{message} ({stamp})", "TurkErrorCode": code})


def failure(account: Account, kind: str) -> Reply:
    if kind == "throttle":
        return Reply(400, {"__type": "ThrottlingException", "message": "Rate exceeded"})
    if kind == "500":
        return problem(account, 500, "ServiceFault", PREFIX + "ServiceFault", "Please try again.")
    return Reply(0, kind)
