"""The pages of the queue, of the workbench, and of what is reopened of a worker without trust."""

from collections import Counter, defaultdict
from typing import Any
from urllib.parse import urlencode

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.html import format_html

from annotation.models import Project
from annotation.rules.mention_type import MentionType
from annotation.rules.states import ChainState
from pipeline.errors import StateMovedError
from pipeline.models import Entry, Judgment, Progress
from pipeline.project.settings_versions import is_checking
from pipeline.protocol.image.expert import ExpertError
from pipeline.protocol.image.machine import EntryKind
from pipeline.protocol.state.progress_json import from_json
from pipeline.protocol.tasks.task import PROTOCOL_TASKS, Task
from pipeline.record.intervene import act_as_expert
from projects.access import managers_only, reviewers_only
from projects.gallery.views import read_image, show_image
from projects.long_table import ListColumn, LongTable, TableFilter, choice_field, search_field, show_table
from projects.people.pages import worker_here
from projects.review.image_history import chains_of
from projects.review.workbench import QueueFilters, WaitingChain, reasons, waiting_chains, waiting_places
from workers.models import TrustStatus, Worker
from workers.rules.trust_states import TrustState

COLUMNS: tuple[ListColumn[WaitingChain], ...] = (
    ListColumn("image", lambda chain: chain.image_name, "image", sort="image"),
    ListColumn("chain", lambda chain: chain.name),
    ListColumn("phrases", lambda chain: chain.phrases),
    ListColumn("types", lambda chain: chain.types),
    ListColumn("reason", lambda chain: chain.reason, "reason", sort="reason"),
    ListColumn("expert_reason", lambda chain: chain.expert_reason),
    ListColumn("doubted", lambda chain: chain.doubted),
    ListColumn("disputed_questions", lambda chain: chain.disputes),
)
EMPTY = 'No chain waits: nothing is to be done here. <a href="{}">Count the errors</a> of a sample of finished images.'


class ChainFilter(TableFilter):
    """The fields of the queue, as `QueueFilters` reads them from the address."""

    reason = choice_field("Reason")
    type = choice_field("Type", [(kind.value, kind.value) for kind in MentionType])
    worker = search_field("Answered by", "a worker's name")
    disputed = choice_field("Answers", [("yes", "disputed")])


@reviewers_only("GET", surveys=False)
def queue(request: HttpRequest, project: Project) -> HttpResponseBase:
    """List the chains that wait, each with the address of the workbench."""
    filters = QueueFilters.of(request.GET)
    offered = [(reason, f"{reason} ({count})") for reason, count in reasons(project)]
    table = LongTable(
        "chains",
        "chain",
        COLUMNS,
        ChainFilter(request.GET, reason=offered),
        "reason",
        format_html(EMPTY, reverse("projects:samples", args=[project.name])),
        fill=waiting_chains,
        file="review",
    )
    context = {"checks": is_checking(project), "bench": f"&{urlencode(filters.query)}" if filters.query else ""}
    places = waiting_places(project, filters)
    return show_table(request, project, table, places, "projects/review/queue.html", context)


@reviewers_only("GET", surveys=False)
def workbench(request: HttpRequest, project: Project, image_id: int) -> HttpResponse:
    image = get_object_or_404(project.images, id=image_id)
    chain, filters = request.GET.get("chain", ""), QueueFilters.of(request.GET)
    chosen = {"chain": chain} if chain.isdecimal() and len(chain) < 10 else {}
    queue = reverse("projects:changes" if filters.changes else "projects:review", args=[project.name])
    context = {
        "project": project,
        "image": image,
        "query": urlencode({**chosen, **filters.query}),
        "filters": filters.model_dump_json(),
        "queue": f"{queue}?{urlencode(filters.query)}",
    }
    return render(request, "projects/review/bench.html", context)


@reviewers_only("POST", surveys=False)
def send(request: HttpRequest, project: Project, image_id: int) -> HttpResponse:
    """Send a chain to review, with a reason, from any page that shows it."""
    image = get_object_or_404(project.images, id=image_id)
    reason, chain = request.POST.get("reason", "").strip()[:500], request.POST.get("chain", "")
    if not chain.isdecimal() or len(chain) > 9:
        messages.error(request, "Nothing was done: choose one of the chains of this image.")
    elif not reason:
        return show_image(request, read_image(project.name, image.id), unsaid=int(chain), status=400)
    else:
        actor = request.user.get_username()
        try:
            act_as_expert(
                image_id=image.id, action={"action": "review", "chain": int(chain)}, actor=actor, reason=reason
            )
        except (ExpertError, StateMovedError) as error:
            messages.error(request, f"Nothing was done: {error}")
        else:
            messages.success(request, "The chain waits in review, or will as soon as its phrases are linked.")
    return redirect(f"{reverse('gallery:image', args=[project.name, image.id])}#main")


HOW = (
    ("review", "send the chains to review"),
    ("ask", "ask others, without this worker; what cannot be asked goes to review"),
)
TASK_ASKED_AGAIN = {
    Task.CHAIN_VERIFICATION: ChainState.VERIFICATION,
    Task.BOX_REQUIREMENT: ChainState.REQUIREMENT,
    Task.BOX_DRAWING: ChainState.DRAWING,
    Task.BOX_QUALITY: ChainState.COVERAGE,
    Task.BOX_COVERAGE: ChainState.COVERAGE,
}
"""The step that asks others for what a worker has decided; a link is decided again in review only."""


class ReconsiderForm(forms.Form):
    """The way in which the chains are decided again, and the reason."""

    how = forms.ChoiceField(choices=HOW, label="How")
    reason = forms.CharField(
        max_length=1000, widget=forms.Textarea({"rows": 3}), help_text="It is kept in the record of each image."
    )


@managers_only("GET", "POST", surveys=False)
def reconsidered(request: HttpRequest, project: Project, worker_id: int) -> HttpResponse:
    """Say how many chains the worker has decided, and reopen them once this is confirmed."""
    worker = worker_here(project, worker_id)
    back = reverse("projects:worker", args=[project.name, worker.pk])
    form = ReconsiderForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        done = reconsider(
            worker,
            project.pk,
            actor=request.user.get_username(),
            reason=form.cleaned_data["reason"],
            ask_others=form.cleaned_data["how"] == "ask",
        )
        messages.success(
            request, f"{done['sent']} sent to review, {done['asked']} asked again, {done['left']} left as they are."
        )
        return redirect(back)
    tasks = distrusted_tasks(worker, project.pk)
    chains = sum(len(found) for found in decided_chains(worker, project.pk, tasks).values())
    names = ", ".join(task.label for task in tasks) or "none at the moment"
    context = {
        "project": project,
        "title": f"Decide again what {worker.name} has decided",
        "about": [
            f"Only tasks count on which the worker is not trusted: {names}.",
            f"Answers of theirs have acted on {chains} chains. Finished images are reopened; every act can be undone "
            "in the workbench.",
        ],
        "form": form if chains else None,
        "button": "Decide again" if chains else "",
        "is_danger": True,
        "back": back,
    }
    return render(request, "projects/ask.html", context, status=400 if form.errors else 200)


def distrusted_tasks(worker: Worker, project_id: int) -> list[Task]:
    """Return the tasks about chains on which the worker is not trusted at the moment."""
    rows = TrustStatus.objects.filter(worker=worker, project_id=project_id).exclude(state=TrustState.TRUSTED.value)
    known = set(rows.values_list("task", flat=True))
    return [task for task in PROTOCOL_TASKS if task.value in known]


def decided_chains(worker: Worker, project_id: int, tasks: list[Task]) -> dict[int, dict[int, Task]]:
    """Return the chains that the worker's answers to these tasks have acted on, by image, each with the latest task.

    Voided answers are left out, and so are those that are not folded yet.
    """
    rows = Judgment.objects.filter(worker=worker, question__project=project_id, entry__isnull=False)
    rows = rows.filter(question__task__in=[task.value for task in tasks]).order_by("id")
    columns = ("question__image_id", "question__task", "question__subject", "entry__sequence")
    found = list(rows.values_list(*columns))
    images = {image for image, *_ in found}
    voided: dict[int, set[int]] = defaultdict(set)
    voids: Any = Entry.objects.filter(image__in=images, kind=EntryKind.VOID.value).values_list("image_id", "data")
    for image, data in voids:
        voided[image].update(data["entries"])
    states = {
        image: from_json(state)
        for image, state in Progress.objects.filter(image_id__in=images).values_list("image_id", "state")
    }
    decided: dict[int, dict[int, Task]] = defaultdict(dict)
    for image, task, subject, entry in found:
        if entry not in voided[image]:
            for chain in chains_of(states[image], task, subject):
                decided[image][chain] = Task(task)
    return decided


def reconsider(worker: Worker, project_id: int, *, actor: str, reason: str, ask_others: bool = False) -> Counter[str]:
    """Send the chains that the worker has decided to review, or ask others about them where that is possible.

    Concerns the tasks on which the worker is not trusted now. Returns how many chains were "sent", "asked" again, and
    "left" because they wait in review already.
    """
    done: Counter[str] = Counter()
    for image, chains in decided_chains(worker, project_id, distrusted_tasks(worker, project_id)).items():
        for chain, task in chains.items():
            actions: list[tuple[str, dict[str, Any]]] = [("sent", {"action": "review", "chain": chain})]
            if ask_others and task in TASK_ASKED_AGAIN:
                again = {"action": "ask others", "chain": chain, "to": TASK_ASKED_AGAIN[task].value}
                actions.insert(0, ("asked", again))
            done[_first_possible(image, actions, actor, reason)] += 1
    return done


def _first_possible(image: int, actions: list[tuple[str, dict[str, Any]]], actor: str, reason: str) -> str:
    for name, action in actions:
        try:
            act_as_expert(image_id=image, action=action, actor=actor, reason=reason)
        except (ExpertError, StateMovedError):
            continue
        return name
    return "left"
