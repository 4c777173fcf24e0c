"""The end of a submission: review, payment, and the actions of completion codes."""

from tests.twins.prolific.account import APPROVED, AWAITING_REVIEW, SCREENED_OUT, Account, Submission
from tests.twins.prolific.studies import settle
from tests.twins.prolific.wire import Json

NOCODE = "NOCODE"
"""Stands in the place of a code that was not entered."""


def complete(account: Account, submission: Submission, code: str) -> None:
    """The submission ends with this code, whatever it is, and the actions of the code take place."""
    submission.code, submission.completed = code or NOCODE, account.clock.now()
    actions = actions_of(submission, code)
    screened_out = next((one for one in actions if one["action"] == "FIXED_SCREEN_OUT_PAYMENT"), None)
    if screened_out:
        account.wallet.pay(int(screened_out["fixed_screen_out_reward"]))
        account.move(submission, SCREENED_OUT)
    else:
        account.move(submission, AWAITING_REVIEW)
    for action in actions:
        _act(account, submission, action)
    settle(account, submission.study)


def approve(account: Account, submission: Submission) -> None:
    """Pay the reward. The caller has checked that it is not paid yet."""
    account.wallet.pay(submission.study.reward)
    account.move(submission, APPROVED)


def actions_of(submission: Submission, code: str, actor: str = "participant") -> list[Json]:
    """The actions of this code if this actor gives it; none for a code that the study has not."""
    for one in submission.study.fields["completion_codes"]:
        if one["code"] == code and one.get("actor", "participant") == actor:
            return list(one["actions"])
    return []


def _act(account: Account, submission: Submission, action: Json) -> None:
    match action["action"]:
        case "AUTOMATICALLY_APPROVE":
            approve(account, submission)
        case "REQUEST_RETURN":
            submission.return_requested = account.clock.now()
        case "ADD_TO_PARTICIPANT_GROUP":
            members = account.groups[action["participant_group"]].members
            members.setdefault(submission.participant, account.clock.now())
        case "REMOVE_FROM_PARTICIPANT_GROUP":
            account.groups[action["participant_group"]].members.pop(submission.participant, None)
