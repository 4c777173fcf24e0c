"""Admin pages of trust statuses: a line for each worker and task, with every figure on how the worker does."""

from typing import Any

from django.contrib import admin
from django.db.models import OuterRef, QuerySet, Subquery
from django.http import HttpRequest
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from unfold.decorators import display

from backoffice.base import FiguresAdmin, ReadOnlyAdmin
from backoffice.columns import row_link, task_name
from backoffice.filters import TaskFilter
from backoffice.links import page_of
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
COLUMNS = (task_name, "trust", *SCORES, "signals", "judgments", "hourly_pay")
DATES = ("suspended_until", "resumes", "appealed", "trusted_since", "score_since", "reviewed_at")


@admin.register(TrustStatus)
class TrustStatusAdmin(FiguresAdmin, ReadOnlyAdmin):
    list_display = (row_link("worker"), row_link("project"), *COLUMNS, "appeal")
    list_display_links = (task_name,)
    list_filter = ("project", TaskFilter, "state", "appealed")
    list_select_related = ("worker", "project")
    search_fields = ("worker__name",)
    readonly_fields = COLUMNS
    fields = ("worker", "project", *COLUMNS, *DATES)

    def get_queryset(self, request: HttpRequest) -> QuerySet[TrustStatus]:
        of_row = {"worker": OuterRef("worker"), "project": OuterRef("project"), "task": OuterRef("task")}
        accuracy = SkillEstimate.objects.filter(**of_row).values("accuracy")
        return super().get_queryset(request).annotate(accuracy=Subquery(accuracy))

    def add_figures(self, rows: list[Any]) -> None:
        found = worker_figures(rows)
        for row in rows:
            row.figures = found[row.pk]

    @display(description="trust", ordering="state", label=COLOURS)
    def trust(self, row: TrustStatus) -> str:
        return row.state

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
