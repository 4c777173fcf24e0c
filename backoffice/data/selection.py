"""Admin pages of selections: images that somebody chose to export."""

from django.contrib import admin

from backoffice.base import LargeAdmin
from exchange.models import Selection


@admin.register(Selection)
class SelectionAdmin(LargeAdmin):
    project_path = "project"
    list_display = ("__str__", "project", "words", "include_unmerged", "created_at")
    list_filter = ("project", "include_unmerged")
    list_select_related = ("project",)
    search_fields = ("words", "digest")
    fields = ("project", "words", "include_unmerged", "digest", "created_at", "images")
