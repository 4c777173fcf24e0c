"""Suggestions for the stock, from finished images: questions that workers agreed on, confirmed one by one by a person.

A suggestion that was confirmed is in the stock; one that was refused is there too, but retired, so that it is neither
asked nor suggested again.
"""

from dataclasses import dataclass
from typing import Any, TypedDict

from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from annotation.models import Image, Project
from pipeline.errors import PipelineError
from pipeline.known.known_from_finished import NotSureError
from pipeline.known.question_mix import answer_name
from pipeline.models import KnownQuestion, Question
from pipeline.protocol.tasks.task import PROTOCOL_TASKS, Task
from pipeline.stock.known_questions import Purpose, Source, key_of, retire_known
from pipeline.stock.promote_question import promote_question, truth_of
from pipeline.stock.suggest_known import AGREE, suggest_known
from projects.access import managers_only
from projects.lifecycle.new_workers import counts_of
from projects.people.answers import AnswerBox, frames_of
from projects.quality.question_words import Said, captions_of, words_of_question

EACH = 10
"""Suggestions of each task that are looked for at once."""
LOOK_AT = 400
"""Closed questions of each task that are looked at."""
DECIDED_BY_ONE = frozenset({Task.CHAIN_VERIFICATION, Task.BOX_DRAWING, Task.BOX_QUALITY})
"""Tasks in which one answer decides: there, one trusted worker and the finished chain are enough for a suggestion."""


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A finished question as it is shown to who confirms it."""

    question: Question
    image: Image
    task: str
    asks: str
    captions: list[tuple[str, str, str]]
    """For each phrase its caption: the words before it, the phrase, and the words after it."""
    words: str
    answer: str
    frames: list[AnswerBox]


def find_suggestions(project: Project) -> list[int]:
    """Return the ids of questions to suggest; those of the task with the smallest stock come first."""
    counts = counts_of(project)
    order = sorted(PROTOCOL_TASKS, key=lambda task: counts.get((task.value, Purpose.VERIFICATION.value), 0))
    agree = {task: 1 if task in DECIDED_BY_ONE else AGREE for task in order}
    found = suggest_known(project.pk, agree, EACH, look_at=LOOK_AT)
    return [suggestion.question.pk for task in order for suggestion in found[task]]


ASKS = {
    Task.COREFERENCE_LINK: "Do both phrases mean the same?",
    Task.CHAIN_VERIFICATION: "Do all phrases mean the same?",
    Task.BOX_REQUIREMENT: "Can a box be drawn for the phrase?",
    Task.BOX_DRAWING: "Draw one box that is missing.",
    Task.BOX_QUALITY: "Is the new box good?",
    Task.BOX_COVERAGE: "Are all boxes there?",
}


def shown_suggestion(project: Project, question_id: int) -> Suggestion | None:
    """Return the suggestion; None if the question is gone, or its right answer is no longer certain."""
    question = Question.objects.select_related("image").filter(project=project, pk=question_id).first()
    if question is None:
        return None
    try:
        truth = truth_of(question)
    except NotSureError:
        return None
    task, said = Task(question.task), captions_of([question])
    drawn = [frame for box in truth for frame in frames_of({}, {"box": box})] if task is Task.BOX_DRAWING else []
    return Suggestion(
        question=question,
        image=question.image,
        task=task.label,
        asks=ASKS[task],
        captions=_captions(question, said),
        words=words_of_question(question, said),
        answer=answer_name(task, truth),
        frames=[*frames_of(question.shown, None), *drawn],
    )


def _captions(question: Question, captions: Said) -> list[tuple[str, str, str]]:
    found = []
    for _, number, start, end in question.shown["mentions"]:
        words = captions.get((question.image_id, number), [])
        found.append((" ".join(words[:start]), " ".join(words[start:end]), " ".join(words[end:])))
    return found


@transaction.atomic
def confirm(project: Project, question_id: int, *, actor: str) -> bool:
    """Put the suggestion into the stock. Returns False if that is not possible any more."""
    known = _is_known(project, question_id)
    if known is None:
        try:
            promote_question(question_id=question_id, source=Source.AGREED, actor=actor)
        except (PipelineError, Question.DoesNotExist):
            return False
    else:  # refused or taken back before
        KnownQuestion.objects.filter(pk=known.pk).update(retired_at=None, added_by=actor)
    return True


@transaction.atomic
def refuse(project: Project, question_id: int, *, actor: str) -> bool:
    """Keep the suggestion out of the stock for good. Returns False if that is not possible any more."""
    if not confirm(project, question_id, actor=actor):
        return False
    return take_back(project, question_id)


def take_back(project: Project, question_id: int) -> bool:
    """Ask a confirmed suggestion of nobody any more. Answers that were given to it count as before."""
    known = _is_known(project, question_id)
    return known is not None and retire_known(known.pk)


def _is_known(project: Project, question_id: int) -> KnownQuestion | None:
    """Return what became of the suggestion. The same question from gold or an expert is none of ours."""
    question = Question.objects.filter(project=project, pk=question_id).first()
    if question is None:
        return None
    key = key_of(question.image_id, question.shown)
    return KnownQuestion.objects.filter(project=project, task=question.task, key=key, source=Source.AGREED).first()


class Queue(TypedDict):
    """The suggestions of one visitor, kept in the session: ids of questions."""

    waiting: list[int]
    done: list[tuple[int, str]]
    """Questions that were decided, in order, each with the word that was said."""


@managers_only("GET", "POST", surveys=False)
def suggestions(request: HttpRequest, project: Project) -> HttpResponse:
    """Show the next suggestion; a POST says yes, no or skip to it, takes the last word back, or looks for new ones."""
    if request.method == "POST":
        _take(request, project, request.POST.get("say", ""), request.POST.get("question", ""))
        return redirect("projects:suggestions", project.name)
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
    return render(request, "projects/gold/suggestions.html", {**context, **counts})


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
    return Queue(waiting=list(kept.get("waiting", [])), done=[(number, word) for number, word in kept.get("done", [])])


def _keep(request: HttpRequest, project: Project, queue: Queue) -> None:
    request.session[_name(project)] = queue
