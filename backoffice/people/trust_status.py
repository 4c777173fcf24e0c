"""Admin pages of trust and skill: how far a worker is trusted in a task, how often right, and what was decided."""

from django.contrib import admin
from unfold.decorators import display

from backoffice.base import ReadOnlyAdmin
from backoffice.columns import acted_on, pretty, row_link, task_name, worker_page
from backoffice.filters import TaskFilter
from runtime.words import interval, percent
from workers.models import SkillEstimate, TrustChange, TrustStatus
from workers.rules.trust_states import TrustState

COLOURS = {
    **{TrustState.INVITED.value: "info", TrustState.TESTING.value: "info", TrustState.PROBATION.value: "info"},
    **{TrustState.TRUSTED.value: "success", TrustState.SUSPENDED.value: "warning", TrustState.BARRED.value: "danger"},
}
ACTS = acted_on("of the worker", worker_page)
FIGURES = pretty("figures")


@admin.register(TrustStatus)
class TrustStatusAdmin(ReadOnlyAdmin):
    """A worker with access and without a status is trusted by hand, and measured by nothing."""

    list_display = (row_link("worker"), row_link("project"), task_name, "trust", "appealed", "trusted_since")
    list_display_links = (task_name,)
    list_filter = ("project", TaskFilter, "state", "appealed")
    list_select_related = ("worker", "project")
    search_fields = ("worker__name",)
    readonly_fields = (task_name, "trust", ACTS)
    fields = (
        *("worker", "project", task_name, "trust", ACTS, "suspended_until", "resumes", "appealed"),
        *("trusted_since", "score_since", "reviewed_at"),
    )

    @display(description="trust", ordering="state", label=COLOURS)
    def trust(self, row: TrustStatus) -> str:
        return row.state


@admin.register(TrustChange)
class TrustChangeAdmin(ReadOnlyAdmin):
    list_display = ("id", row_link("worker"), row_link("project"), "task", "event", "reason", "actor", "created_at")
    list_filter = ("project", TaskFilter, "event")
    list_select_related = ("worker", "project")
    search_fields = ("worker__name", "reason", "actor")
    readonly_fields = (ACTS, FIGURES)
    fields = ("worker", "project", "task", "event", "reason", ACTS, "old", "new", FIGURES, "actor", "created_at")


@admin.register(SkillEstimate)
class SkillEstimateAdmin(ReadOnlyAdmin):
    list_display = (
        *(row_link("worker"), row_link("project"), task_name),
        *("share", "interval", "checked", "known", "computed_at"),
    )
    list_display_links = (task_name,)
    list_filter = ("project", TaskFilter)
    list_select_related = ("worker", "project")
    search_fields = ("worker__name",)

    @admin.display(description="checked answers", ordering="answers")
    def checked(self, row: SkillEstimate) -> str:
        return f"{row.answers:,}"

    @admin.display(description="to verification questions", ordering="known_answers")
    def known(self, row: SkillEstimate) -> str:
        return f"{row.known_answers:,}"

    @admin.display(description="right", ordering="accuracy")
    def share(self, row: SkillEstimate) -> str:
        return percent(row.accuracy)

    @admin.display(description="95 % interval", ordering="low")
    def interval(self, row: SkillEstimate) -> str:
        return interval(row.low, row.high)
