"""Admin pages of the figures that dashboards keep."""

from django.contrib import admin

from backoffice.base import LargeAdmin
from campaign.models import Figures


@admin.register(Figures)
class FiguresRowAdmin(LargeAdmin):
    project_path = "project"
    list_display = ("id", "project", "name", "computed_at", "seconds")
    search_fields = ("project__name", "name")
    list_filter = ("project", "name")
    list_select_related = ("project",)
    fields = ("project", "name", "computed_at", "seconds", "values")
