"""Admin pages of messages to workers."""

from django.contrib import admin

from backoffice.base import DeletedOnlyAdmin
from backoffice.columns import row_link
from members.may import Action
from workers.models import Message


@admin.register(Message)
class MessageAdmin(DeletedOnlyAdmin):
    """Messages are not changed once written: the worker may have read them."""

    to_see = Action.MANAGE
    list_display = ("__str__", row_link("worker"), row_link("project"), "created_at", "read_at")
    list_filter = ("project",)
    list_select_related = ("worker", "project")
    search_fields = ("text", "worker__name")
    fields = ("worker", "project", "text", "created_at", "read_at")
    readonly_fields = ("created_at", "read_at")
