"""Admin pages of the figures that dashboards keep, and of the moment up to which requesters read what workers said."""

from django.contrib import admin

from backoffice.base import LargeAdmin, ReadOnlyAdmin
from projects.models import Figures, Looked


@admin.register(Figures)
class FiguresRowAdmin(LargeAdmin):
    project_path = "project"
    list_display = ("id", "project", "name", "computed_at", "seconds")
    search_fields = ("project__name", "name")
    list_filter = ("project", "name")
    list_select_related = ("project",)
    fields = ("project", "name", "computed_at", "seconds", "values")


@admin.register(Looked)
class LookedAdmin(ReadOnlyAdmin):
    project_path = "project"
    list_display = ("project", "until", "user", "at")
    search_fields = ("project__name", "user__username")
    ordering = ("project__name",)
    list_select_related = ("project", "user")
    fields = ("project", "until", "user", "at")
