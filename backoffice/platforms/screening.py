"""Admin pages of screenings: whether a platform was told that a worker passed a test."""

from django.contrib import admin

from backoffice.base import LargeAdmin
from backoffice.columns import row_link
from backoffice.filters import TaskFilter, platform_filter
from platforms.models import Screening


@admin.register(Screening)
class ScreeningAdmin(LargeAdmin):
    list_display = (row_link("identity"), row_link("project"), "task", "passed")
    list_display_links = ("task",)
    list_filter = ("project", TaskFilter, platform_filter("identity__platform"), "passed")
    list_select_related = ("identity", "project")
    search_fields = ("=identity__external_id", "identity__worker__name")
    fields = ("identity", "project", "task", "passed")
