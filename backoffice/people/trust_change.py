"""Admin pages of trust changes: what was decided about a worker, by whom and why."""

from django.contrib import admin

from backoffice.base import ReadOnlyAdmin
from backoffice.columns import acted_on, pretty, row_link, worker_page
from backoffice.filters import TaskFilter
from workers.models import TrustChange

ACTS, FIGURES = acted_on("of the worker", worker_page), pretty("figures")


@admin.register(TrustChange)
class TrustChangeAdmin(ReadOnlyAdmin):
    list_display = ("id", row_link("worker"), row_link("project"), "task", "event", "reason", "actor", "created_at")
    list_filter = ("project", TaskFilter, "event")
    list_select_related = ("worker", "project")
    search_fields = ("worker__name", "reason", "actor")
    readonly_fields = (ACTS, FIGURES)
    fields = ("worker", "project", "task", "event", "reason", ACTS, "old", "new", FIGURES, "actor", "created_at")
