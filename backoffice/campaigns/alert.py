"""Admin pages of alerts that began."""

from django.contrib import admin

from backoffice.base import LargeAdmin
from campaign.models import Alert
from members.may import Action


@admin.register(Alert)
class AlertAdmin(LargeAdmin):
    project_path = "project"
    to_see = Action.MANAGE
    list_display = ("id", "project", "kind", "words", "began_at", "settled_at")
    search_fields = ("project__name", "words")
    list_filter = ("project", "kind")
    list_select_related = ("project",)
    fields = ("project", "kind", "count", "words", "path", "began_at", "settled_at")
