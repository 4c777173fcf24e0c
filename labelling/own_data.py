"""A worker's own data: download, deletion, and the pages for both, with an account and from a platform.

Answers, pay and trust stay with the worker's row, which names nobody once its person is forgotten. To have more
forgotten, add a function to FORGOTTEN. Each is called in one transaction, while the worker still has the name and the
account. See docs/how-to/workers_data.md.
"""

import json
import logging
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict
from datetime import datetime, timedelta
from typing import Any

from allauth.core.ratelimit import consume_or_429
from allauth.mfa.models import Authenticator
from allauth.usersessions.models import UserSession
from django import forms
from django.contrib import messages
from django.contrib.admin.models import LogEntry
from django.contrib.auth import logout
from django.contrib.contenttypes.models import ContentType
from django.contrib.sessions.models import Session as Browser
from django.core.serializers.json import DjangoJSONEncoder
from django.db import transaction
from django.db.models import Exists, Max, OuterRef, Q
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.translation import gettext, gettext_lazy, gettext_noop
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.events import Kind, forget_person, record
from accounts.may import is_of_staff
from accounts.models import SecurityEvent
from accounts.reauthentication import reauthenticated
from annotation.models import LEAST_KEPT_DAYS, Project
from labelling.api.payload import Captions, captions_of
from labelling.joining.join import projects_of, workers_only
from labelling.messages import delete_messages
from labelling.models import Conversation, SignIn
from labelling.pages.worker_status import trust_story
from labelling.sign_ins import guard_of
from pipeline.asking.end_lease import end_assignments
from pipeline.asking.read_assignment import places_of
from pipeline.models import Assignment, Judgment, KnownQuestion, Question
from pipeline.money.ledger import account_of, own_ledger
from pipeline.project.settings_versions import current_settings
from platforms.models import Identity, Session
from platforms.sessions import forget_identities
from runtime import clock
from runtime.downloads import download
from workers.models import Access, ApiKey, Message, TrustChange, Worker
from workers.rules.trust_states import TrustEvent
from workers.task_words import TASK_QUESTIONS
from workers.tokens import read_page_token

logger = logging.getLogger(__name__)
TEXT_GONE = "The text was deleted at the worker's request."


def name_after(worker: Worker) -> str:
    """Return what the worker's row is called once nobody is behind it."""
    return f"deleted worker {worker.pk}"


def forget_rights(worker: Worker) -> None:
    ApiKey.objects.filter(worker=worker).delete()
    Access.objects.filter(worker=worker).delete()


def forget_drafts(worker: Worker) -> None:
    Assignment.objects.filter(worker=worker).exclude(draft=None).update(draft=None)


def forget_conversations(worker: Worker) -> None:
    delete_messages(worker.pk)


def forget_platforms(worker: Worker) -> None:
    forget_identities(worker.pk)


def forget_appeals(worker: Worker) -> None:
    """Write the worker's appeals anew, without the name and the text: rows of this table cannot be changed."""
    for row in TrustChange.objects.filter(worker=worker, event=TrustEvent.APPEAL.value):
        number = row.pk
        row.delete()
        row.pk, row.actor, row.reason = number, name_after(worker), TEXT_GONE
        row.save(force_insert=True)


def forget_history(worker: Worker) -> None:
    """Replace the name in the admin pages' own history of what staff did to this worker's rows."""
    models = ContentType.objects.filter(app_label__in=["workers", "pipeline", "platforms", "auth"])
    for name in {worker.name, worker.user.get_username() if worker.user else worker.name}:
        word = re.compile(rf"(?<![\w@.+-]){re.escape(name)}(?![\w@.+-])")
        own = Q(object_repr__contains=name) | Q(
            content_type__in=models.filter(model="worker"), object_id=str(worker.pk), change_message__contains=name
        )
        for row in LogEntry.objects.filter(own, content_type__in=models):
            row.object_repr = word.sub(name_after(worker), row.object_repr)[:200]
            if row.object_id == str(worker.pk):
                row.change_message = word.sub(name_after(worker), row.change_message)
            row.save(update_fields=["object_repr", "change_message"])


def forget_events(worker: Worker) -> None:
    """Replace the name in the event log, and take the network addresses out of the worker's own lines."""
    if worker.user is not None:
        forget_person(worker.user.get_username(), name_after(worker))


def forget_account(worker: Worker) -> None:
    """Delete the account, with its name, password and address, and end its sessions."""
    user = worker.user
    if user is None:
        return
    keys = set(SignIn.objects.filter(user=user).values_list("session_key", flat=True))
    for browser in Browser.objects.iterator():
        if browser.get_decoded().get("_auth_user_id") == str(user.pk):
            keys.add(browser.session_key)
    Browser.objects.filter(session_key__in=keys).delete()
    user.delete()
    worker.user = None


FORGOTTEN: list[Callable[[Worker], None]] = [
    forget_rights,
    forget_drafts,
    forget_conversations,
    forget_platforms,
    forget_appeals,
    forget_history,
    forget_events,
    forget_account,
]


class StillAMemberError(Exception):
    message = gettext_noop(
        "This account also manages projects or the service. An administrator has to take that away first."
    )

    def __init__(self) -> None:
        super().__init__(self.message)


@transaction.atomic
def forget_worker(worker_id: int, *, now: datetime | None = None) -> bool:
    """Return active assignments, forget everything in FORGOTTEN, and close the worker for good.

    Returns False if that was done before. Raises StillAMemberError for the account of a member or of staff.
    """
    now = now or clock.now()
    # Assignments before the worker, in the order in which submitting locks them.
    held = Assignment.objects.filter(worker=worker_id, state=Assignment.State.ACTIVE).order_by("id")
    active = list(held.select_for_update().values_list("id", flat=True))
    worker = Worker.objects.select_for_update(no_key=True).get(id=worker_id)
    if worker.closed_at is not None:
        return False
    if is_member(worker):
        raise StillAMemberError
    end_assignments(active, Assignment.State.RETURNED, now)
    for forget in FORGOTTEN:
        forget(worker)
    worker.name, worker.closed_at = name_after(worker), now
    worker.save(update_fields=["name", "user", "closed_at"])
    return True


def is_member(worker: Worker) -> bool:
    """Tell whether the worker's account is staff's or a member's, which cannot be deleted with the worker."""
    user = worker.user
    return user is not None and (user.is_superuser or is_of_staff(user))


def owed_to(worker: Worker) -> list[tuple[Project, int]]:
    """Return the projects that owe the worker money, with the cents."""
    projects = Project.objects.filter(assignments__worker=worker) | Project.objects.filter(ledger__worker=worker)
    owed = ((project, account_of(worker.pk, project.pk).owed) for project in projects.distinct().order_by("name"))
    return [(project, cents) for project, cents in owed if cents > 0]


def forget_idle_workers(*, now: datetime | None = None) -> int:
    """Forget the people among them, and return how many. Members stay, and so does whoever is still owed money."""
    now = now or clock.now()
    idle = [worker for worker in _candidates(now) if _is_idle(worker, now)]
    done = sum(forget_worker(worker.pk, now=now) for worker in idle if not (is_member(worker) or owed_to(worker)))
    if done:
        logger.info("%d workers were forgotten, who had been idle for as long as their projects say", done)
    return done


def _candidates(now: datetime) -> list[Worker]:
    """Return the people who were idle for the shortest time that a project can name, of projects that name one."""
    since = now - timedelta(days=LEAST_KEPT_DAYS)
    recent = Assignment.objects.filter(worker=OuterRef("pk"), created_at__gt=since)
    in_one = Project.objects.exclude(kept_days=None)
    here = Q(accesses__project__in=in_one) | Q(assignments__project__in=in_one)
    people = Worker.objects.filter(here, kind=Worker.Kind.PERSON, closed_at=None, created_at__lte=since)
    people = people.exclude(Exists(recent)).exclude(user__last_login__gt=since)
    return list(people.select_related("user").distinct().order_by("id"))


def _is_idle(worker: Worker, now: datetime) -> bool:
    """Tell whether the longest of the worker's projects' times has passed; a project without one keeps the worker."""
    projects = Project.objects.filter(Q(accesses__worker=worker) | Q(assignments__worker=worker))
    days = set(projects.order_by().values_list("kept_days", flat=True))
    if None in days:
        return False
    longest = max(day for day in days if day is not None)
    return _last_seen(worker) + timedelta(days=longest) <= now


def _last_seen(worker: Worker) -> datetime:
    """Return when the worker last did anything, or was given access."""
    given = Assignment.objects.filter(worker=worker).aggregate(first=Max("created_at"), last=Max("ended_at"))
    opened = Session.objects.filter(worker=worker).aggregate(opened=Max("opened_at"))
    access = worker.accesses.aggregate(granted=Max("granted_at"))  # type: ignore[attr-defined]
    signed_in = worker.user.last_login if worker.user else None
    times = [worker.created_at, signed_in, *given.values(), *opened.values(), *access.values()]
    return max(time for time in times if time is not None)


# Download of a worker's own data as JSON: account, standing, answers with their questions, pay, messages.
#
# Answers to verification questions look like all others, and nothing here that the pages keep back tells them apart: no
# exact scores, no signals, no ids of questions, and no answer at a place whose answer the receipt calls too late.

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


class DeleteForm(forms.Form):
    """Asks whether this is meant, and whether the worker gives up what is owed, where something is."""

    unpaid = forms.BooleanField(label=gettext_lazy("I know that I may not be paid what is still owed to me."))
    sure = forms.BooleanField(
        label=gettext_lazy("Delete my account and everything listed above. This cannot be undone.")
    )

    def __init__(self, data: Any = None, *, is_owed: bool) -> None:
        super().__init__(data)
        if not is_owed:
            del self.fields["unpaid"]


DONE = gettext_noop("Your account was deleted. Your answers are kept without you. You are signed out everywhere.")
UNKNOWN = gettext_noop(
    "This page opens from your work only: go back there, load the page again, and press the link once more."
)


@require_safe
@workers_only
def own_data(request: HttpRequest, worker: Worker) -> HttpResponse:
    """Show what is kept."""
    return _render(request, worker)


@require_safe
@workers_only
def take_out(request: HttpRequest, worker: Worker) -> HttpResponse:
    return _file(request, worker)  # type: ignore[return-value]  # a response that streams


@require_http_methods(["GET", "HEAD", "POST"])
@workers_only
@reauthenticated
def delete(request: HttpRequest, worker: Worker) -> HttpResponse:
    """Tell what goes and what stays, ask a second time, and delete."""
    if _is_deleted(request, worker, form := _form(request, worker)):
        logout(request)
        messages.success(request, gettext(DONE))
        return redirect("account_login")
    return _second_page(request, worker, form)


@csrf_exempt  # a platform's frame has no cookie; the token in the body says who it is
@never_cache
@require_POST
def on_platform(request: HttpRequest) -> HttpResponseBase:
    """Do the same for a worker from a platform, whom the token of their labelling page names."""
    token = read_page_token(request.POST.get("bearer", ""))
    if token is None or token.session_id is None or not guard_of(token).holds():
        return render(request, "labelling/closed.html", {"message": gettext(UNKNOWN)}, status=403)
    worker = Worker.objects.select_related("user").get(pk=token.worker_id)
    what = request.POST.get("what", "")
    if what == "file":
        return _file(request, worker)
    if what not in ("ask", "delete"):
        return _render(request, worker)
    if _is_deleted(request, worker, form := _form(request, worker), requested=what == "delete"):
        return render(request, "labelling/deleted.html", {"message": gettext(DONE)})
    return _second_page(request, worker, form)


def _render(request: HttpRequest, worker: Worker) -> HttpResponse:
    return render(request, "labelling/own_data.html", _common(request, worker))


def _second_page(request: HttpRequest, worker: Worker, form: DeleteForm) -> HttpResponse:
    owed = [(project, cents, current_settings(project.pk)[1].currency) for project, cents in owed_to(worker)]
    context = {**_common(request, worker), "form": form, "owed": owed, "is_member": is_member(worker)}
    return render(request, "labelling/delete.html", context)


def _common(request: HttpRequest, worker: Worker) -> dict[str, Any]:
    at = request.resolver_match
    bearer = request.POST.get("bearer", "") if at and at.url_name == "on_platform" else ""
    return {"worker": worker, "projects": projects_of(worker), "bearer": bearer}


def _form(request: HttpRequest, worker: Worker) -> DeleteForm:
    is_sent = request.method == "POST" and request.POST.get("what") != "ask"
    return DeleteForm(request.POST if is_sent else None, is_owed=bool(owed_to(worker)))


def _is_deleted(request: HttpRequest, worker: Worker, form: DeleteForm, *, requested: bool = True) -> bool:
    if not (requested and form.is_valid()):
        return False
    try:
        forget_worker(worker.pk)
    except StillAMemberError as error:
        messages.error(request, gettext(str(error)))
        return False
    return True


def _file(request: HttpRequest, worker: Worker) -> HttpResponseBase:
    if refusal := consume_or_429(request, action="own_data", key=str(worker.pk), limit_get=True):
        return refusal
    record(Kind.EXPORT, f"own data of {worker}")
    return download(own_data_as_json(worker), "my-chainbox-data.json", "application/json")
