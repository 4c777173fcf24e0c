"""Admin pages of the places to which alerts are sent."""

from django.contrib import admin

from backoffice.base import LargeAdmin
from campaign.models import AlertChannel
from members.may import Action


@admin.register(AlertChannel)
class AlertChannelAdmin(LargeAdmin):
    """Without the key that signs: it is shown once, when the webhook is made."""

    project_path = "project"
    to_see = Action.MANAGE
    list_display = ("id", "project", "kind", "user", "url", "created_at")
    search_fields = ("project__name", "user__username", "url")
    list_filter = ("project", "kind")
    list_select_related = ("project", "user")
    fields = ("project", "kind", "user", "url", "kinds", "created_at")
