"""Admin pages of the moves of a project: started, paused, finished, and by whom."""

from django.contrib import admin

from backoffice.base import LargeAdmin
from projects.models import StateChange


@admin.register(StateChange)
class StateChangeAdmin(LargeAdmin):
    project_path = "project"
    list_display = ("id", "project", "before", "after", "user", "at")
    list_filter = ("project", "after")
    list_select_related = ("project", "user")
    search_fields = ("project__name", "user__username")
    fields = ("project", "before", "after", "user", "at")
