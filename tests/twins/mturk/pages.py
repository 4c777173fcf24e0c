"""The worker's site: a list of HITs, a HIT in its frame, the form's landing place."""

from html import escape
from urllib.parse import urlsplit

from tests.twins.mturk.questions import parse
from tests.twins.mturk.records import HIT, Assignment, Worker

PREVIEW = "ASSIGNMENT_ID_NOT_AVAILABLE"
SANDBOX = "allow-forms allow-same-origin allow-scripts"
"""The least with which a page can post its form; the real site's list is not public."""


def document(title: str, body: str) -> str:
    head = f'<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{escape(title)}</title>'
    return f'<!doctype html><html lang="en"><head>{head}</head><body><h1>{escape(title)}</h1>{body}</body></html>'


def button(action: str, words: str) -> str:
    return f'<form method="post" action="{escape(action)}"><button>{escape(words)}</button></form>'


def hit_list(worker: Worker, hits: list[HIT]) -> str:
    links = (f'<li><a href="/worker/{worker.id}/hits/{hit.id}">{escape(hit.type.title)}</a></li>' for hit in hits)
    return document("HITs", f"<ul>{''.join(links)}</ul>")


def preview(worker: Worker, hit: HIT, sandbox: str) -> str:
    action = f"/worker/{worker.id}/hits/{hit.id}/accept"
    framed = frame(hit, sandbox, assignmentId=PREVIEW, hitId=hit.id)
    return document(hit.type.title, button(action, "Accept") + framed)


def work(one: Assignment, sandbox: str, submit_to: str) -> str:
    action = f"/worker/{one.worker.id}/assignments/{one.id}/return"
    ids = {"assignmentId": one.id, "hitId": one.hit.id, "workerId": one.worker.id}
    return document(
        one.hit.type.title, button(action, "Return") + frame(one.hit, sandbox, **ids, turkSubmitTo=submit_to)
    )


def frame(hit: HIT, sandbox: str, **parameters: str) -> str:
    """The requester's page in a frame."""
    question = parse(hit.question)
    size = f'width="100%" height="{question.height or 800}"'
    address = escape(question.framed(**parameters))
    return f'<iframe name="hit" title="HIT" sandbox="{sandbox}" {size} src="{address}"></iframe>'


def submitted(one: Assignment) -> str:
    """The page in the frame after the form was posted."""
    host = urlsplit(parse(one.hit.question).url).netloc
    return document("Submitted", f"<p>Your work for {escape(host)} has been submitted.</p>")


def refused(message: str) -> str:
    return document("Error", f'<p role="alert">{escape(message)}</p>')
