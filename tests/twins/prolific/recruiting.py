"""The participant's side: who may take part, how a stay in a study goes, and the pages that a browser opens."""

from datetime import datetime, timedelta
from html import escape
from urllib.parse import quote

from tests.twins.prolific.account import (
    ACTIVE,
    AWAITING_REVIEW,
    RESERVED,
    RETURNED,
    TIMED_OUT,
    Account,
    Study,
    Submission,
    found,
    new_id,
)
from tests.twins.prolific.signing import signed
from tests.twins.prolific.studies import ALLOWLIST, BLOCKLIST, settle
from tests.twins.prolific.submissions import complete
from tests.twins.prolific.wire import Refusal, Reply, Request

RESERVATION_MINUTES = 10
UNDER_WAY = (RESERVED, ACTIVE)
COOKIE = "participant"
HTML = "text/html; charset=utf-8"


def reserve(account: Account, study: Study, participant: str) -> Submission:
    """A place for this participant. Raises Refusal that says why there is none."""
    if refused := why_not(account, study, participant):
        raise Refusal(refused)
    made = Submission(new_id(), study, participant, account.clock.now())
    account.submissions[made.id] = made
    account.move(made, RESERVED)
    return made


def start(account: Account, submission: Submission) -> str:
    """The participant begins; the address of the study for this one."""
    if submission.status == RESERVED:
        submission.started = account.clock.now()
        account.move(submission, ACTIVE)
    if submission.status != ACTIVE:
        raise Refusal(f"This submission is {submission.status}.")
    address = address_for(submission)
    is_secure = submission.study.fields["is_external_study_url_secure"]
    return signed(account, submission, address) if is_secure else address


def finish(account: Account, participant: str, code: str) -> Submission:
    """The participant comes back with a code. Too late: the code is kept, and the researcher may still approve."""
    for submission in reversed(account.of_participant(participant)):
        if submission.status == ACTIVE:
            complete(account, submission, code)
            return submission
        if submission.status == TIMED_OUT and submission.code is None:
            submission.code, submission.completed = code, account.clock.now()
            return submission
    raise Refusal("You have no submission under way.")


def give_back(account: Account, submission: Submission) -> None:
    """The participant returns the place, and with it the reward."""
    if submission.status not in (RESERVED, ACTIVE, AWAITING_REVIEW):
        raise Refusal(f"This submission is {submission.status}.")
    account.move(submission, RETURNED)
    settle(account, submission.study)


def expire(account: Account) -> None:
    """Time out what was reserved or under way for too long."""
    now = account.clock.now()
    for submission in list(account.submissions.values()):
        if submission.status in UNDER_WAY and now >= _ends(submission):
            account.move(submission, TIMED_OUT)


def why_not(account: Account, study: Study, participant: str) -> str:
    """The reason why this participant cannot take part now; empty: nothing is in the way."""
    config = study.fields["submissions_config"]
    most, at_once = config["max_submissions_per_participant"], config["max_concurrent_submissions"]
    earlier = [one for one in account.of_participant(participant) if one.study is study]
    under_way = [one for one in account.of_study(study) if one.status in UNDER_WAY]
    if study.status != ACTIVE:
        return "This study takes nobody now."
    if not _admitted(account, study, participant):
        return "This study is not for you."
    if most != -1 and len(earlier) >= most:
        return "You have taken part in this study already."
    if any(one.status in UNDER_WAY for one in account.of_participant(participant)):
        return "Finish your other study first."
    if account.places_taken(study) >= study.places:
        return "All places of this study are taken."
    if at_once != -1 and len(under_way) >= at_once:
        return "Too many take part at this moment."
    return ""


def address_for(submission: Submission) -> str:
    """The study's address with its placeholders filled in."""
    values = {"PROLIFIC_PID": submission.participant, "STUDY_ID": submission.study.id, "SESSION_ID": submission.id}
    address = str(submission.study.fields["external_study_url"])
    for name, value in values.items():
        address = address.replace("{{%" + name + "%}}", quote(value, safe=""))
    return address


def _admitted(account: Account, study: Study, participant: str) -> bool:
    if study.is_test and participant not in account.test_participants:
        return False
    for one in study.fields["filters"]:
        groups = [account.groups[key] for key in one.get("selected_values", []) if key in account.groups]
        member = any(participant in group.members for group in groups)
        if one["filter_id"] == ALLOWLIST and not member:
            return False
        if one["filter_id"] == BLOCKLIST and member:
            return False
    return True


def _ends(submission: Submission) -> datetime:
    if submission.started is None:
        return submission.reserved + timedelta(minutes=RESERVATION_MINUTES)
    return submission.started + timedelta(minutes=submission.study.fields["maximum_allowed_time"])


def list_page(account: Account, request: Request, participant: str) -> Reply:
    """The studies that this participant may take part in."""
    open_now = [one for one in account.studies.values() if not why_not(account, one, participant)]
    items = "".join(
        f'<li><a href="/participant/{escape(participant)}/studies/{one.id}/">{escape(one.fields["name"])}</a></li>'
        for one in open_now
    )
    return _page("Studies", f"<ul>{items}</ul>", participant)


def enter_page(account: Account, request: Request, participant: str, key: str) -> Reply:
    """Reserve a place and go on to the study; again: go on to the same one."""
    study = found(account.studies, key, "study")
    mine = [one for one in account.of_study(study) if one.participant == participant and one.status in UNDER_WAY]
    submission = mine[0] if mine else reserve(account, study, participant)
    return Reply(302, b"", {"Location": start(account, submission)} | _signed_in(participant))


def complete_page(account: Account, request: Request) -> Reply:
    """The address to which a study sends its participants at the end, with a code."""
    participant = request.query.get(COOKIE, "")
    submission = finish(account, participant, request.query.get("cc", ""))
    return _page("Thank you", f'<p id="status">{submission.status}</p>', participant)


def _page(title: str, content: str, participant: str) -> Reply:
    text = f"<!doctype html><html lang=en><title>{title}</title><h1>{title}</h1>{content}</html>"
    return Reply(200, text.encode(), {"Content-Type": HTML} | _signed_in(participant))


def _signed_in(participant: str) -> dict[str, str]:
    return {"Set-Cookie": f"{COOKIE}={participant}; Path=/; SameSite=Lax; HttpOnly"}
