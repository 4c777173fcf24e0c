"""Admin pages of requesters' tokens: where they are used, and when last. Only digests are stored."""

from django.contrib import admin

from backoffice.base import LargeAdmin
from members.may import Action
from members.models import RequesterToken


@admin.register(RequesterToken)
class RequesterTokenAdmin(LargeAdmin):
    project_path = "project"
    to_see = Action.MANAGE
    list_display = ("id", "user", "name", "project", "created_at", "expires_at", "used_on", "revoked_at")
    list_filter = ("project",)
    list_select_related = ("user", "project")
    search_fields = ("user__username", "name")
    fields = ("user", "name", "project", "scopes", "prefix", "created_at", "expires_at", "used_on", "revoked_at")
