"""The page of all known questions: how they do, which are suspect, and retiring those that are wrong."""

from collections.abc import Sequence
from typing import Any
from urllib.parse import urlencode

from django.core.paginator import Paginator
from django.db.models import Count, Q, QuerySet
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import render
from django.urls import reverse

from annotation.models import Project
from campaign.access import managers_only
from campaign.act_on_rows import RowAct, RowActs, act_on_rows
from campaign.people.answers import frames_of
from pipeline.models import KnownQuestion
from pipeline.project.tasks import tasks_of
from pipeline.rules.known.stock_mix import answer_of
from pipeline.rules.tasks.task import Task
from pipeline.stock.known_questions import Purpose, retire_known
from pipeline.stock.stock_forecast import warnings_of
from pipeline.stock.stock_report import TaskReport, stock_reports
from reports.question_words import captions_of, phrases_of

PER_PAGE = 30
SUSPECT = "suspect"
HEADERS = (
    *("Task", "Verification", "Tests", "Examples", "Right answers", "Always one button", "Trusted: right"),
    *("Lasts a newcomer", "Lasts the first"),
)


def _retire(row: KnownQuestion, given: Any) -> str:
    return "retired; answers to it still count." if retire_known(row.pk) else "was retired already."


ACTS = {
    "retire": RowAct(
        "Retire: stop asking",
        "The questions are asked of nobody any more. Answers that were given to them still count.",
        _retire,
        reason="",
    )
}


@managers_only("GET", "POST")
def questions(request: HttpRequest, project: Project) -> HttpResponseBase:
    """List the known questions that are asked; a POST retires those that are chosen."""
    rows = KnownQuestion.objects.filter(project=project, retired_at=None).select_related("image")
    if request.method == "POST":
        return act_on_rows(request, project, rows, ON_ROWS, request.get_full_path())
    reports = stock_reports(project.pk)
    tasks = [(task.value, task.label) for task in tasks_of(project)]
    task, purpose = request.GET.get("task", ""), request.GET.get("purpose", "")
    task = task if task in dict(tasks) else ""
    purpose = purpose if purpose in (SUSPECT, *Purpose.values) else ""
    page = Paginator(_chosen(rows, task, purpose, reports), PER_PAGE).get_page(request.GET.get("page"))
    context = {
        "project": project,
        "title": "Stock",
        "table": {"headers": HEADERS, "rows": [_row(one) for one in reports]},
        "warnings": list(warnings_of(one.forecast for one in reports)),
        "suspects": sum(len(one.suspects) for one in reports),
        "page": page,
        "shown": _listing(list(page.object_list)),
        "tasks": tasks,
        "purposes": [*Purpose.choices, (SUSPECT, "suspect")],
        "task": task,
        "purpose": purpose,
        "acts": ON_ROWS.choices,
        "filters": f"&{urlencode({'task': task, 'purpose': purpose})}#questions",
        "back": reverse("campaign:gold", args=[project.name]),
    }
    return render(request, "campaign/gold/questions.html", context)


def _chosen(
    rows: QuerySet[KnownQuestion], task: str, purpose: str, reports: Sequence[TaskReport]
) -> QuerySet[KnownQuestion]:
    if task:
        rows = rows.filter(task=task)
    if purpose == SUSPECT:
        rows = rows.filter(pk__in=[known.pk for one in reports for known in one.suspects])
    elif purpose:
        rows = rows.filter(purpose=purpose)
    counts = {"answers": Count("judgments"), "good": Count("judgments", filter=Q(judgments__right=True))}
    return rows.annotate(**counts).order_by("-id")


def _listing(rows: Sequence[Any]) -> list[dict[str, Any]]:
    said = captions_of(rows)
    return [
        {
            "row": row,
            "task": Task(row.task).label,
            "phrases": phrases_of(row, said),
            "answer": answer_of(Task(row.task), row.truth),
            "frames": [*frames_of(row.shown, None), *_missing(row)],
        }
        for row in rows
    ]


def _missing(row: KnownQuestion) -> list[Any]:
    boxes = row.truth if isinstance(row.truth, list) else []
    return [frame for box in boxes for frame in frames_of({}, {"box": box})]


def _row(report: TaskReport) -> list[Any]:
    lasts = (report.new_worker, report.at_work) if report.count(Purpose.VERIFICATION) else ("-", "-")
    counts = map(report.count, Purpose)
    return [report.task.label, *counts, report.mix, report.one_button, report.share_right, *lasts]


def _cells(chosen: Sequence[KnownQuestion]) -> list[list[Any]]:
    return [[Task(row.task).label, row.image.name, answer_of(Task(row.task), row.truth)] for row in chosen]


ON_ROWS = RowActs("questions", ACTS, ("Task", "Image", "Right answer"), _cells)
