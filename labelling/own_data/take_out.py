"""Download of a worker's own data as JSON: account, standing, answers with their questions, pay, messages.

Answers to verification questions look like all others, and nothing here that the pages keep back tells them apart: no
exact scores, no signals, no ids of questions, and no answer at a place whose answer the receipt calls too late.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from typing import Any

from allauth.mfa.models import Authenticator
from allauth.usersessions.models import UserSession
from django.core.serializers.json import DjangoJSONEncoder

from accounts.models import SecurityEvent
from labelling.api.payload import Captions, captions_of
from labelling.joining.access import projects_of
from labelling.models import Conversation
from labelling.pages.trust_story import trust_story
from pipeline.asking.read_assignment import places_of
from pipeline.models import Assignment, Judgment, KnownQuestion, Question
from pipeline.money.ledger import own_ledger
from platforms.models import Identity, Session
from workers.models import Access, Message, Worker
from workers.task_words import TASK_QUESTIONS

BATCH_SIZE = 100
"""Assignments that are read together."""
NO_RECEIPT: dict[str, Any] = {
    **dict.fromkeys(("late", "late_places", "skips"), ()),
    **dict.fromkeys(("answered", "stored", "skipped"), 0),
    "test": None,
}
"""Of an assignment that was not submitted."""
Shown = dict[tuple[int, int], dict[str, Any]]
"""Questions as they were shown, by assignment and place."""


def own_data_as_json(worker: Worker) -> Iterator[str]:
    """Yield the parts of one JSON object, so that a long history needs little memory."""
    head = {
        "account": _account(worker),
        "access": list(_rows(Access.objects.filter(worker=worker), "project__name", "task", "granted_at")),
        "projects": [_project(worker, project) for project in projects_of(worker)],
        "messages": list(
            _rows(Message.objects.filter(worker=worker), "project__name", "text", "created_at", "read_at")
        ),
        "conversations": [
            _conversation(object_) for object_ in Conversation.objects.filter(worker=worker).order_by("id")
        ],
        "platforms": list(_rows(Identity.objects.filter(worker=worker), "platform", "external_id")),
        "sessions": list(
            _rows(Session.objects.filter(worker=worker), "offer__platform", "external_id", "opened_at", "finished_at")
        ),
    }
    yield _text(head)[:-1] + ', "assignments": ['
    comma = ""
    for assignment in _assignments(worker):
        yield comma + _text(assignment)
        comma = ",\n"
    yield "]}\n"


def _account(worker: Worker) -> dict[str, Any]:
    user = worker.user
    account = {"name": worker.name, "joined": worker.created_at}
    if user is not None:
        account |= {"sign_in_name": user.get_username(), "email": user.email, "last_sign_in": user.last_login}
        events = SecurityEvent.objects.filter(actor=user.get_username()).order_by("id")
        account["signed_in"] = list(_rows(UserSession.objects.filter(user=user), "created_at", "ip", "user_agent"))
        account["second_factors"] = list(_rows(Authenticator.objects.filter(user=user), "type", "created_at"))
        account["events"] = list(_rows(events, "at", "kind", "address", "what", "result"))
    return account


def _project(worker: Worker, project: Any) -> dict[str, Any]:
    ledger = own_ledger(worker.pk, project.pk, most=100_000)
    return {
        "name": project.name,
        "title": project.title,
        "standing": [asdict(news) for news in trust_story(project.pk, worker.pk, most=100_000)],
        "pay": {**asdict(ledger), "owed": ledger.account.owed},
        "answers_are_in_an_archive": project.away is not None,
    }


def _conversation(conversation: Conversation) -> dict[str, Any]:
    return {
        "project": conversation.project.name,
        "about": conversation.get_subject_display(),
        "task": conversation.task,
        "posts": [
            {"from": "requester" if post.actor else "you", "text": post.text, "at": post.created_at}
            for post in conversation.posts.all()
        ],
    }


def _assignments(worker: Worker) -> Iterator[dict[str, Any]]:
    after = 0
    while rows := list(
        Assignment.objects.filter(worker=worker, id__gt=after).select_related("project").order_by("id")[:BATCH_SIZE]
    ):
        after = rows[-1].pk
        shown = _read_shown(rows)
        answers: dict[int, list[Judgment]] = {}
        for judgment in Judgment.objects.filter(assignment__in=rows).order_by("id"):
            answers.setdefault(judgment.assignment_id, []).append(judgment)
        for row in rows:
            yield _assignment(row, answers.get(row.pk, []), shown)


def _assignment(row: Assignment, judgments: Iterable[Judgment], shown: Shown) -> dict[str, Any]:
    receipt = row.receipt or NO_RECEIPT
    places, known = places_of(row), {number: int(place) for place, number in row.known.items()}
    late = _late_places(row, receipt)
    answers = []
    for judgment in judgments:
        place = places[judgment.question_id] if judgment.question_id is not None else known[judgment.known_id or 0]
        if place not in late:
            said = {"answer": judgment.answer, "comment": judgment.comment, "seconds": judgment.seconds}
            answers.append((place, {**shown.get((row.pk, place), {}), **said}))
    skips = [
        {**shown.get((row.pk, place), {}), "reason": reason, "comment": comment}
        for place, reason, comment in receipt["skips"]
    ]
    return {
        "project": row.project.name,
        "task": row.task,
        "kind": row.get_kind_display(),
        "state": row.state,
        "began": row.created_at,
        "ended": row.ended_at,
        "questions": row.size,
        "earned_cents": row.earned_cents,
        "answers": [answer for _, answer in sorted(answers, key=lambda pair: pair[0])],
        "too_late": receipt["answered"] + len(receipt["late_places"]) - receipt["stored"],
        "skipped": receipt["skipped"],
        "skips": skips,
        "test": receipt["test"],
        "draft": row.draft,
    }


def _late_places(row: Assignment, receipt: Mapping[str, Any]) -> set[int]:
    """Return the places of answers that came too late, as the worker may learn them: all, if `Receipt.taken` says 0."""
    none_taken = receipt["late"] and not receipt["stored"] and len(row.spare) < len(row.known)
    return set(range(row.size)) if none_taken else set(receipt["late_places"])


def _read_shown(rows: Iterable[Assignment]) -> Shown:
    """Read what was shown in these assignments, in three statements."""
    real = {number for row in rows for number in row.questions}
    known = {number for row in rows for number in row.known.values()}
    columns = ("id", "image_id", "shown")
    questions = {number: rest for number, *rest in Question.objects.filter(id__in=real).values_list(*columns)}
    checks = {number: rest for number, *rest in KnownQuestion.objects.filter(id__in=known).values_list(*columns)}
    captions = captions_of(image for image, _ in (*questions.values(), *checks.values()))
    found: Shown = {}
    for row in rows:
        at = {place: questions.get(number) for number, place in places_of(row).items()}
        at |= {int(place): checks.get(number) for place, number in row.known.items()}
        found |= {
            (row.pk, place): _question(row.task, shown[0], shown[1], captions) for place, shown in at.items() if shown
        }
    return found


def _question(task: str, image: int, shown: Mapping[str, Any], captions: Captions) -> dict[str, Any]:
    texts: dict[int, dict[str, Any]] = {}
    for _, number, first, end in shown["mentions"]:
        text, words, offsets = captions[image, number]
        caption = texts.setdefault(number, {"text": text, "phrases": []})
        caption["phrases"].append(text[offsets[first] : offsets[end - 1] + len(words[end - 1])])
    boxes = {"boxes": shown["boxes"], "new_box": shown["new_box"]}
    asked = {"survey": shown["survey"]} if "survey" in shown else {}
    return {"question": TASK_QUESTIONS[task], "captions": list(texts.values()), **boxes, **asked}


def _rows(rows: Any, *columns: str) -> Iterator[dict[str, Any]]:
    for row in rows.order_by("id").values_list(*columns):
        yield {name.split("__")[0]: value for name, value in zip(columns, row, strict=True)}


def _text(value: Any) -> str:
    return json.dumps(value, cls=DjangoJSONEncoder, ensure_ascii=False)
