"""Admin pages of offers, places for one task that a platform shows, and of counterparts: what was made there."""

from django.contrib import admin

from backoffice.base import LargeAdmin, Part, ReadOnlyAdmin
from backoffice.columns import label, money, pretty, row_link
from backoffice.filters import TaskFilter, platform_filter
from platforms.models import Counterpart, Offer, Payment, Session

REWARD = money("reward_cents", "reward")


@admin.register(Offer)
class OfferAdmin(LargeAdmin):
    list_display = (
        *("__str__", row_link("project"), label("state"), "places", "taken", REWARD, "external_id"),
        *("last_error", "expires_at"),
    )
    list_filter = ("project", platform_filter(), TaskFilter, "kind", "state")
    list_select_related = ("project",)
    search_fields = ("=external_id", "=key", "last_error")
    readonly_fields = ("story", REWARD, pretty("terms"))
    fields = (
        *("platform", "project", "task", "kind", "state", "story", "places", "taken", "least", "quota", REWARD),
        *("pays_tests", "seconds", "external_id", "last_error", "tries", "sent_at", "created_at", "expires_at", "key"),
        readonly_fields[-1],
    )
    parts = (
        Part(Session, lambda row: {"offer__id__exact": row.pk}),
        Part(Payment, lambda row: {"session__offer__id__exact": row.pk}),
    )


@admin.register(Counterpart)
class CounterpartAdmin(ReadOnlyAdmin):
    project_path = ""  # one counterpart may serve several projects: administrators only
    list_display = ("name", "platform", "external_id")
    list_filter = (platform_filter(),)
    search_fields = ("name", "=external_id")
