"""/submissions/: the end of a stay, by a participant's code or by the researcher's verdict."""

from collections import Counter

from tests.twins.prolific.account import (
    APPROVED,
    AWAITING_REVIEW,
    PARTLY_APPROVED,
    REJECTED,
    TIMED_OUT,
    Account,
    Submission,
    found,
    written,
)
from tests.twins.prolific.studies import settle
from tests.twins.prolific.wire import Json, Refusal, Reply, Request, listed

NOCODE = "NOCODE"
"""Stands in the place of a code that was not entered."""
STEPS = {
    "APPROVE": ({AWAITING_REVIEW, TIMED_OUT}, APPROVED),
    "REJECT": ({AWAITING_REVIEW}, REJECTED),
    "UNREJECT": ({REJECTED}, AWAITING_REVIEW),
}
"""From which statuses to which."""
REASONS = (
    "TOO_QUICKLY", "TOO_SLOWLY", "FAILED_INSTRUCTIONS", "INCOMP_LONGITUDINAL", "FAILED_CHECK", "LOW_EFFORT",
    "MALINGERING", "NO_CODE", "BAD_CODE", "NO_DATA", "UNSUPP_DEVICE", "OTHER",
)  # fmt: skip
SHORTEST_MESSAGE = 100
"""Characters of the reason that a rejected participant is told."""


def complete(account: Account, submission: Submission, code: str) -> None:
    """The submission ends with this code, whatever it is."""
    submission.code, submission.completed = code or NOCODE, account.clock.now()
    account.move(submission, AWAITING_REVIEW)
    settle(account, submission.study)


def list_of_study(account: Account, request: Request, key: str) -> Reply:
    study = found(account.studies, key, "study")
    return listed(request, [_short(account, one) for one in account.of_study(study)])


def count_of_study(account: Account, request: Request, key: str) -> Reply:
    """A status that no submission has is left out."""
    rows = account.of_study(found(account.studies, key, "study"))
    return Reply(200, Counter(one.status for one in rows) | {"TOTAL": len(rows)})


def show_submission(account: Account, request: Request, key: str) -> Reply:
    row = found(account.submissions, key, "submission")
    return Reply(200, _long(row) | {"bonus_payments": row.bonuses, "return_requested": written(row.return_asked)})


def transition_submission(account: Account, request: Request, key: str) -> Reply:
    row = found(account.submissions, key, "submission")
    (action,) = request.need("action")
    if action == "COMPLETE":
        _pay_part(account, row, request)
        return Reply(200, _long(row))
    if action not in STEPS:
        raise Refusal({"action": [f"The action {action!r} is not open to your workspace."]})
    if action == "REJECT":
        _check_reason(request.body)
    _decide(account, row, action)
    row.rejected_because = request.body["message"] if action == "REJECT" else ""
    return Reply(200, _long(row))


def _decide(account: Account, row: Submission, action: str) -> None:
    before, status = STEPS[action]
    if row.status not in {*before, status}:
        raise Refusal(f"The action {action} is not possible: the submission is {row.status}.")
    # Documented: the same request made twice is ignored the second time.
    if row.status == status:
        return
    if action == "APPROVE":
        _pay(account, row, row.study.reward)
        account.move(row, APPROVED)
    else:
        account.move(row, status)
    settle(account, row.study)


def _pay(account: Account, row: Submission, cents: int) -> None:
    if not row.study.is_test:
        account.wallet.pay(cents)
        row.reward_paid = cents


def _pay_part(account: Account, row: Submission, request: Request) -> None:
    """Complete a submission by the researcher's code; sent again it is ignored. Guessed: only what waits for review."""
    code, data = request.need("completion_code", "completion_code_data")
    ours = [one["code"] for one in row.study.fields["completion_codes"] if one.get("actor") == "researcher"]
    if code not in ours:
        raise Refusal({"completion_code": ["No code of this study with the actor researcher."]})
    percent = data.get("percentage_of_reward") or 0
    if not 8 <= percent <= 99:
        raise Refusal({"completion_code_data": ["The percentage must be between 8 and 99."]})
    if row.status == PARTLY_APPROVED:
        return
    if row.status != AWAITING_REVIEW:
        raise Refusal(f"The action COMPLETE is not possible: the submission is {row.status}.")
    _pay(account, row, round(row.study.reward * percent / 100))
    row.messages.append(data.get("message_to_participant") or "")
    account.move(row, PARTLY_APPROVED)
    settle(account, row.study)


def request_return(account: Account, request: Request, key: str) -> Reply:
    """Each call is a message. Guessed: only what waits for review."""
    row = found(account.submissions, key, "submission")
    (reasons,) = request.need("request_return_reasons")
    if row.status != AWAITING_REVIEW:
        raise Refusal(f"A return cannot be requested: the submission is {row.status}.")
    row.return_asked = account.clock.now()
    row.messages += reasons
    asked = {"return_requested": written(row.return_asked)}
    return Reply(200, {"id": row.id, "status": row.status, "participant": row.participant} | asked)


def _check_reason(sent: Json) -> None:
    if len(sent.get("message") or "") < SHORTEST_MESSAGE:
        raise Refusal({"message": [f"At least {SHORTEST_MESSAGE} characters are required."]})
    if sent.get("rejection_category") not in REASONS:
        raise Refusal({"rejection_category": [f"One of {', '.join(sorted(REASONS))} is required."]})


def _short(account: Account, row: Submission) -> Json:
    siblings = sum(one.participant == row.participant for one in account.of_study(row.study)) > 1
    own = {"participant_id": row.participant, "study_code": row.code}
    return _stay(row) | own | {"has_siblings": siblings, "return_requested": written(row.return_asked)}


def _long(row: Submission) -> Json:
    return _stay(row) | {"study_id": row.study.id, "participant": row.participant, "entered_code": row.code}


def _stay(row: Submission) -> Json:
    times = {"started_at": written(row.started or row.reserved), "completed_at": written(row.completed)}
    return {"id": row.id, "status": row.status} | times
