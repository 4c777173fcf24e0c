"""Admin pages of identities: who a worker is on a platform."""

from django.contrib import admin

from backoffice.base import LargeAdmin, Part
from backoffice.columns import row_link
from backoffice.filters import platform_filter
from backoffice.of_members import OfWorkers
from members.may import Action
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
