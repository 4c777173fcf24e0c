"""Admin pages of workers."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from backoffice.base import Part, StoryAdmin, of_worker
from backoffice.people.access import AccessInline
from pipeline.models import Assignment, Judgment
from platforms.models import Identity, Session
from workers.models import Access, Worker


@admin.register(Worker)
class WorkerAdmin(StoryAdmin):
    """Workers are never deleted, because the record names them. To end a worker's work, take away the accesses."""

    list_display = ("name", "kind", "user", "created_at")
    list_filter = ("kind",)
    list_select_related = ("user",)
    search_fields = ("name", "user__username")
    ordering = ("name",)
    autocomplete_fields = ("user",)
    fields = ("name", "kind", "user", "created_at", "story")
    readonly_fields = ("created_at", "story")
    inlines = (AccessInline,)
    parts = tuple(Part(model, of_worker) for model in (Judgment, Assignment, Access, Identity, Session))

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False
