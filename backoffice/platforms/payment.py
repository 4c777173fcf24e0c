"""Admin pages of payments: what a platform was asked to pay, and what to do if it refused or never answered."""

from functools import partial
from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponseBase
from django.utils.safestring import SafeString

from backoffice.ask_first import AsksFirst, RowAction
from backoffice.base import LargeAdmin
from backoffice.columns import label, money
from backoffice.filters import platform_filter
from backoffice.links import page_of
from members.may import Action
from platforms.models import Payment, Session
from platforms.settling.decide_unknown import decide_unknown
from platforms.settling.retry_payment import retry_payment
from reports.owed_text import amount
from workers.models import Worker


@admin.register(Payment)
class PaymentAdmin(AsksFirst, LargeAdmin):
    project_path = "session__offer__project"
    list_display = (
        *("id", "kind", label("state"), money("cents", "amount"), "worker", "session_link", "platform"),
        *("last_error", "sent_at"),
    )
    list_filter = ("state", "kind", platform_filter("session__offer__platform"), "session__offer__project")
    list_select_related = ("session__worker", "session__offer")
    search_fields = ("session__worker__name", "=session__external_id", "=external_id", "last_error")
    readonly_fields = ("worker", money("cents", "amount"))
    fields = (
        *("session", "worker", "kind", "state", readonly_fields[1], "reason", "last_error", "external_id"),
        *("tries", "sent_at", "created_at"),
    )
    actions = ("retry_payment", "was_done", "was_not_done")
    most_rows = 1000
    confirm_headers = ("payment", "state", "amount", "last error")

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

    # --- What a requester does ---

    def has_money_permission(self, request: HttpRequest) -> bool:
        return self.may(request, Action.MANAGE)

    @admin.action(description="Retry what was refused", permissions=["money"])
    def retry_payment(self, request: HttpRequest, rows: QuerySet[Payment]) -> HttpResponseBase | None:
        about = "Fix the cause first: the same payment is sent once more, and may be refused again."
        return self._by_hand(request, rows, RowAction(about, _retry, form=None))

    @admin.action(description="No answer: it was done there", permissions=["money"])
    def was_done(self, request: HttpRequest, rows: QuerySet[Payment]) -> HttpResponseBase | None:
        about = "You saw on the platform's own pages that it took effect. The ledger counts it as paid."
        return self._by_hand(request, rows, RowAction(about, partial(_decide, done=True), form=None))

    @admin.action(description="No answer: it was not done there", permissions=["money"])
    def was_not_done(self, request: HttpRequest, rows: QuerySet[Payment]) -> HttpResponseBase | None:
        about = (
            "You saw on the platform's own pages that it did not take effect. The next round sends it again: "
            "if it took effect after all, it is paid twice."
        )
        return self._by_hand(request, rows, RowAction(about, partial(_decide, done=False), form=None))

    def _by_hand(self, request: HttpRequest, rows: QuerySet[Payment], row_action: RowAction) -> HttpResponseBase | None:
        return self.act_on_each(request, rows.select_related("session__worker"), row_action)

    def confirm_rows(self, chosen: list[Payment]) -> list[list[Any]]:
        return [[page_of(Payment, row.pk, str(row)), row.state, amount(row.cents), row.last_error] for row in chosen]

    def log_text(self, row: Payment, given: dict[str, Any]) -> str:
        return f"after: {row.last_error}"


def _retry(row: Payment, given: dict[str, Any]) -> str:
    retry_payment(row.pk)
    return "the next round sends it again."


def _decide(row: Payment, given: dict[str, Any], *, done: bool) -> str:
    decide_unknown(row.pk, done=done)
    return "it counts as done." if done else "the next round sends it again."
