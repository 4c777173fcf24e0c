"""Admin pages of spending: what each project has committed itself to pay, and its spend cap."""

from typing import Any

from django.contrib import admin
from django.db.models import BigIntegerField, OuterRef, QuerySet, Subquery
from django.db.models.fields.json import KT
from django.db.models.functions import Cast
from django.http import HttpRequest

from backoffice.base import ReadOnlyAdmin
from pipeline.models import SettingsVersion, Spending


@admin.register(Spending)
class SpendingAdmin(ReadOnlyAdmin):
    list_display = ("project", "committed_cents", "cap")
    list_select_related = ("project",)
    fields = ("project", "committed_cents", "cap")
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
