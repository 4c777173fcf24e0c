"""Admin pages of alerts that began, of the places to which they are sent, and of their deliveries."""

from django.contrib import admin

from accounts.may import Action
from backoffice.base import LargeAdmin
from projects.models import Alert, AlertChannel, Delivery


@admin.register(Alert)
class AlertAdmin(LargeAdmin):
    project_path = "project"
    to_see = Action.MANAGE
    list_display = ("id", "project", "kind", "words", "began_at", "settled_at")
    search_fields = ("project__name", "words")
    list_filter = ("project", "kind")
    list_select_related = ("project",)
    fields = ("project", "kind", "count", "words", "path", "began_at", "settled_at")


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


@admin.register(Delivery)
class DeliveryAdmin(LargeAdmin):
    project_path = "alert__project"
    to_see = Action.MANAGE
    list_display = ("id", "alert", "channel", "state", "tries", "due_at", "sent_at")
    search_fields = ("alert__project__name", "alert__words", "problem")
    list_filter = ("alert__project", "state")
    list_select_related = ("alert", "channel__user")
    fields = ("alert", "channel", "state", "tries", "due_at", "sent_at", "problem")
