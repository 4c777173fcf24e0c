"""Admin pages of money: what was earned, promised, refused and paid, and what each project is committed to pay."""

from typing import Any

from django.contrib import admin
from django.db.models import BigIntegerField, OuterRef, QuerySet, Subquery
from django.db.models.fields.json import KT
from django.db.models.functions import Cast
from django.http import HttpRequest

from backoffice.base import ReadOnlyAdmin
from backoffice.columns import acted_on, row_link, worker_page
from backoffice.large_lists import LargeList
from pipeline.models import LedgerEntry, SettingsVersion, Spending

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


@admin.register(Spending)
class SpendingAdmin(ReadOnlyAdmin):
    list_display = ("project", "committed_cents", "committed_answers", "cap")
    list_select_related = ("project",)
    fields = ("project", "committed_cents", "committed_answers", "cap")
    readonly_fields = ("cap",)
    search_fields = ("project__name",)
    ordering = ("project__name",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Spending]:
        newest = SettingsVersion.objects.filter(project=OuterRef("project")).order_by("-version")
        caps = newest.values_list(Cast(KT("values__spend_cap_cents"), BigIntegerField()))
        return super().get_queryset(request).annotate(spend_cap_cents=Subquery(caps[:1]))

    @admin.display(description="spend cap, cents")
    def cap(self, row: Any) -> int:
        return row.spend_cap_cents or 0
