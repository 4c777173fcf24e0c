"""A worker's side of the service: what they may do with a HIT, the pages they see, and the answer they send."""

from dataclasses import dataclass
from datetime import timedelta
from html import escape
from urllib.parse import urlencode, urlsplit
from xml.etree import ElementTree

from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import fromstring

from tests.twins.mturk.account import Account, TurkError, invalid
from tests.twins.mturk.assignments import leave, notice
from tests.twins.mturk.qualifications import meets
from tests.twins.mturk.records import HIT, UNTAKEN, Assignment, Worker

SCHEMAS = "http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas/"
QUESTION = f"{{{SCHEMAS}2006-07-14/ExternalQuestion.xsd}}"
ANSWER = f"{SCHEMAS}2005-10-01/QuestionFormAnswers.xsd"
PARTS = ("ExternalQuestion", "ExternalURL", "FrameHeight")
MAX_BYTES = 65_535
PREVIEW = "ASSIGNMENT_ID_NOT_AVAILABLE"
SANDBOX = "allow-forms allow-same-origin allow-scripts"
"""The least with which a page can post its form; the real site's list is not public."""
GUARDED = {
    "discover": ("DiscoverPreviewAndAccept",),
    "preview": ("DiscoverPreviewAndAccept", "PreviewAndAccept"),
    "accept": ("DiscoverPreviewAndAccept", "PreviewAndAccept", "Accept"),
}
RESERVED = ("assignmentId", "hitId", "turkSubmitTo", "workerId")


@dataclass(frozen=True)
class ExternalQuestion:
    """A page of the requester's, in a frame `height` pixels high; 0 fits the window."""

    url: str
    height: int

    def framed(self, **parameters: str) -> str:
        """The frame's address: the page's own, with these parameters after its own."""
        return f"{self.url}{'&' if '?' in self.url else '?'}{urlencode(parameters)}"


def parse(text: str) -> ExternalQuestion:
    """Reads an ExternalQuestion document. Raises TurkError."""
    if len(text.encode()) > MAX_BYTES:
        raise invalid(f"Question is longer than {MAX_BYTES} bytes.")
    try:
        root = fromstring(text)
    except (ElementTree.ParseError, DefusedXmlException) as error:
        raise TurkError("XMLParseError", f"There was an error parsing the XML question: {error}") from error
    if [root.tag, *(part.tag for part in root)] != [QUESTION + name for name in PARTS]:
        raise TurkError("XMLParseError", f"Expected an ExternalQuestion of {', '.join(PARTS[1:])} in that order.")
    url, height = ((part.text or "").strip() for part in root)
    if not secure(url) or not height.isdecimal():
        raise invalid("ExternalURL must be an https address, FrameHeight a number of pixels.")
    return ExternalQuestion(url, int(height))


def secure(url: str) -> bool:
    """Whether the service would frame it. The twin's one concession: http on "localhost", to it another site."""
    address = urlsplit(url)
    host = address.hostname or ""
    local = host == "localhost" or host.endswith(".localhost")
    return bool(host) and (address.scheme == "https" or (local and address.scheme == "http"))


def answer_xml(fields: list[tuple[str, str]]) -> str:
    """The form's fields as the service stores them: each a free-text answer."""
    root = ElementTree.Element("QuestionFormAnswers", xmlns=ANSWER)
    for name, value in fields:
        answer = ElementTree.SubElement(root, "Answer")
        ElementTree.SubElement(answer, "QuestionIdentifier").text = name
        ElementTree.SubElement(answer, "FreeText").text = value
    return '<?xml version="1.0" encoding="ASCII"?>' + ElementTree.tostring(root, encoding="us-ascii").decode()


def document(title: str, body: str) -> str:
    head = f'<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{escape(title)}</title>'
    return f'<!doctype html><html lang="en"><head>{head}</head><body><h1>{escape(title)}</h1>{body}</body></html>'


def button(action: str, words: str) -> str:
    return f'<form method="post" action="{escape(action)}"><button>{escape(words)}</button></form>'


def list_page(worker: Worker, hits: list[HIT]) -> str:
    links = (f'<li><a href="/worker/{worker.id}/hits/{hit.id}">{escape(hit.type.title)}</a></li>' for hit in hits)
    return document("HITs", f"<ul>{''.join(links)}</ul>")


def preview_page(worker: Worker, hit: HIT) -> str:
    action = f"/worker/{worker.id}/hits/{hit.id}/accept"
    framed = frame(hit, assignmentId=PREVIEW, hitId=hit.id)
    return document(hit.type.title, button(action, "Accept") + framed)


def work_page(one: Assignment, submit_to: str) -> str:
    ids = {"assignmentId": one.id, "hitId": one.hit.id, "workerId": one.worker.id}
    return document(one.hit.type.title, frame(one.hit, **ids, turkSubmitTo=submit_to))


def frame(hit: HIT, **parameters: str) -> str:
    """The requester's page in a frame."""
    question = parse(hit.question)
    size = f'width="100%" height="{question.height or 800}"'
    address = escape(question.framed(**parameters))
    return f'<iframe name="hit" title="HIT" sandbox="{SANDBOX}" {size} src="{address}"></iframe>'


def submitted_page(one: Assignment) -> str:
    """The page in the frame after the form was posted."""
    host = urlsplit(parse(one.hit.question).url).netloc
    return document("Submitted", f"<p>Your work for {escape(host)} has been submitted.</p>")


def refusal_page(message: str) -> str:
    return document("Error", f'<p role="alert">{escape(message)}</p>')


class Refused(Exception):
    """The site does not let the worker do this; the message is what the worker reads."""


def may(account: Account, worker: Worker, hit: HIT, action: str) -> bool:
    """Whether the qualifications that guard this action are met."""
    guards = [needed for needed in hit.type.requirements if guard(needed) in GUARDED[action]]
    return all(meets(account, worker, needed) for needed in guards)


def guard(requirement: dict[str, object]) -> object:
    old = "PreviewAndAccept" if requirement.get("RequiredToPreview") else "Accept"
    return requirement.get("ActionsGuarded", old)


def discover(account: Account, worker: Worker) -> list[HIT]:
    """The HITs that the worker finds in a search."""
    offered = [hit for hit in account.hits.values() if hit.status(account.now) == "Assignable"]
    return [hit for hit in offered if may(account, worker, hit, "discover")]


def preview(account: Account, worker: Worker, hit: HIT) -> HIT:
    """The HIT, if the worker may look at it. Raises Refused."""
    if hit.status(account.now) != "Assignable":
        raise Refused("There are no more of this HIT.")
    if not may(account, worker, hit, "preview"):
        raise Refused("Your qualifications do not meet the requirements to preview this HIT.")
    return hit


def accept(account: Account, worker: Worker, hit: HIT) -> Assignment:
    """Takes one assignment of the HIT; the one that the worker holds already if there is one. Raises Refused."""
    own = [one for one in hit.assignments if one.worker is worker and one.status not in UNTAKEN]
    if own and own[0].status == "Accepted":
        return own[0]
    if own:
        raise Refused("You have already completed this HIT.")
    preview(account, worker, hit)
    if not may(account, worker, hit, "accept"):
        raise Refused("Your qualifications do not meet the requirements to accept this HIT.")
    deadline = account.now + timedelta(seconds=hit.type.duration)
    taken = Assignment(account.new_id(), hit, worker, account.now, deadline)
    hit.assignments.append(taken)
    account.assignments[taken.id] = taken
    account.tell("AssignmentAccepted", hit, account.now, taken)
    return taken


def held(account: Account, id: str) -> Assignment:
    """The assignment while somebody works on it. Raises Refused."""
    found = account.assignments.get(id)
    if not found or found.status != "Accepted":
        raise Refused("There was a problem: this assignment is not in your queue.")
    return found


def give_back(account: Account, id: str) -> None:
    """Returns an assignment; somebody else may accept the HIT. Raises Refused."""
    leave(account, held(account, id), "Returned", account.now)


def submit(account: Account, id: str, fields: list[tuple[str, str]]) -> Assignment:
    """Stores the fields of a posted form as the answer. Raises Refused."""
    assignment = held(account, id)
    given = [(name, value) for name, value in fields if name not in RESERVED]
    if not given:
        raise Refused("There was a problem: the form has no field besides assignmentId.")
    assignment.answer = answer_xml(given)
    assignment.status, assignment.submitted = "Submitted", account.now
    assignment.auto_approval = account.now + timedelta(seconds=assignment.hit.type.auto_approval)
    account.tell("AssignmentSubmitted", assignment.hit, account.now, assignment)
    notice(account, assignment.hit, account.now)
    return assignment
