"""The page that reopens what a worker without trust has decided: for review, or to ask others."""

from collections import Counter, defaultdict
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from annotation.models import Project
from annotation.rules.states import ChainState
from pipeline.errors import StateMovedError
from pipeline.models import Entry, Judgment, Progress
from pipeline.protocol.image.expert import ExpertError
from pipeline.protocol.image.machine import EntryKind
from pipeline.protocol.state.progress_json import from_json
from pipeline.protocol.tasks.task import PROTOCOL_TASKS, Task
from pipeline.record.intervene import act_as_expert
from projects.access import managers_only
from projects.people.pages import worker_here
from projects.review.image_history import chains_of
from workers.models import TrustStatus, Worker
from workers.rules.trust_states import TrustState

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
