"""Admin pages of what projects learned: each state with its values."""

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from backoffice.base import ReadOnlyAdmin
from backoffice.columns import pretty, row_link
from pipeline.models import Learned


@admin.register(Learned)
class LearnedAdmin(ReadOnlyAdmin):
    list_display = ("key", row_link("project"), "origin", "created_at")
    list_filter = ("origin", "project")
    list_select_related = ("project",)
    search_fields = ("project__name", "key")
    ordering = ("project__name", "-created_at")
    fields = ("project", "key", "origin", "base", "created_at", pretty("values"))
    readonly_fields = (fields[-1],)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Learned]:
        return super().get_queryset(request).defer("values")
