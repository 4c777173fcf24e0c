"""Pages that a participant's browser opens: studies, the way into one, and the way back."""

from html import escape

from tests.twins.prolific.account import Account, found
from tests.twins.prolific.recruiting import UNDER_WAY, finish, give_back, reserve, start, why_not
from tests.twins.prolific.wire import Refusal, Reply, Request

COOKIE = "participant"
HTML = "text/html; charset=utf-8"


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


def return_page(account: Account, request: Request, participant: str) -> Reply:
    """Give back what is under way."""
    mine = [one for one in account.of_participant(participant) if one.status in UNDER_WAY]
    if not mine:
        raise Refusal("You have no submission under way.")
    give_back(account, mine[-1])
    return _page("Returned", f'<p id="status">{mine[-1].status}</p>', participant)


def _page(title: str, content: str, participant: str) -> Reply:
    text = f"<!doctype html><html lang=en><title>{title}</title><h1>{title}</h1>{content}</html>"
    return Reply(200, text.encode(), {"Content-Type": HTML} | _signed_in(participant))


def _signed_in(participant: str) -> dict[str, str]:
    return {"Set-Cookie": f"{COOKIE}={participant}; Path=/; SameSite=Lax; HttpOnly"}
