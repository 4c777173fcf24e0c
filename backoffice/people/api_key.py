"""Admin pages of API keys and tokens, by which programs of workers and requesters sign in. Only digests are stored."""

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest

from accounts.events import Kind, record
from accounts.may import Action
from accounts.models import RequesterToken
from backoffice.base import LargeAdmin, ReadOnlyAdmin
from backoffice.columns import row_link
from backoffice.of_members import OfWorkers
from workers.api_keys import revoke_api_key
from workers.models import ApiKey


@admin.register(ApiKey)
class ApiKeyAdmin(OfWorkers, ReadOnlyAdmin):
    """`manage.py make_api_key` makes a key and shows it once; this page never shows one."""

    to_see = Action.MANAGE
    actions = ("revoke",)
    list_display = ("prefix", row_link("worker"), "created_at", "revoked_at")
    list_select_related = ("worker",)
    list_filter = (("revoked_at", admin.EmptyFieldListFilter),)
    search_fields = ("prefix", "worker__name")
    fields = ("prefix", "worker", "created_at", "revoked_at")

    def has_revoke_permission(self, request: HttpRequest) -> bool:
        return self.may(request, Action.MANAGE)

    @admin.action(description="Revoke the chosen keys", permissions=["revoke"])
    def revoke(self, request: HttpRequest, chosen: QuerySet[ApiKey]) -> None:
        revoked = 0
        for key in chosen.select_related("worker"):
            if revoke_api_key(key.pk):
                record(Kind.KEYS, f"key {key.pk} of {key.worker}", result="revoked")
                revoked += 1
        messages.success(request, f"{revoked} of them revoked. Nobody can sign in with them any more.")


@admin.register(RequesterToken)
class RequesterTokenAdmin(LargeAdmin):
    project_path = "project"
    to_see = Action.MANAGE
    list_display = ("id", "user", "name", "project", "created_at", "expires_at", "used_on", "revoked_at")
    list_filter = ("project",)
    list_select_related = ("user", "project")
    search_fields = ("user__username", "name")
    fields = ("user", "name", "project", "scopes", "prefix", "created_at", "expires_at", "used_on", "revoked_at")
