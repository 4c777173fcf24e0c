"""Pages of known questions and gold: what there is and is missing, sampled images, and those to retire or confirm."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypedDict, cast

from django import forms
from django.contrib import messages
from django.contrib.auth.models import User
from django.db.models import Count, Q, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse

from accounts.may import Action, may
from annotation.models import Image, Project
from annotation.rules.states import ProjectState
from pipeline.gold_questions.known_forecast import TaskReport, known_reports, warnings_of
from pipeline.gold_questions.known_questions import Purpose
from pipeline.gold_questions.suggest_known import truth_of
from pipeline.known.known_from_gold import NotSureError
from pipeline.known.question_mix import answer_name
from pipeline.models import KnownQuestion, Question
from pipeline.project.queries import tasks_of
from pipeline.protocol.tasks.answers import CHOICES, candidates_in
from pipeline.protocol.tasks.task import Task
from projects.access import managers_only, operation_page, page_caller, reviewers_only
from projects.gallery.access import refusal
from projects.gold.known_question_operations import (
    KnownQuestionNumber,
    PromotedQuestion,
    SuggestedQuestions,
    imported_gold,
    promote_question,
    retire_question,
    suggested_questions,
    truth_in_words,
    use_imported_gold,
    write_answer,
)
from projects.gold.operations import draw_images, remove_from_sample, waits_for
from projects.gold.sheets import MOST_AT_ONCE, gold_report, is_compared
from projects.lifecycle.change_state import missing_known_questions
from projects.long_table import ListColumn, LongTable, TableFilter, choice_field, show_table
from projects.models import GoldImage
from projects.operation import Refused
from projects.operation_page import (
    CheckedChoice,
    OperationForm,
    RowAct,
    RowActs,
    act_on_rows,
    action_page,
    do_by_page,
    form_for,
    submit_form,
)
from projects.people.answers import AnswerBox, frames_of
from projects.quality.answers import Said, answer_to, captions_of, phrases_of, words_of_question
from projects.surveys.pages import known_questions_page

USUAL = 12
"""Images that the form suggests, if it is not known how many are missing."""


@dataclass(frozen=True, slots=True)
class Line:
    """One sampled image in the list: how far it is, and whether the visitor can do something for it."""

    row: GoldImage
    state: str
    about: str
    waits: bool


@reviewers_only("GET", "POST")
def gold(request: HttpRequest, project: Project) -> HttpResponse:
    """Show the page; a POST draws images to annotate."""
    manages = may(cast(User, request.user), Action.MANAGE, project)
    if project.survey:
        return known_questions_page(request, project)
    if request.method == "POST":
        if not manages:
            raise refusal(project.name, Action.MANAGE, "draw images")
        do_by_page(draw_images, request, project)
        return redirect("projects:gold", project.name)
    rows = GoldImage.objects.filter(image__project=project).select_related("image").prefetch_related("annotations")
    lines = [_line(row, cast(User, request.user)) for row in rows]
    found = gold_report(project)
    missing = found.recommended_images
    context = {
        "project": project,
        "outlook": found,
        "lines": lines,
        "first": next((line.row for line in lines if line.waits), None),
        "draft": project.state == ProjectState.DRAFT.value,
        "missing": missing_known_questions(project, list(found.ways))
        if project.state == ProjectState.DRAFT.value
        else [],
        "manages": manages,
        "imported": imported_gold(project).exists(),
        "count": min(max(missing - sum(line.waits for line in lines), 1), MOST_AT_ONCE) if missing else USUAL,
        "most": MOST_AT_ONCE,
    }
    return render(request, "projects/gold/gold.html", context)


def _line(row: GoldImage, user: User) -> Line:
    own = [annotation for annotation in row.annotations.all() if not annotation.settles]
    done, names = (
        [annotation for annotation in own if annotation.finished_at],
        ", ".join(annotation.name for annotation in own),
    )
    if row.settled_at:
        return Line(row, "settled", names, False)
    if is_compared(row):
        many = "" if row.disputes == 1 else "s"
        return Line(row, "disputed", f"{row.disputes} disagreement{many}: {names}", waits_for(row, user))
    state = f"{len(done)} of {row.annotators} annotated" if row.annotators > 1 else "begun" if own else "waiting"
    return Line(row, state, names, waits_for(row, user))


remove = action_page(remove_from_sample, "projects:gold")
use_import = action_page(use_imported_gold, "projects:gold")


@reviewers_only("GET", surveys=False)
def gold_image(request: HttpRequest, project: Project, image_id: int) -> HttpResponse:
    """Show the page on which an image is annotated."""
    row = get_object_or_404(GoldImage.objects.select_related("image"), image__project=project, image_id=image_id)
    return render(request, "projects/gold/image.html", {"project": project, "image": row.image})


PER_PAGE = 30
SUSPECT = "suspect"
EMPTY = "No question is asked yet: annotate an image under Known questions."
COLUMNS: tuple[ListColumn[Mapping[str, Any]], ...] = (
    ListColumn("added", lambda one: one["row"].created_at, "time added", sort="id"),
    ListColumn("task", lambda one: one["task"], "task", sort="task"),
    ListColumn("purpose", lambda one: one["row"].purpose),
    ListColumn("image", lambda one: one["row"].image.name, "image", sort="image__name"),
    ListColumn("phrases", lambda one: one["phrases"]),
    ListColumn("right_answer", lambda one: one["answer"]),
    ListColumn("answers", lambda one: one["row"].answers, "answers", sort="answers"),
    ListColumn("right", lambda one: one["row"].good),
    ListColumn("source", lambda one: one["row"].source),
    ListColumn("added_by", lambda one: one["row"].added_by),
)


class QuestionFilter(TableFilter):
    """The fields of the list."""

    task = choice_field("Task")
    purpose = choice_field("Purpose", [*Purpose.choices, (SUSPECT, "suspect")])


HEADERS = (
    *("Task", "Verification", "Tests", "Examples", "Right answers", "Always one button", "Trusted: right"),
    *("Lasts a newcomer", "Lasts the first"),
)


QUESTION_ACTS = {
    "retire": RowAct(
        "Retire: stop asking",
        "The questions are asked of nobody any more. Answers that were given to them still count.",
        retire_question,
        "question",
        reason="",
    )
}


@managers_only("GET", "POST")
def questions(request: HttpRequest, project: Project) -> HttpResponseBase:
    """List the known questions that are asked; a POST retires those that are chosen."""
    rows = KnownQuestion.objects.filter(project=project, retired_at=None).select_related("image")
    if request.method == "POST":
        return act_on_rows(request, project, rows, ON_ROWS, request.get_full_path())
    reports = known_reports(project.pk)
    filters = QuestionFilter(request.GET, task=[(task.value, task.label) for task in tasks_of(project)])
    table = LongTable(
        "questions",
        "question",
        COLUMNS,
        filters,
        "-added",
        EMPTY,
        fill=_listing,
        acts=ON_ROWS.choices,
        per_page=PER_PAGE,
    )
    context = {
        "title": "Stock",
        "stock": {"headers": HEADERS, "rows": [_row(report) for report in reports], "title": "Stock"},
        "warnings": list(warnings_of(report.forecast for report in reports)),
        "suspects": sum(len(report.suspects) for report in reports),
        "back": reverse("projects:gold", args=[project.name]),
    }
    chosen = _chosen(rows, filters.value("task"), filters.value("purpose"), reports)
    return show_table(request, project, table, chosen, "projects/gold/questions.html", context)


def _chosen(
    rows: QuerySet[KnownQuestion], task: str, purpose: str, reports: Sequence[TaskReport]
) -> QuerySet[KnownQuestion]:
    if task:
        rows = rows.filter(task=task)
    if purpose == SUSPECT:
        rows = rows.filter(pk__in=[known.pk for report in reports for known in report.suspects])
    elif purpose:
        rows = rows.filter(purpose=purpose)
    counts = {"answers": Count("judgments"), "good": Count("judgments", filter=Q(judgments__right=True))}
    return rows.annotate(**counts)


def _listing(rows: Sequence[Any]) -> list[dict[str, Any]]:
    said = captions_of(rows)
    return [
        {
            "row": row,
            "task": Task(row.task).label,
            "phrases": phrases_of(row, said),
            "answer": truth_in_words(row, row.truth, said),
            "frames": _frames(row.shown, row.truth),
        }
        for row in rows
    ]


def _frames(shown: dict[str, object], truth: Any) -> list[AnswerBox]:
    """Return the frames of what is shown, and of the boxes that are the right answer."""
    boxes = truth if isinstance(truth, list) else []
    return [*frames_of(shown, None), *(frame for box in boxes for frame in frames_of({}, {"box": box}))]


def _row(report: TaskReport) -> list[Any]:
    lasts = (report.new_worker, report.at_work) if report.count(Purpose.VERIFICATION) else ("-", "-")
    counts = map(report.count, Purpose)
    return [report.task.label, *counts, report.mix, report.one_button, report.share_right, *lasts]


def _cells(chosen: Sequence[KnownQuestion]) -> list[list[Any]]:
    return [[Task(row.task).label, row.image.name, answer_name(Task(row.task), row.truth)] for row in chosen]


ON_ROWS = RowActs("questions", QUESTION_ACTS, ("Task", "Image", "Right answer"), _cells)


def promote_form(question: Question, truth: Any, data: Any) -> OperationForm:
    """Return the form that promotes the question. `truth`: what it was decided to be; None: that is not sure."""
    task, left_out, fields = Task(question.task), ["question", "refused"], dict[str, forms.Field]()
    options: dict[str, Any] = {"label": "Right answer", "initial": write_answer(question, truth), "required": False}
    if candidates_in(task, question.shown):
        about, *others = phrases_of(question)
        numbered = ", ".join(f"{place} “{phrase}”" for place, phrase in enumerate(others, start=1))
        help_text = f"The numbers of those that mean the same as “{about}”, or “none”: {numbered}."
        fields["answer"] = forms.CharField(**options, help_text=help_text)
    elif task is Task.BOX_DRAWING:
        about = (
            "A line for each missing box: left, top, right, bottom in pixels. Any is right. Write “none” if none is."
        )
        fields["answer"] = forms.CharField(**options, widget=forms.Textarea({"rows": 3}), help_text=about)
    elif task in CHOICES:
        names = [answer_name(task, answer) for answer in CHOICES[task]]
        fields["answer"] = CheckedChoice(**options, choices=[("", "–"), *((name, name) for name in names)])
    else:  # nobody writes such an answer by hand
        left_out.append("answer")
    form = form_for(promote_question, without=left_out, **fields)
    return form(data, place={"question": question.pk})


@operation_page(promote_question, "GET", "POST")
def promote(request: HttpRequest, project: Project, question_id: int) -> HttpResponse:
    """Show the question and how it was decided; a POST puts it into the stock."""
    question = get_object_or_404(Question.objects.select_related("image", "project"), id=question_id, project=project)
    truth, unsure = _decided(question)
    form = promote_form(question, truth, request.POST or None)
    if request.POST and submit_form(form, request, project):
        return redirect("projects:known_questions", project.name)
    said = captions_of([question])
    context = {
        "project": project,
        "form": form,
        "question": question,
        "task": Task(question.task).label,
        "unsure": unsure,
        "phrases": phrases_of(question, said),
        "frames": _frames(question.shown, truth),
        "judgments": [
            (judgment.worker, answer_to(question, judgment.answer, said))
            for judgment in question.judgments.select_related("worker")
        ],
    }
    return render(request, "projects/gold/promote.html", context, status=400 if form.errors else 200)


def _decided(question: Question) -> tuple[Any, str]:
    """Return how the question was decided and "", or None and why that is not sure."""
    try:
        return truth_of(question), ""
    except NotSureError as error:
        return None, str(error)


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
