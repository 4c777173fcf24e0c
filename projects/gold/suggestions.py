"""Suggestions for the stock, from finished images: questions that workers agreed on, confirmed one by one by a person.

A suggestion that was confirmed is in the stock; one that was refused is there too, but retired, so that it is neither
asked nor suggested again.
"""

from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypedDict

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from annotation.models import Image, Project
from pipeline.gold_questions.suggest_known import truth_of
from pipeline.known.known_from_finished import NotSureError
from pipeline.models import Question
from pipeline.protocol.tasks.answers import candidates_in
from pipeline.protocol.tasks.task import Task
from projects.access import managers_only, page_caller
from projects.gold.known_question_operations import (
    KnownQuestionNumber,
    PromotedQuestion,
    SuggestedQuestions,
    promote_question,
    retire_question,
    suggested_questions,
    truth_in_words,
)
from projects.operation import Refused
from projects.people.answers import AnswerBox, frames_of
from projects.quality.question_words import Said, captions_of, words_of_question

EACH = 10
"""Suggestions of each task that are looked for at once."""


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


ASKS = {
    Task.COREFERENCE_LINK: "Do both phrases mean the same?",
    Task.CHAIN_VERIFICATION: "Do all phrases mean the same?",
    Task.BOX_REQUIREMENT: "Can a box be drawn for the phrase?",
    Task.BOX_DRAWING: "Draw one box that is missing.",
    Task.BOX_QUALITY: "Is the new box good?",
    Task.BOX_COVERAGE: "Are all boxes there?",
}
WHICH_SAME = "Which of the other phrases mean the same as the first?"


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
        asks=WHICH_SAME if candidates_in(task, question.shown) else ASKS[task],
        captions=_captions(question, said),
        words=words_of_question(question, said),
        answer=truth_in_words(question, truth, said),
        frames=[*frames_of(question.shown, None), *drawn],
    )


def _captions(question: Question, captions: Said) -> list[tuple[str, str, str]]:
    found = []
    for _, number, start, end in question.shown["mentions"]:
        words = captions.get((question.image_id, number), [])
        found.append((" ".join(words[:start]), " ".join(words[start:end]), " ".join(words[end:])))
    return found


class Queue(TypedDict):
    """The suggestions of one visitor, kept in the session: ids of questions."""

    waiting: list[int]
    done: list[tuple[int, str, int]]
    """Questions that were decided, in order, each with the word that was said, and its id in the stock; 0: none."""


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
    said = [word for _, word, _ in queue["done"]]
    context = {"project": project, "shown": shown, "left": len(queue["waiting"]), "said": said}
    counts = {"confirmed": said.count("yes"), "refused": said.count("no"), "skipped": said.count("skip")}
    return render(request, "projects/gold/suggestions.html", {**context, **counts})


def _take(request: HttpRequest, project: Project, say: str, question: str) -> None:
    queue, caller = _read(request, project), page_caller(request)
    waiting, done = queue["waiting"], queue["done"]
    if say == "find":
        found = suggested_questions(project, SuggestedQuestions(most=EACH), caller)
        queue = Queue(waiting=[row.question for row in found.root], done=[])
        if not queue["waiting"]:
            messages.warning(request, "No finished question qualifies yet: trusted workers must have agreed on it.")
    elif say == "undo" and done:
        last, word, known = done.pop()
        if word == "yes":
            with suppress(Refused):  # somebody else has retired it
                retire_question(project, KnownQuestionNumber(question=known), caller)
        waiting.insert(0, last)
    elif say in ("yes", "no", "skip") and waiting and str(waiting[0]) == question:
        known = 0
        if say != "skip":
            try:
                inputs = PromotedQuestion(question=waiting[0], refused=say == "no")
                known = promote_question(project, inputs, caller).known_question
            except Refused as refused:
                messages.warning(request, str(refused))
                say = "skip"
        done.append((waiting.pop(0), say, known))
    else:  # the button was pressed twice, or in another window
        messages.warning(request, "Nothing was done: this is not the suggestion that is shown now.")
    _keep(request, project, queue)


def _name(project: Project) -> str:
    return f"suggestions {project.pk}"


def _read(request: HttpRequest, project: Project) -> Queue:
    kept: Any = request.session.get(_name(project)) or {}
    return Queue(waiting=kept.get("waiting", []), done=kept.get("done", []))


def _keep(request: HttpRequest, project: Project, queue: Queue) -> None:
    request.session[_name(project)] = queue
