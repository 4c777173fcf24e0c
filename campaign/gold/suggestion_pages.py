"""The page on which suggestions from finished images are confirmed one after another, by key or by button."""

from typing import Any, TypedDict

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from annotation.models import Project
from campaign.access import managers_only
from campaign.gold.suggestions import confirm, find_suggestions, refuse, shown_suggestion, take_back


class Queue(TypedDict):
    """The suggestions of one visitor, kept in the session: ids of questions."""

    waiting: list[int]
    done: list[tuple[int, str]]
    """Questions that were decided, in order, each with the word that was said."""


@require_http_methods(["GET", "HEAD", "POST"])
@managers_only
def suggestions(request: HttpRequest, project: Project) -> HttpResponse:
    """Show the next suggestion; a POST says yes, no or skip to it, takes the last word back, or looks for new ones."""
    if request.method == "POST":
        _take(request, project, request.POST.get("say", ""), request.POST.get("question", ""))
        return redirect("campaign:suggestions", project.name)
    queue = _read(request, project)
    shown = None
    while queue["waiting"] and shown is None:
        shown = shown_suggestion(project, queue["waiting"][0])
        if shown is None:  # the image has moved on since
            queue["waiting"].pop(0)
            _keep(request, project, queue)
    said = [word for _, word in queue["done"]]
    context = {"project": project, "shown": shown, "left": len(queue["waiting"]), "said": said}
    counts = {"confirmed": said.count("yes"), "refused": said.count("no"), "skipped": said.count("skip")}
    return render(request, "campaign/gold/suggestions.html", {**context, **counts})


def _take(request: HttpRequest, project: Project, say: str, question: str) -> None:
    queue, actor = _read(request, project), request.user.get_username()
    waiting, done = queue["waiting"], queue["done"]
    if say == "find":
        queue = Queue(waiting=find_suggestions(project), done=[])
        if not queue["waiting"]:
            messages.warning(request, "No finished question qualifies yet: trusted workers must have agreed on it.")
    elif say == "undo" and done:
        last, word = done.pop()
        if word == "yes":
            take_back(project, last)
        waiting.insert(0, last)
    elif say in ("yes", "no", "skip") and waiting and str(waiting[0]) == question:
        acted = {"yes": confirm, "no": refuse}.get(say)
        if acted and not acted(project, waiting[0], actor=actor):
            messages.warning(request, "This question can no longer be taken: its image has changed, or it is in stock.")
            say = "skip"
        done.append((waiting.pop(0), say))
    else:  # the button was pressed twice, or in another window
        messages.warning(request, "Nothing was done: this is not the suggestion that is shown now.")
    _keep(request, project, queue)


def _name(project: Project) -> str:
    return f"suggestions {project.pk}"


def _read(request: HttpRequest, project: Project) -> Queue:
    kept: Any = request.session.get(_name(project)) or {}
    return Queue(waiting=list(kept.get("waiting", [])), done=[(one, word) for one, word in kept.get("done", [])])


def _keep(request: HttpRequest, project: Project, queue: Queue) -> None:
    request.session[_name(project)] = queue
