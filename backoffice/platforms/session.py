"""Admin pages of sessions: what was done in a session, and where it stands here and on the platform."""

from django.contrib import admin

from backoffice.base import LargeAdmin, Part
from backoffice.columns import label, platform_page, row_link
from backoffice.filters import platform_filter
from pipeline.models import Assignment
from platforms.models import Payment, Session

ACTS = platform_page("Sessions", "projects:sessions", lambda row: row.offer)


@admin.register(Session)
class SessionAdmin(LargeAdmin):
    project_path = "offer__project"
    list_display = (
        *("external_id", row_link("worker"), row_link("offer")),
        *(label("state", "here"), label("platform_state", "on the platform"), "opened_at"),
    )
    list_filter = ("state", "platform_state", platform_filter("offer__platform"), "offer__project")
    list_select_related = ("worker", "offer__project")
    search_fields = ("=external_id", "worker__name", "=worker__identities__external_id", "=offer__external_id")
    readonly_fields = ("story", ACTS)
    fields = (
        *("external_id", "offer", "worker", "state", "platform_state", "story", ACTS),
        *("opened_at", "ends_at", "finished_at", "nothing_open", "strangers", "stranger_at"),
    )
    parts = (
        Part(Assignment, lambda row: {"session__id__exact": row.pk}),
        Part(Payment, lambda row: {"session__id__exact": row.pk}),
    )
