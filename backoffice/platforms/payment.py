"""Admin pages of payments: what a platform was asked to pay, and what came of it."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from django.utils.safestring import SafeString

from backoffice.base import LargeAdmin
from backoffice.columns import label, money, platform_page
from backoffice.filters import platform_filter
from backoffice.links import page_of
from platforms.models import Payment, Session
from workers.models import Worker

AMOUNT = money("cents", "amount")
ACTS = platform_page("Payments", "projects:payments", lambda row: row.session.offer)


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
    readonly_fields = ("worker", AMOUNT, ACTS)
    fields = (
        *("session", "worker", "kind", "state", AMOUNT, ACTS, "reason", "last_error", "external_id"),
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
