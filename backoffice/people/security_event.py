"""Admin page of the event log: read by administrators, and changed by nobody."""

from django.contrib import admin

from accounts.models import SecurityEvent
from backoffice.base import LargeAdmin


@admin.register(SecurityEvent)
class SecurityEventAdmin(LargeAdmin):
    project_path = ""  # an event is of no project: administrators only
    list_display = ("time", "kind", "actor", "address", "what", "result", "count", "last_time")
    list_filter = ("kind", "result", ("at", admin.DateFieldListFilter))
    search_fields = ("actor", "address", "what")
    fields = list_display

    @admin.display(ordering="at")
    def time(self, row: SecurityEvent) -> str:
        return row.at.isoformat(" ", "seconds")

    @admin.display(ordering="last_at")
    def last_time(self, row: SecurityEvent) -> str:
        return row.last_at.isoformat(" ", "seconds")
