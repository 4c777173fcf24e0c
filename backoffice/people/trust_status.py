"""Admin pages of workers by task: a line for each worker and task, with every figure on how the worker does."""

from typing import Any

from django.contrib import admin
from django.contrib.admin.utils import build_q_object_from_lookup_parameters
from django.db.models import BigIntegerField, CharField, Exists, F, OuterRef, QuerySet, Subquery, Value
from django.db.models.expressions import OrderBy
from django.db.models.functions import Cast
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from unfold.decorators import display
from unfold.views import ChangeList

from annotation.models import Project
from backoffice.base import FiguresAdmin, ReadOnlyAdmin
from backoffice.columns import row_link, task_name
from backoffice.filters import TaskFilter
from backoffice.links import page_of
from pipeline.money.amounts import in_words
from reports.worker_figures import Figures, worker_figures
from workers.models import Access, SkillEstimate, TrustStatus, Worker, WorkerSignal
from workers.rules.score import Score, below
from workers.rules.trust_states import TrustState

COLOURS = {
    **{TrustState.INVITED.value: "info", TrustState.TESTING.value: "info", TrustState.PROBATION.value: "info"},
    **{TrustState.TRUSTED.value: "success", TrustState.SUSPENDED.value: "warning", TrustState.BARRED.value: "danger"},
}
LINES = '<span class="whitespace-nowrap">{}</span><br><span class="whitespace-nowrap {}">{}</span>'
QUIET, LOUD = "text-font-subtle-light dark:text-font-subtle-dark", "text-red-700 dark:text-red-500"

SCORES = ("overall", "recent", "minimum", "skill")
COLUMNS = (task_name, "trust", *SCORES, "signals", "judgments", "hourly_pay")
DATES = ("suspended_until", "resumes", "appealed", "trusted_since", "score_since", "reviewed_at")

SORTS = {"pk": "row_id", "id": "row_id", "worker": "row_worker", "project": "row_project", "task": "row_task"}
SORTS |= {"state": "row_state", "appealed": "row_appealed", "accuracy": "row_accuracy"}

OF_ROW = {"worker": OuterRef("worker"), "project": OuterRef("project"), "task": OuterRef("task")}
ACCURACY = Subquery(SkillEstimate.objects.filter(**OF_ROW).values("accuracy"))


class WorkersByTask(ChangeList):
    """The trust statuses, and the accesses without one: their workers are trusted by hand, and measured by nothing.

    Both are filtered, sorted and counted as one list.
    """

    def get_queryset(self, request: HttpRequest, exclude_parameters: Any = None) -> QuerySet[Any]:
        statuses = super().get_queryset(request, exclude_parameters)
        order = [self._order(one) for one in statuses.query.order_by]
        rows = _keys(statuses, F("pk")).union(_keys(self._by_hand(request), None), all=True)
        return rows.order_by(*order, "row_worker", "row_project", "row_task")

    def _by_hand(self, request: HttpRequest) -> QuerySet[Any]:
        """Select the accesses that fit the filters and the search, as if they were statuses."""
        # By the page of accesses, which shows each user what this user may see.
        rows = self.model_admin.admin_site.get_model_admin(Access).get_queryset(request)
        status = TrustStatus.objects.filter(**OF_ROW)
        state = Value(TrustState.TRUSTED.value, CharField())
        rows = rows.filter(~Exists(status)).annotate(state=state, appealed=Value(False), accuracy=ACCURACY)
        for one in self.filter_specs:
            narrowed = one.queryset(request, rows)
            rows = rows if narrowed is None else narrowed
        _, _, lookups, *_ = self.get_filters(request)
        rows = rows.filter(build_q_object_from_lookup_parameters(lookups))
        found, _ = self.model_admin.get_search_results(request, rows, self.query)
        return found

    def _order(self, name: Any) -> OrderBy:
        column = F(SORTS[name.lstrip("-")])
        return column.desc(nulls_last=True) if name.startswith("-") else column.asc(nulls_last=True)

    def get_results(self, request: HttpRequest) -> None:
        super().get_results(request)
        keys = list(self.result_list)  # type: ignore[has-type]  # a list of the library's, which has no types
        saved = self.root_queryset.select_related("worker", "project").in_bulk([one[0] for one in keys if one[0]])
        workers = Worker.objects.in_bulk({one[1] for one in keys if not one[0]})
        projects = Project.objects.in_bulk({one[2] for one in keys if not one[0]})
        self.result_list = [
            saved[number]
            if number
            else TrustStatus(
                worker=workers[worker], project=projects[project], task=task, state=TrustState.TRUSTED.value
            )
            for number, worker, project, task, *_ in keys
        ]
        self.model_admin.add_figures(self.result_list)

    def url_for_result(self, result: Any) -> str:
        """Lead from a worker who is trusted by hand to the worker's page, for there is no status to show."""
        if result.pk:
            return str(super().url_for_result(result))
        return reverse("admin:workers_worker_change", args=[result.worker_id])


def _keys(rows: QuerySet[Any], number: F | None) -> QuerySet[Any]:
    """Return the columns by which the list is sorted and its rows are found, in the same order for both tables."""
    columns = {
        "row_id": number or Cast(Value(None), BigIntegerField()),
        "row_worker": F("worker_id"),
        "row_project": F("project_id"),
        "row_task": F("task"),
        "row_state": F("state"),
        "row_appealed": F("appealed"),
        "row_accuracy": F("accuracy"),
    }
    return rows.order_by().annotate(**columns).values_list(*columns)


@admin.register(TrustStatus)
class TrustStatusAdmin(FiguresAdmin, ReadOnlyAdmin):
    list_display = (row_link("worker"), row_link("project"), *COLUMNS, "appeal")
    list_display_links = (task_name,)
    list_filter = ("project", TaskFilter, "state", "appealed")
    list_per_page = 30
    list_select_related = ("worker", "project")
    search_fields = ("worker__name",)
    # Counts of the statuses alone would be counts of another list.
    show_full_result_count = False
    show_facets = admin.ShowFacets.NEVER
    readonly_fields = COLUMNS
    fields = ("worker", "project", *COLUMNS, *DATES)

    def get_queryset(self, request: HttpRequest) -> QuerySet[TrustStatus]:
        return super().get_queryset(request).annotate(accuracy=ACCURACY)

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[ChangeList]:
        return WorkersByTask

    def add_figures(self, rows: list[Any]) -> None:
        for row, figures in zip(rows, worker_figures(rows), strict=True):
            row.figures = figures

    @display(description="trust", ordering="state", label=COLOURS)
    def trust(self, row: TrustStatus) -> tuple[str, str] | str:
        return row.state if row.pk else (row.state, "trusted by hand")

    @admin.display(description="overall score")
    def overall(self, row: Any) -> SafeString | str:
        return _score(row.figures.scores.overall, row.figures)

    @admin.display(description="recent score")
    def recent(self, row: Any) -> SafeString | str:
        return _score(row.figures.scores.recent, row.figures)

    @admin.display(description="minimum")
    def minimum(self, row: Any) -> str:
        return f"{row.figures.rules.minimum:.0%}"

    @admin.display(description="skill", ordering="accuracy")
    def skill(self, row: Any) -> SafeString | str:
        skill = row.figures.skill
        if skill is None or not skill.answers:
            return "-"
        return format_html(LINES, f"{skill.accuracy:.0%}", QUIET, f"{skill.low:.0%} to {skill.high:.0%}")

    @admin.display(description="signals")
    def signals(self, row: Any) -> SafeString | str:
        links = ((page_of(WorkerSignal, one.pk, one.kind),) for one in row.figures.signals)
        return format_html_join(SafeString("<br>"), "{}", links) or "-"

    @admin.display(description="judgments")
    def judgments(self, row: Any) -> str:
        return f"{row.figures.judgments:,}"

    @admin.display(description="per hour")
    def hourly_pay(self, row: Any) -> str:
        pay = row.figures.pay
        if pay is None:
            return "choose a project"
        return in_words(pay.by_hour, row.figures.currency) if pay.by_hour else "-"

    @admin.display(description="appeal", ordering="appealed")
    def appeal(self, row: TrustStatus) -> str:
        return "waits for an answer" if row.appealed else "-"


def _score(score: Score, figures: Figures) -> SafeString | str:
    """Show the score in colour if the project's rule finds it below the minimum."""
    if score.share is None:
        return "-"
    low, high = score.interval
    is_below = below(score, figures.rules.minimum, figures.rules.rule)
    figure = f"{score.share:.0%} of {score.total}"
    shown = f"{low:.0%} to {high:.0%}{', below' if is_below else ''}"
    return format_html(LINES, figure, LOUD if is_below else QUIET, shown)
