"""Admin pages of a project's stock of verification questions, mixed into the page of known questions:
how many there are of each task, how long they last, and which closed questions could join them.
"""

from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from annotation.models import Project
from backoffice.base import LargeAdmin
from backoffice.drawing import phrases_of
from backoffice.form_fields import number_in
from backoffice.links import anchor, list_of, page_of
from members.may import Action, may
from pipeline.errors import PipelineError
from pipeline.models import KnownQuestion, Question
from pipeline.rules.known.stock_mix import answer_of
from pipeline.rules.tasks.task import Task
from pipeline.stock.known_questions import Purpose, Source
from pipeline.stock.promote_question import promote_question
from pipeline.stock.stock_forecast import warnings, warnings_of
from pipeline.stock.stock_report import TaskReport, stock_reports
from pipeline.stock.suggest_known import Suggestion, suggest_known

SUGGESTED = 30
HEADERS = (
    *("task", "verification", "tests", "examples", "what is right", "one button", "trusted: right"),
    *("lasts new ones", "lasts the first", "more"),
)


class StockPages(LargeAdmin):
    """Pages of one project's stock, beside the list of all verification questions."""

    to_see = Action.MANAGE

    def get_urls(self) -> list[URLPattern]:
        own = [
            path("stock/<int:project_id>/", self.admin_site.admin_view(self.stock), name="pipeline_stock"),
            path(
                "stock/<int:project_id>/<str:task>/", self.admin_site.admin_view(self.suggest), name="pipeline_suggest"
            ),
        ]
        return [*own, *super().get_urls()]

    def stock(self, request: HttpRequest, project_id: int) -> HttpResponseBase:
        project = self._project(request, project_id)
        reports = stock_reports(project.pk)
        context = {
            "table": {"headers": HEADERS, "rows": [_row(project, one) for one in reports]},
            "warnings": warnings_of(one.forecast for one in reports),
            "suspects": [(known, _answer(known)) for one in reports for known in one.suspects],
        }
        return self._page(request, "backoffice/stock.html", project, f"Verification questions of {project}", context)

    def suggest(self, request: HttpRequest, project_id: int, task: str) -> HttpResponseBase:
        """Show closed questions that trusted workers agreed on, and add the chosen ones."""
        project = self._project(request, project_id)
        if task not in set(Task):
            raise Http404(f"There is no task {task!r}.")
        found = suggest_known(project.pk, Task(task), SUGGESTED)
        if request.method == "POST":
            chosen = set(map(number_in, request.POST.getlist("question")))
            added = self._add(request, [one.question for one in found if one.question.pk in chosen])
            messages.success(request, f"{added} verification questions added.")
            return redirect("admin:pipeline_stock", project.pk)
        rows = [_suggestion(Task(task), one) for one in found]
        title = f"Suggested for {Task(task).label}"
        return self._page(request, "backoffice/suggest.html", project, title, {"rows": rows})

    def _add(self, request: HttpRequest, questions: list[Question]) -> int:
        added = 0
        for question in questions:
            try:
                promote_question(question_id=question.pk, source=Source.AGREED, actor=request.user.get_username())
                added += 1
            except PipelineError as error:
                messages.warning(request, f"{question.image}: {error}")
        return added

    def _project(self, request: HttpRequest, project_id: int) -> Project:
        if not may(request.user, Action.MANAGE, project_id):
            raise PermissionDenied
        return get_object_or_404(Project, id=project_id)

    def _page(
        self, request: HttpRequest, template: str, project: Project, title: str, context: dict[str, Any]
    ) -> HttpResponseBase:
        common = {**self.admin_site.each_context(request), "opts": KnownQuestion._meta, "project": project}
        return TemplateResponse(request, template, {**common, "title": title, **context})


def _suggestion(task: Task, one: Suggestion) -> dict[str, Any]:
    image = one.question.image
    shows = phrases_of(image.pk, one.question.shown)
    link = page_of(Question, one.question.pk, image.name)
    return {
        "pk": one.question.pk,
        "answer": answer_of(task, one.truth),
        "agreed": one.agreed,
        "shows": shows,
        "link": link,
    }


def _row(project: Project, report: TaskReport) -> list[Any]:
    def count(purpose: KnownQuestion.Purpose) -> SafeString:
        filters = {"project__id__exact": project.pk, "task__exact": report.task.value, "purpose__exact": purpose.value}
        return list_of(KnownQuestion, str(report.count(purpose)), {**filters, "retired_at__isempty": 1})

    suggested = anchor(reverse("admin:pipeline_suggest", args=[project.pk, report.task.value]), "suggested")
    lasts = (report.new_worker, report.at_work) if report.count(Purpose.VERIFICATION) else ("-", "-")
    return [
        report.task.label,
        *map(count, Purpose),
        report.mix,
        report.one_button,
        report.share_right,
        *lasts,
        suggested,
    ]


def _answer(known: KnownQuestion) -> str:
    return answer_of(Task(known.task), known.truth)


def stock_in_short(project: Project) -> SafeString:
    """Return warnings about a project's stock and a link to it, for the project's page."""
    link = anchor(reverse("admin:pipeline_stock", args=[project.pk]), "counts, right answers, how long they last")
    lines = format_html_join("", "<div>{}</div>", ((text,) for text in warnings(project.pk)))
    return format_html("{}{}", link, lines)
