"""Pages of recruiting platforms, and of money."""

from typing import Any

from django.contrib import admin
from django.db.models import BigIntegerField, OuterRef, QuerySet, Subquery
from django.db.models.fields.json import KT
from django.db.models.functions import Cast
from django.http import HttpRequest
from django.urls import reverse
from django.utils.safestring import SafeString
from unfold.decorators import display

from accounts.may import Action
from backoffice.bases import LargeAdmin, LargeList, OfWorkers, ReadOnlyAdmin, StoryPart
from backoffice.columns import (
    TaskFilter,
    acted_on,
    label,
    money,
    page_of,
    platform_filter,
    platform_page,
    worker_page,
)
from pipeline.models import Assignment, LedgerEntry, SettingsVersion, Spending
from platforms.models import Counterpart, Identity, Offer, Payment, Recruitment, Screening, Session
from workers.models import Worker


@admin.register(Identity)
class IdentityAdmin(OfWorkers, LargeAdmin):
    to_see = Action.MANAGE
    list_display = ("external_id", "platform", "worker")
    list_filter = (platform_filter(),)
    search_fields = ("=external_id", "worker__name")
    fields = ("external_id", "platform", "worker", "story")
    parts = (
        StoryPart(Session, lambda row: {"worker__id__exact": row.worker_id, "offer__platform": row.platform}),
        StoryPart(Screening, lambda row: {"identity__id__exact": row.pk}, "tests reported to the platform"),
    )


@admin.register(Screening)
class ScreeningAdmin(LargeAdmin):
    list_display = ("identity", "project", "task", "passed")
    list_filter = ("project", TaskFilter, platform_filter("identity__platform"), "passed")
    search_fields = ("=identity__external_id", "identity__worker__name")
    fields = ("identity", "project", "task", "passed")


REWARD = money("reward_cents", "reward")


@admin.register(Offer)
class OfferAdmin(LargeAdmin):
    list_display = (
        *("__str__", "project", label("state"), "places", "taken", REWARD, "external_id"),
        *("last_error", "expires_at"),
    )
    list_filter = ("project", platform_filter(), TaskFilter, "kind", "state")
    search_fields = ("=external_id", "=key", "last_error")
    fields = (
        *("platform", "project", "task", "kind", "state", "story", "places", "taken", "least", "quota", REWARD),
        *("pays_tests", "seconds", "external_id", "last_error", "tries", "sent_at", "created_at", "expires_at", "key"),
        "terms",
    )
    parts = (
        StoryPart(Session, lambda row: {"offer__id__exact": row.pk}),
        StoryPart(Payment, lambda row: {"session__offer__id__exact": row.pk}),
    )


@admin.register(Counterpart)
class CounterpartAdmin(ReadOnlyAdmin):
    project_path = ""  # of no project: administrators only
    list_display = ("name", "platform", "external_id")
    list_filter = (platform_filter(),)
    search_fields = ("name", "=external_id")


AMOUNT = money("cents", "amount")
PAYMENT_ACTS = platform_page("Payments", "projects:payments", lambda row: row.session.offer)


@admin.register(Payment)
class PaymentAdmin(LargeAdmin):
    project_path = "session__offer__project"
    list_display = (
        *("id", "kind", label("state"), AMOUNT, "worker", "session_link", "platform"),
        *("last_error", "sent_at"),
    )
    list_filter = ("state", "kind", platform_filter("session__offer__platform"), "session__offer__project")
    list_select_related = ("session__worker", "session__offer")
    search_fields = ("session__worker__name", "=session__external_id", "=external_id", "last_error")
    fields = (
        *("session", "worker", "kind", "state", AMOUNT, PAYMENT_ACTS, "reason", "last_error", "external_id"),
        *("tries", "sent_at", "created_at"),
    )

    def lookup_allowed(self, lookup: str, value: Any, request: HttpRequest) -> bool:
        return lookup == "session__offer__id__exact" or super().lookup_allowed(lookup, value, request)

    @admin.display(description="worker", ordering="session__worker")
    def worker(self, row: Payment) -> SafeString:
        return page_of(Worker, row.session.worker_id, row.session.worker.name)

    @admin.display(description="session", ordering="session")
    def session_link(self, row: Payment) -> SafeString:
        return page_of(Session, row.session_id, row.session.external_id)

    @admin.display(description="platform", ordering="session__offer__platform")
    def platform(self, row: Payment) -> str:
        return row.session.offer.platform


OFFER_ACTS = acted_on("Recruiting", lambda row: reverse("projects:recruit", args=[row.project.name]))


def _place(row: Recruitment, through: str = "") -> dict[str, Any]:
    """Return the list filter for the rows of a recruitment; `through` leads from a row to its offer."""
    return {f"{through}platform": row.platform, f"{through}project__id__exact": row.project_id}


@admin.register(Recruitment)
class RecruitmentAdmin(ReadOnlyAdmin):
    list_display = ("__str__", "project", "platform", "on", "looked_at")
    list_filter = ("project", platform_filter(), "active")
    search_fields = ("platform", "project__name", "started_by")
    fields = (
        "project",
        "platform",
        "on",
        "offered",
        "story",
        OFFER_ACTS,
        "started_by",
        "created_at",
        "looked_at",
        "terms",
    )
    parts = (
        StoryPart(Offer, _place),
        StoryPart(Session, lambda row: _place(row, "offer__")),
        StoryPart(Payment, lambda row: _place(row, "session__offer__")),
    )

    @display(description="state", ordering="active", label={"on": "success", "off": "default"})
    def on(self, row: Recruitment) -> str:
        return "on" if row.active else "off"

    @admin.display(description="tasks")
    def offered(self, row: Recruitment) -> str:
        return ", ".join(task.replace("_", " ") for task in row.tasks)


SESSION_ACTS = platform_page("Sessions", "projects:sessions", lambda row: row.offer)


@admin.register(Session)
class SessionAdmin(LargeAdmin):
    project_path = "offer__project"
    list_display = (
        *("external_id", "worker", "offer"),
        *(label("state", "here"), label("platform_state", "on the platform"), "opened_at"),
    )
    list_filter = ("state", "platform_state", platform_filter("offer__platform"), "offer__project")
    list_select_related = ("offer__project",)
    search_fields = ("=external_id", "worker__name", "=worker__identities__external_id", "=offer__external_id")
    fields = (
        *("external_id", "offer", "worker", "state", "platform_state", "story", SESSION_ACTS),
        *("opened_at", "ends_at", "finished_at", "nothing_open", "strangers", "stranger_at"),
    )
    parts = (
        StoryPart(Assignment, lambda row: {"session__id__exact": row.pk}),
        StoryPart(Payment, lambda row: {"session__id__exact": row.pk}),
    )


LEDGER_ENTRY_ACTS = acted_on("of the worker", worker_page)


@admin.register(LedgerEntry)
class LedgerEntryAdmin(LargeList, ReadOnlyAdmin):
    list_display = (
        *("id", "worker", "project", "kind", "cents"),
        *("reason", "reference", "actor", "created_at"),
    )
    list_filter = ("project", "kind")
    show_full_result_count = False
    search_fields = ("worker__name", "reason", "=reference", "actor")
    fields = (
        *("worker", "project", "kind", "cents", "reason", LEDGER_ENTRY_ACTS),
        *("assignment", "reference", "actor", "created_at"),
    )


@admin.register(Spending)
class SpendingAdmin(ReadOnlyAdmin):
    list_display = ("project", "committed_cents", "committed_answers", "cap")
    fields = ("project", "committed_cents", "committed_answers", "cap")
    search_fields = ("project__name",)
    ordering = ("project__name",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Spending]:
        newest = SettingsVersion.objects.filter(project=OuterRef("project")).order_by("-version")
        caps = newest.values_list(Cast(KT("values__spend_cap_cents"), BigIntegerField()))
        return super().get_queryset(request).annotate(spend_cap_cents=Subquery(caps[:1]))

    @admin.display(description="spend cap, cents")
    def cap(self, row: Any) -> int:
        return row.spend_cap_cents or 0
