"""Admin pages of identities: who a worker is on a platform, and whether it was told that they passed a test."""

from django.contrib import admin

from accounts.may import Action
from backoffice.base import LargeAdmin, Part
from backoffice.columns import row_link
from backoffice.filters import TaskFilter, platform_filter
from backoffice.of_members import OfWorkers
from platforms.models import Identity, Screening, Session


@admin.register(Identity)
class IdentityAdmin(OfWorkers, LargeAdmin):
    to_see = Action.MANAGE
    list_display = ("external_id", "platform", row_link("worker"))
    list_filter = (platform_filter(),)
    list_select_related = ("worker",)
    search_fields = ("=external_id", "worker__name")
    fields = ("external_id", "platform", "worker", "story")
    readonly_fields = ("story",)
    parts = (
        Part(Session, lambda row: {"worker__id__exact": row.worker_id, "offer__platform": row.platform}),
        Part(Screening, lambda row: {"identity__id__exact": row.pk}, "tests reported to the platform"),
    )


@admin.register(Screening)
class ScreeningAdmin(LargeAdmin):
    list_display = (row_link("identity"), row_link("project"), "task", "passed")
    list_display_links = ("task",)
    list_filter = ("project", TaskFilter, platform_filter("identity__platform"), "passed")
    list_select_related = ("identity", "project")
    search_fields = ("=identity__external_id", "identity__worker__name")
    fields = ("identity", "project", "task", "passed")
