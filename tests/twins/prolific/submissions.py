"""/submissions/: who took part, and the researcher's verdict."""

from tests.twins.prolific.account import (
    ACTIVE,
    APPROVED,
    AWAITING_REVIEW,
    REJECTED,
    RESERVED,
    RETURNED,
    TIMED_OUT,
    Account,
    Submission,
    found,
)
from tests.twins.prolific.clock import written
from tests.twins.prolific.completion import approve
from tests.twins.prolific.studies import settle
from tests.twins.prolific.wire import Json, Refusal, Reply, Request, listed

STEPS = {
    "APPROVE": ({AWAITING_REVIEW, TIMED_OUT}, APPROVED),
    "REJECT": ({AWAITING_REVIEW}, REJECTED),
    "RETURN": ({RESERVED, ACTIVE, AWAITING_REVIEW}, RETURNED),
    "START": ({RESERVED}, ACTIVE),
    "UNREJECT": ({REJECTED}, AWAITING_REVIEW),
    "UNRETURN": ({RETURNED}, AWAITING_REVIEW),
}
"""From which statuses to which."""
REASONS = frozenset(
    {
        "TOO_QUICKLY",
        "TOO_SLOWLY",
        "FAILED_INSTRUCTIONS",
        "INCOMP_LONGITUDINAL",
        "FAILED_CHECK",
        "LOW_EFFORT",
        "MALINGERING",
        "NO_CODE",
        "BAD_CODE",
        "NO_DATA",
        "UNSUPP_DEVICE",
        "OTHER",
    }
)
SHORTEST_MESSAGE = 100
"""Characters of the reason that a rejected participant is told."""


def list_submissions(account: Account, request: Request) -> Reply:
    study = found(account.studies, request.query.get("study", ""), "study")
    wanted = _plain(request.query.get("status", ""))
    rows = [one for one in account.of_study(study) if not wanted or _plain(one.status) == wanted]
    return listed(request, [_short(account, one) for one in rows])


def list_of_study(account: Account, request: Request, key: str) -> Reply:
    study = found(account.studies, key, "study")
    return listed(request, [_short(account, one) for one in account.of_study(study)])


def count_of_study(account: Account, request: Request, key: str) -> Reply:
    rows = account.of_study(found(account.studies, key, "study"))
    counts = {status: sum(one.status == status for one in rows) for status in {one.status for one in rows}}
    return Reply(200, counts | {"TOTAL": len(rows)})


def show_submission(account: Account, request: Request, key: str) -> Reply:
    row = found(account.submissions, key, "submission")
    return Reply(200, _long(row) | {"bonus_payments": row.bonuses, "return_requested": written(row.return_requested)})


def transition_submission(account: Account, request: Request, key: str) -> Reply:
    row = found(account.submissions, key, "submission")
    (action,) = request.need("action")
    if action not in STEPS:
        raise Refusal({"action": [f"The action {action!r} is not open to your workspace."]})
    if action == "REJECT":
        _check_reason(request.body)
    _decide(account, row, action)
    if action == "REJECT":
        row.rejected_because = request.body["message"]
    return Reply(200, _long(row))


def approve_many(account: Account, request: Request) -> Reply:
    """By submission ids, or by a study and participants; all or none."""
    rows = list(_named(account, request))
    for row in rows:
        _check_step(row, "APPROVE")
    for row in rows:
        _decide(account, row, "APPROVE")
    return Reply(200, "Bulk approval in progress.")


def request_return(account: Account, request: Request, key: str) -> Reply:
    row = found(account.submissions, key, "submission")
    request.need("request_return_reasons")
    row.return_requested = account.clock.now()
    shown = {"id": row.id, "status": row.status, "participant": row.participant}
    return Reply(200, shown | {"return_requested": written(row.return_requested)})


def _named(account: Account, request: Request) -> list[Submission]:
    if ids := request.body.get("submission_ids"):
        return [found(account.submissions, one, "submission") for one in ids]
    key, participants = request.need("study_id", "participant_ids")
    study = found(account.studies, key, "study")
    return [one for one in account.of_study(study) if one.participant in participants]


def _decide(account: Account, row: Submission, action: str) -> None:
    status = _check_step(row, action)
    # Documented: the same request made twice is ignored the second time.
    if row.status == status:
        return
    if action == "APPROVE":
        approve(account, row)
    else:
        account.move(row, status)
    settle(account, row.study)


def _check_step(row: Submission, action: str) -> str:
    before, after = STEPS[action]
    if row.status not in before and row.status != after:
        raise Refusal(f"The action {action} is not possible: the submission is {row.status}.")
    return after


def _check_reason(sent: Json) -> None:
    if len(sent.get("message") or "") < SHORTEST_MESSAGE:
        raise Refusal({"message": [f"At least {SHORTEST_MESSAGE} characters are required."]})
    if sent.get("rejection_category") not in REASONS:
        raise Refusal({"rejection_category": [f"One of {', '.join(sorted(REASONS))} is required."]})


def _plain(status: str) -> str:
    return status.upper().replace("_", " ").replace("-", " ")


def _short(account: Account, row: Submission) -> Json:
    return {
        "id": row.id,
        "participant_id": row.participant,
        "status": row.status,
        "started_at": written(row.started or row.reserved),
        "completed_at": written(row.completed),
        "has_siblings": sum(one.participant == row.participant for one in account.of_study(row.study)) > 1,
        "study_code": row.code,
        "return_requested": written(row.return_requested),
    }


def _long(row: Submission) -> Json:
    return {
        "id": row.id,
        "study_id": row.study.id,
        "participant": row.participant,
        "status": row.status,
        "started_at": written(row.started or row.reserved),
        "completed_at": written(row.completed),
        "entered_code": row.code,
    }
