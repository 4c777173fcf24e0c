"""Admin pages of how far what workers said was read."""

from django.contrib import admin

from backoffice.base import ReadOnlyAdmin
from campaign.models import Looked


@admin.register(Looked)
class LookedAdmin(ReadOnlyAdmin):
    project_path = "project"
    list_display = ("project", "until", "user", "at")
    search_fields = ("project__name", "user__username")
    ordering = ("project__name",)
    list_select_related = ("project", "user")
    fields = ("project", "until", "user", "at")
