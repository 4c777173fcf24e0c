"""Admin pages of workers."""

from typing import Any

from django.conf import settings
from django.contrib import admin, messages
from django.db.models import Exists, OuterRef, QuerySet
from django.http import HttpRequest
from django.utils.html import format_html

from accounts.may import is_administrator
from backoffice.base import Part, StoryAdmin, of_worker
from backoffice.of_members import OfWorkers
from backoffice.people.access import AccessInline
from labelling.joining.recovery import recovery_link
from labelling.own_data.forget_worker import is_member
from pipeline.models import Assignment, Judgment
from platforms.models import Identity, Session
from workers.models import Access, Worker


@admin.register(Worker)
class WorkerAdmin(OfWorkers, StoryAdmin):
    """Workers are never deleted, because the record names them. To end a worker's work, take away the accesses."""

    worker_path = "pk"
    actions = ("make_recovery_links",)
    list_display = ("name", "kind", "user", "created_at")
    list_filter = ("kind",)
    list_select_related = ("user",)
    search_fields = ("name", "user__username")
    ordering = ("name",)
    autocomplete_fields = ("user",)
    fields = ("name", "kind", "user", "created_at", "closed_at", "story")
    readonly_fields = ("created_at", "closed_at", "story")
    inlines = (AccessInline,)
    parts = tuple(Part(model, of_worker) for model in (Judgment, Assignment, Access, Identity, Session))

    def get_queryset(self, request: HttpRequest) -> QuerySet[Worker]:
        """Leave out the simulated workers of dry runs."""
        dry = Access.objects.filter(worker=OuterRef("pk"), project__dry_run=True)
        rows: QuerySet[Worker] = super().get_queryset(request)
        return rows.exclude(Exists(dry), kind=Worker.Kind.VIRTUAL)

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[Any, ...]:
        # With another user a worker would be another person, so only administrators choose one.
        return self.readonly_fields if is_administrator(request.user) else (*self.readonly_fields, "user")

    @admin.action(description="Make links to choose a new password", permissions=["change"])
    def make_recovery_links(self, request: HttpRequest, chosen: QuerySet[Worker]) -> None:
        """Show a link for each worker, to pass on. It opens the account: only administrators make one for a member."""
        for worker in chosen.select_related("user"):
            if worker.user is None or not worker.user.is_active:
                messages.error(request, f"{worker}: there is no open account.")
            elif is_member(worker) and not is_administrator(request.user):
                messages.error(request, f"{worker}: this account is staff's or a member's; ask an administrator.")
            else:
                link = recovery_link(worker.user, settings.ADDRESS)
                words = "{}: send this link to nobody else. It works once, within three days: {}"
                messages.success(request, format_html(words, worker, link))
                self.log_change(request, worker, "Made a link to choose a new password.")

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False
