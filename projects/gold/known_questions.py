"""Pages of known questions: all of them, retiring those that are wrong, and adding one that workers answered."""

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from django.db.models import Count, Q, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse

from annotation.models import Project
from pipeline.gold_questions.known_questions import Purpose
from pipeline.gold_questions.stock_forecast import warnings_of
from pipeline.gold_questions.stock_report import TaskReport, known_reports
from pipeline.gold_questions.suggest_known import truth_of
from pipeline.known.known_from_finished import NotSureError
from pipeline.known.question_mix import answer_name
from pipeline.models import KnownQuestion, Question
from pipeline.project.queries import tasks_of
from pipeline.protocol.tasks.answers import CHOICES, candidates_in
from pipeline.protocol.tasks.task import Task
from projects.access import managers_only, operation_page
from projects.act_on_rows import RowAct, RowActs, act_on_rows
from projects.gold.known_question_operations import promote_question, retire_question, truth_in_words, write_answer
from projects.long_table import ListColumn, LongTable, TableFilter, choice_field, show_table
from projects.operation_form import CheckedChoice, OperationForm, form_for
from projects.operation_page import submit_form
from projects.people.answers import AnswerBox, frames_of
from projects.quality.question_words import answer_to, captions_of, phrases_of

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
