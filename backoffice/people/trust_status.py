"""The admin's list of workers, a line for each task: where they stand, and every figure that tells how they do."""

from typing import Any

from django.contrib import admin
from django.db.models import OuterRef, QuerySet, Subquery
from django.http import HttpRequest
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from unfold.decorators import display
from unfold.views import ChangeList

from backoffice.data.annotation_admin import ReadOnlyAdmin, page_of, row_link
from backoffice.filters import ProjectIdFilter, TaskFilter
from backoffice.project_column import OfProject
from pipeline.money.amounts import in_words
from reports.worker_figures import Figures, worker_figures
from workers.models import SkillEstimate, TrustStatus, WorkerSignal
from workers.rules.score import Score, below
from workers.rules.trust_states import TrustState

COLOURS = {
    **{TrustState.INVITED.value: "info", TrustState.TESTING.value: "info", TrustState.PROBATION.value: "info"},
    **{TrustState.TRUSTED.value: "success", TrustState.SUSPENDED.value: "warning", TrustState.BARRED.value: "danger"},
}
LINES = '<span class="whitespace-nowrap">{}</span><br><span class="whitespace-nowrap {}">{}</span>'
QUIET, LOUD = "text-font-subtle-light dark:text-font-subtle-dark", "text-red-700 dark:text-red-500"

SCORES = ("overall", "recent", "minimum", "skill")
COLUMNS = ("task_name", "trust", *SCORES, "signals", "judgments", "hourly_pay")
DATES = ("suspended_until", "resumes", "appealed", "trusted_since", "score_since", "reviewed_at")


class WithFigures(ChangeList):
    """A list whose figures are read at once for the rows that are shown."""

    def get_results(self, request: HttpRequest) -> None:
        super().get_results(request)
        rows = list(self.result_list)
        found = worker_figures(rows)
        for row in rows:
            row.figures = found[row.pk]


class StandingAdmin(OfProject, ReadOnlyAdmin):
    list_display = (row_link("worker"), "project", *COLUMNS, "appeal")
    list_display_links = ("task_name",)
    list_filter = (ProjectIdFilter, TaskFilter, "state", "appealed")
    list_select_related = ("worker",)
    search_fields = ("worker__name",)
    readonly_fields = ("project", *COLUMNS)
    fields = ("worker", *readonly_fields, *DATES)

    def get_queryset(self, request: HttpRequest) -> QuerySet[TrustStatus]:
        of_row = {"worker": OuterRef("worker"), "project_id": OuterRef("project_id"), "task": OuterRef("task")}
        accuracy = SkillEstimate.objects.filter(**of_row).values("accuracy")
        return super().get_queryset(request).annotate(accuracy=Subquery(accuracy))

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[ChangeList]:
        return WithFigures

    @admin.display(description="task", ordering="task")
    def task_name(self, row: TrustStatus) -> str:
        return row.task.replace("_", " ")

    @display(description="trust", ordering="state", label=COLOURS)
    def trust(self, row: TrustStatus) -> str:
        return row.state

    @admin.display(description="overall score")
    def overall(self, row: TrustStatus) -> SafeString | str:
        return _score(_figures(row).scores.overall, _figures(row))

    @admin.display(description="recent score")
    def recent(self, row: TrustStatus) -> SafeString | str:
        return _score(_figures(row).scores.recent, _figures(row))

    @admin.display(description="minimum")
    def minimum(self, row: TrustStatus) -> str:
        return f"{_figures(row).rules.minimum:.0%}"

    @admin.display(description="skill", ordering="accuracy")
    def skill(self, row: TrustStatus) -> SafeString | str:
        skill = _figures(row).skill
        if skill is None or not skill.answers:
            return "-"
        return format_html(LINES, f"{skill.accuracy:.0%}", QUIET, f"{skill.low:.0%} to {skill.high:.0%}")

    @admin.display(description="signals")
    def signals(self, row: TrustStatus) -> SafeString | str:
        links = ((page_of(WorkerSignal, one.pk, one.kind),) for one in _figures(row).signals)
        return format_html_join(SafeString("<br>"), "{}", links) or "-"

    @admin.display(description="appeal", ordering="appealed")
    def appeal(self, row: TrustStatus) -> str:
        return "waits for an answer" if row.appealed else "-"

    @admin.display(description="judgments")
    def judgments(self, row: TrustStatus) -> str:
        return f"{_figures(row).judgments:,}"

    @admin.display(description="per hour")
    def hourly_pay(self, row: TrustStatus) -> str:
        pay = _figures(row).pay
        if pay is None:
            return "choose a project"
        return in_words(pay.by_hour, _figures(row).currency) if pay.by_hour else "-"


def _figures(row: Any) -> Figures:
    if not hasattr(row, "figures"):
        row.figures = worker_figures([row])[row.pk]
    return row.figures  # type: ignore[no-any-return]


def _score(score: Score, figures: Figures) -> SafeString | str:
    """In colour where it is below the minimum, by the rule that the project has chosen."""
    if score.share is None:
        return "-"
    low, high = score.interval
    is_below = below(score, figures.rules.minimum, figures.rules.rule)
    figure = f"{score.share:.0%} of {score.total}"
    shown = f"{low:.0%} to {high:.0%}{', below' if is_below else ''}"
    return format_html(LINES, figure, LOUD if is_below else QUIET, shown)


admin.site.register(TrustStatus, StandingAdmin)
