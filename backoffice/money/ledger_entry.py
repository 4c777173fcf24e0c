"""Admin pages of the ledger: what was earned, promised, refused and paid."""

from django.contrib import admin

from backoffice.base import ReadOnlyAdmin
from backoffice.columns import acted_on, row_link, worker_page
from backoffice.large_lists import LargeList
from pipeline.models import LedgerEntry

ACTS = acted_on("of the worker", worker_page)


@admin.register(LedgerEntry)
class LedgerEntryAdmin(LargeList, ReadOnlyAdmin):
    list_display = (
        *("id", row_link("worker"), row_link("project"), "kind", "cents"),
        *("reason", "reference", "actor", "created_at"),
    )
    list_filter = ("project", "kind")
    show_full_result_count = False
    list_select_related = ("worker", "project")
    search_fields = ("worker__name", "reason", "=reference", "actor")
    readonly_fields = (ACTS,)
    fields = (
        *("worker", "project", "kind", "cents", "reason", ACTS),
        *("assignment", "reference", "actor", "created_at"),
    )
