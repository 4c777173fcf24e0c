"""The worker's own pages: all projects, one project, earnings, and the page to answer questions."""

import json
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import Q
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_POST, require_safe
from django.views.i18n import set_language

from accounts.may import tasks_open_to
from annotation.models import Project
from labelling.joining.join import projects_of, workers_only
from labelling.messages import unread_answers
from labelling.open_tasks import TaskOffer, assignments_on_loan, in_turn, open_tasks
from labelling.open_tasks import TaskState as State
from labelling.pages.conversations import go_back
from labelling.pages.worker_status import (
    ShownScores,
    TrustNews,
    done,
    earnings,
    ended_assignments,
    in_words,
    score_in_words,
    shown_score,
    trust_story,
)
from labelling.sign_ins import sign_in_of
from pipeline.asking.receipt import has_met
from pipeline.money.ledger import own_ledger, refused_of
from pipeline.policies.compose import engine_of
from pipeline.project.settings_versions import current_settings
from pipeline.protocol.tasks.task import Task
from pipeline.settings.of_work import TrustSettings, needed_in_test
from pipeline.settings.settings import Settings
from runtime import clock
from workers.change_preferences import change_preferences
from workers.change_trust import change_trust
from workers.messages import read_message
from workers.models import Message, TrustChange, TrustStatus, Worker
from workers.preferences import Preferences
from workers.rules.trust_states import IllegalMoveError, TrustEvent
from workers.task_words import TASK_QUESTIONS, task_name
from workers.tokens import make_page_token

EXCLUDED = (State.SUSPENDED.value, State.BARRED.value)
CAUSES = (
    TrustEvent.SUSPEND,
    TrustEvent.BAR,
    TrustEvent.FAIL_AGAIN,
    TrustEvent.FAIL_LAST_TEST,
    TrustEvent.REFUSE_APPEAL,
)


@dataclass(frozen=True, slots=True)
class ScoreCard:
    """A score beside the score that is needed, in whole percent."""

    lines: list[str]
    share: int | None
    """None: there is no score yet."""
    needed: int


@dataclass(frozen=True, slots=True)
class TaskCard:
    offer: TaskOffer
    words: str
    minutes_left: int
    """Minutes left of the assignment that the worker has begun; 0 if there is none."""
    needed: int
    """The number of right answers that pass the qualification test."""
    tries: str
    """The number of the next try at the test in words, from the second on; else empty."""
    score: ScoreCard | None
    """None: the worker is not measured on this task."""
    may_appeal: bool
    work_cents: int
    """The reward of an assignment after the test."""
    why: list[TrustNews] = field(default_factory=list)
    """The change that led to the suspension or the bar."""


def task_cards(project: Project, worker_id: int) -> list[TaskCard]:
    """Return the cards of the worker's tasks, in the order of `Task`."""
    now = clock.now()
    _, settings = current_settings(project.id)
    held = assignments_on_loan(project.id, worker_id).values_list("task", "expires_at")
    left = {task: max(1, int((until - now).total_seconds() // 60)) for task, until in held}
    rows = {row.task: row for row in TrustStatus.objects.filter(worker=worker_id, project_id=project.id)}
    return [
        _card(
            offer, project.id, worker_id, settings, rows.get(offer.task), minutes_left=left.get(offer.task, 0), now=now
        )
        for offer in open_tasks(project, worker_id)
    ]


def _card(
    offer: TaskOffer,
    project_id: int,
    worker_id: int,
    settings: Settings,
    row: TrustStatus | None,
    *,
    minutes_left: int,
    now: datetime,
) -> TaskCard:
    task = Task(offer.task)
    failed = row.tests_failed if row else 0
    return TaskCard(
        offer,
        gettext(TASK_QUESTIONS[task]),
        minutes_left,
        needed_in_test(settings, task, settings.test_questions),
        gettext("try %(n)s of %(tests)s") % {"n": failed + 1, "tests": settings.tests} if failed else "",
        None if offer.state == State.TEST else _score(project_id, worker_id, task, settings, row, now=now),
        bool(row and offer.state == State.BARRED and not row.appealed),
        settings.reward_cents[offer.task],
        _why(project_id, worker_id, offer.task) if offer.state in EXCLUDED else [],
    )


def _score(
    project_id: int, worker_id: int, task: Task, settings: TrustSettings, row: TrustStatus | None, *, now: datetime
) -> ScoreCard | None:
    """Return the score; None if there is none. A worker without a trust status is measured by boxes alone."""
    shown = shown_score(worker_id, project_id, task, row.score_since if row else None, now)
    if shown == ShownScores() and (row is None or not row.passed_test):
        return None
    share, minimum = shown.scores.overall.share, settings.minimum[task.value]
    percent = None if share is None else round(100 * share)
    return ScoreCard(score_in_words(shown, minimum), percent, round(100 * minimum))


def _why(project_id: int, worker_id: int, task: str) -> list[TrustNews]:
    causes = [event.value for event in CAUSES]
    rows = TrustChange.objects.filter(project_id=project_id, worker=worker_id, task=task, event__in=causes)
    return [in_words(row) for row in rows.order_by("-id")[:1]]


DONE_PER_PAGE = 20
LAST_MESSAGES = 20


@require_safe
@workers_only
def home(request: HttpRequest, worker: Worker) -> HttpResponse:
    """Show the worker's projects and the messages from requesters."""
    projects = [
        {
            "project": project,
            "offers": [
                offer
                for offer in open_tasks(project, worker.id)
                if offer.open or offer.is_begun or offer.state in EXCLUDED
            ],
            "earnings": earnings(project.id, worker.id),
        }
        for project in projects_of(worker)
    ]
    context = {"worker": worker, "projects": projects, "mail": _messages(worker)}
    return render(request, "labelling/home.html", context)


@require_safe
@workers_only
def project(request: HttpRequest, worker: Worker, name: str) -> HttpResponse:
    row = get_object_or_404(projects_of(worker), name=name)
    page = Paginator(ended_assignments(row.id, worker.id), DONE_PER_PAGE).get_page(request.GET.get("page"))
    refused = refused_of(worker.id, row.id)
    cards = task_cards(row, worker.id)
    turn = in_turn([card.offer for card in cards])
    context: dict[str, Any] = {
        "worker": worker,
        "project": row,
        "cards": cards,
        "mixes": turn and len(cards) > 1,
        "next_task": turn[0].task if turn and (turn[0].is_begun or len(turn) == 1) else "",
        "page": page,
        "history": [done(assignment, refused.get(assignment.id, 0)) for assignment in page],
        "earnings": earnings(row.id, worker.id),
        "settings": current_settings(row.id)[1],
        "story": trust_story(row.id, worker.id),
        "mail": _messages(worker, row),
    }
    return render(request, "labelling/project.html", context)


@require_safe
@workers_only
def earned(request: HttpRequest, worker: Worker, name: str) -> HttpResponse:
    """Show what the requester owes, has paid and has refused, with the reasons."""
    row = get_object_or_404(projects_of(worker), name=name)
    hourly = earnings(row.id, worker.id).hourly_cents
    context = {"worker": worker, "project": row, "ledger": own_ledger(worker.id, row.id), "hourly_cents": hourly}
    return render(request, "labelling/earned.html", context)


@require_safe
@workers_only
def all_tasks(request: HttpRequest, worker: Worker, name: str) -> HttpResponse:
    """Open the first task that has work for the worker. Its page goes on with the others in turn."""
    row = get_object_or_404(projects_of(worker), name=name)
    first = next(iter(in_turn(open_tasks(row, worker.id))), None)
    if first is None:
        messages.info(request, gettext("Nothing is open for you right now."))
        return redirect("labelling:project", row.name)
    return redirect(reverse("labelling:work", args=[row.name, first.task]) + "?mixed=on")


@require_safe
@workers_only
def work(request: HttpRequest, worker: Worker, name: str, task: str) -> HttpResponse:
    """Show the page to answer questions. The page calls the API with its own token, not with the Django session."""
    row = get_object_or_404(projects_of(worker), name=name)
    if task not in tuple(Task):
        raise Http404(f"There is no task {task!r}.")
    if task not in tasks_open_to(worker.id, row.id):
        messages.error(
            request,
            gettext("You have no access to “%(task)s” here. Ask the requester for it.") % {"task": task_name(task)},
        )
        return redirect("labelling:project", row.name)
    _, settings = current_settings(row.id)
    context = {
        "project": row,
        "task": task,
        "label": task_name(task),
        "bearer": make_page_token(worker.id, sign_in_id=sign_in_of(request)),
        "needed": needed_in_test(settings, Task(task), settings.test_questions),
        "mixed": request.GET.get("mixed") == "on",
        "met": has_met(worker.id, row.id, Task(task)),
        "draw_by": settings.draw_by,
        "part_answers": settings.part_answers,
        "sweeps": bool(engine_of(settings).link_shapes),
        "preferences": json.dumps(Preferences.from_json(worker.preferences).to_json()),
    }
    return render(request, "labelling/work.html", context)


@require_POST
@workers_only
def appeal(request: HttpRequest, worker: Worker, name: str, task: str) -> HttpResponse:
    """Send a barred worker's appeal to the requester. Each bar can be appealed once."""
    row = get_object_or_404(projects_of(worker), name=name)
    because = request.POST.get("because", "").strip()
    if task not in tuple(Task) or not because:
        messages.error(request, gettext("Tell the requester why you appeal."))
        return redirect("labelling:project", row.name)
    place: dict[str, Any] = {"worker_id": worker.id, "project_id": row.id}
    try:
        change_trust(task=task, event=TrustEvent.APPEAL, because=because, actor=worker.name, **place)
        messages.success(request, gettext("Your appeal was sent to the requester."))
    except IllegalMoveError:
        messages.error(request, gettext("You have appealed already, or are not barred."))
    return redirect("labelling:project", row.name)


@require_POST
@workers_only
def mark_message_read(request: HttpRequest, worker: Worker, message_id: int) -> HttpResponse:
    """Mark a message as read and go back to the page that showed it."""
    read_message(message_id=message_id, worker_id=worker.id)
    return go_back(request)


def _messages(worker: Worker, project: Project | None = None) -> dict[str, list[Any]]:
    """Return notices from requesters, and answers that the worker has not read."""
    rows = Message.objects.filter(worker=worker).select_related("project").order_by("-id")
    answers = unread_answers(worker.pk).select_related("conversation__project", "conversation__assignment")
    if project is not None:
        rows = rows.filter(Q(project_id=project.id) | Q(project_id=None))
        answers = answers.filter(conversation__project=project)
    return {
        "answers": list(answers[:LAST_MESSAGES]),
        "new": list(rows.filter(read_at=None)[:LAST_MESSAGES]),
        "old": list(rows.exclude(read_at=None)[:LAST_MESSAGES]),
    }


@require_POST
def choose_language(request: HttpRequest) -> HttpResponseBase:
    """Keep the choice in a cookie for pages, and with the worker's preferences for mail, and go back to the page."""
    language = request.POST.get("language", "")
    worker = Worker.objects.filter(user=request.user.pk).first() if request.user.is_authenticated else None
    if worker and language in dict(settings.LANGUAGES):
        change_preferences(worker_id=worker.pk, changes={"language": language})
    return set_language(request)
