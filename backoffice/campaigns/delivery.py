"""Admin pages of deliveries: an alert on its way to one channel."""

from django.contrib import admin

from backoffice.base import LargeAdmin
from campaign.models import Delivery
from members.may import Action


@admin.register(Delivery)
class DeliveryAdmin(LargeAdmin):
    project_path = "alert__project"
    to_see = Action.MANAGE
    list_display = ("id", "alert", "channel", "state", "tries", "due_at", "sent_at")
    search_fields = ("alert__project__name", "alert__words", "problem")
    list_filter = ("alert__project", "state")
    list_select_related = ("alert", "channel__user")
    fields = ("alert", "channel", "state", "tries", "due_at", "sent_at", "problem")
