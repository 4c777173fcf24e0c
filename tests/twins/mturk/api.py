"""The requester's API: AWS JSON 1.1, one address, the operation in a header."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from email.message import Message
from typing import Any

from tests.twins.mturk import assignments, hits, model, notices, qualifications
from tests.twins.mturk.account import Account
from tests.twins.mturk.errors import PREFIX, TurkError, invalid
from tests.twins.mturk.faults import Faults

Values = dict[str, Any]
OPERATIONS: dict[str, Callable[[Account, Values], Values]] = {
    "ApproveAssignment": assignments.approve_assignment,
    "AssociateQualificationWithWorker": qualifications.associate_qualification,
    "CreateAdditionalAssignmentsForHIT": hits.create_additional_assignments,
    "CreateHIT": hits.create_hit,
    "CreateHITType": hits.create_hit_type,
    "CreateHITWithHITType": hits.create_hit_with_hit_type,
    "CreateQualificationType": qualifications.create_qualification_type,
    "DeleteHIT": hits.delete_hit,
    "DisassociateQualificationFromWorker": qualifications.disassociate_qualification,
    "GetAccountBalance": assignments.get_account_balance,
    "GetAssignment": assignments.get_assignment,
    "GetHIT": hits.get_hit,
    "GetQualificationScore": qualifications.get_qualification_score,
    "GetQualificationType": qualifications.get_qualification_type,
    "ListAssignmentsForHIT": assignments.list_assignments,
    "ListBonusPayments": assignments.list_bonus_payments,
    "ListHITs": hits.list_hits,
    "ListQualificationTypes": qualifications.list_qualification_types,
    "ListReviewableHITs": hits.list_reviewable_hits,
    "NotifyWorkers": notices.notify_workers,
    "RejectAssignment": assignments.reject_assignment,
    "SendBonus": assignments.send_bonus,
    "SendTestEventNotification": notices.send_test_event,
    "UpdateExpirationForHIT": hits.update_expiration,
    "UpdateNotificationSettings": notices.update_notification_settings,
    "UpdateQualificationType": qualifications.update_qualification_type,
}
SIGNATURE = "AWS4-HMAC-SHA256 Credential="
SCOPE = "/us-east-1/mturk-requester/aws4_request"


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
    operation = headers.get("X-Amz-Target", "").removeprefix(model.TARGET)
    refusal = refuse(operation, headers)
    if refusal:
        return Call(operation, {}, refusal.body["__type"]), refusal
    params = json.loads(body)
    before = faults.take(operation, "before")
    if before:
        return Call(operation, params, f"{before} before"), failure(account, before)
    outcome, reply = perform(account, operation, params)
    after = faults.take(operation, "after")
    if after:
        return Call(operation, params, f"{after} after"), failure(account, after)
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
        params = model.from_wire(raw, model.SERVICE["operations"][operation]["input"]["shape"])
        faulty = model.complaints(operation, params, "input")
        if faulty:
            raise invalid("; ".join(faulty))
        result = OPERATIONS[operation](account, params)
    except TurkError as error:
        return error.code, problem(account, 400, "RequestError", error.code, error.message)
    if wrong := model.complaints(operation, result, "output"):
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
