"""Admin pages of trust statuses: how far each worker is trusted in a task."""

from django.contrib import admin
from unfold.decorators import display

from backoffice.base import ReadOnlyAdmin
from backoffice.columns import acted_on, row_link, task_name, worker_page
from backoffice.filters import TaskFilter
from workers.models import TrustStatus
from workers.rules.trust_states import TrustState

COLOURS = {
    **{TrustState.INVITED.value: "info", TrustState.TESTING.value: "info", TrustState.PROBATION.value: "info"},
    **{TrustState.TRUSTED.value: "success", TrustState.SUSPENDED.value: "warning", TrustState.BARRED.value: "danger"},
}
ACTS = acted_on("of the worker", worker_page)


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
