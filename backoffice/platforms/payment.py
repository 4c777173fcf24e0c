"""Admin pages of what was offered, told and paid on platforms: to read, to find, and to have said once more."""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponseBase
from django.urls import reverse
from django.utils.safestring import SafeString

from backoffice.data.annotation_admin import LargeAdmin, Part, ReadOnlyAdmin, page_of, pretty, row_link
from backoffice.filters import ProjectIdFilter, TaskFilter
from backoffice.platforms.ask import AsksFirst, chosen_again
from backoffice.platforms.columns import FarProjectFilter, label, money, platform_filter
from backoffice.project_column import OfProject
from platforms.models import Counterpart, Identity, Offer, Payment, Screening, Session
from platforms.settling.decide_unknown import decide_unknown
from platforms.settling.retry_payment import retry_payment
from platforms.settling.settle_by_hand import CannotSettleError
from reports.owed_text import amount
from workers.models import Worker

PAID = money("reward_cents", "reward")


class OfferAdmin(OfProject, LargeAdmin):
    list_display = (
        *("__str__", "project", label("state"), "places", "taken", PAID, "external_id"),
        *("last_error", "expires_at"),
    )
    list_filter = (ProjectIdFilter, platform_filter(), TaskFilter, "kind", "state")
    search_fields = ("=external_id", "=key", "last_error")
    readonly_fields = ("project", "story", PAID, pretty("terms"))
    fields = (
        *("platform", "project", "task", "kind", "state", "story", "places", "taken", "least", "quota", PAID),
        *("pays_tests", "seconds", "external_id", "last_error", "tries", "sent_at", "created_at", "expires_at", "key"),
        readonly_fields[-1],
    )
    parts = (
        Part(Session, lambda row: {"offer__id__exact": row.pk}),
        Part(Payment, lambda row: {"session__offer__id__exact": row.pk}),
    )


class ByHand(NamedTuple):
    about: str
    do: Callable[[int], None]
    """With the payment's id."""
    done: str


class MovementAdmin(AsksFirst, LargeAdmin):
    list_display = (
        *("id", "kind", label("state"), money("cents", "amount"), "worker", "facts", "platform"),
        *("last_error", "sent_at"),
    )
    list_filter = ("state", "kind", platform_filter("session__offer__platform"), FarProjectFilter)
    list_select_related = ("session__worker", "session__offer")
    search_fields = ("session__worker__name", "=session__external_id", "=external_id", "last_error")
    readonly_fields = ("worker", money("cents", "amount"))
    fields = (
        *("session", "worker", "kind", "state", readonly_fields[1], "reason", "last_error", "external_id"),
        *("tries", "sent_at", "created_at"),
    )
    actions = ("retry_payment", "was_done", "was_not_done")  # type: ignore[assignment]  # the pages above have none

    def lookup_allowed(self, lookup: str, value: Any, request: HttpRequest) -> bool:
        return lookup == "session__offer__id__exact" or super().lookup_allowed(lookup, value, request)

    @admin.display(description="worker", ordering="session__worker")
    def worker(self, row: Payment) -> SafeString:
        return page_of(Worker, row.session.worker_id, row.session.worker.name)

    @admin.display(description="session", ordering="session")
    def facts(self, row: Payment) -> SafeString:
        return page_of(Session, row.session_id, row.session.external_id)

    @admin.display(description="platform", ordering="session__offer__platform")
    def platform(self, row: Payment) -> str:
        return row.session.offer.platform

    def has_money_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("workers.add_payment")

    @admin.action(description="Say again what was refused", permissions=["money"])
    def retry_payment(self, request: HttpRequest, rows: QuerySet[Payment]) -> HttpResponseBase | None:
        about = "See to the cause first: the same is said once more, in the same words, and may be refused again."
        return self._by_hand(request, rows, ByHand(about, retry_payment, "it is said again in the next round."))

    @admin.action(description="No answer: it was done there", permissions=["money"])
    def was_done(self, request: HttpRequest, rows: QuerySet[Payment]) -> HttpResponseBase | None:
        about = "You saw on the platform's own pages that it took effect. The ledger counts it as paid."
        return self._by_hand(request, rows, ByHand(about, partial(decide_unknown, done=True), "it counts as done."))

    @admin.action(description="No answer: it was not done there", permissions=["money"])
    def was_not_done(self, request: HttpRequest, rows: QuerySet[Payment]) -> HttpResponseBase | None:
        about = (
            "You saw on the platform's own pages that it did not take effect. It is said again in the next round: "
            "had it taken effect, it would be paid twice."
        )
        said = "it is said again in the next round."
        return self._by_hand(request, rows, ByHand(about, partial(decide_unknown, done=False), said))

    def _by_hand(self, request: HttpRequest, rows: QuerySet[Payment], how: ByHand) -> HttpResponseBase | None:
        """After a page that asks. What can't be done to one does not stop the others."""
        chosen = list(rows.select_related("session__worker"))
        if "sent" not in request.POST:
            return self._ask(request, chosen, how.about)
        for row in chosen:
            try:
                how.do(row.pk)
            except CannotSettleError as error:
                messages.error(request, f"{row}: {error}")
                continue
            self.log_change(request, row, f"{request.POST['action']}, after: {row.last_error}")
            messages.success(request, f"{row}: {how.done}")
        return None

    def _ask(self, request: HttpRequest, chosen: list[Payment], about: str) -> HttpResponseBase:
        rows = [[page_of(Payment, row.pk, str(row)), row.state, amount(row.cents), row.last_error] for row in chosen]
        title = self.get_actions(request)[request.POST["action"]][2]
        return self.page(
            request,
            title,
            about=[about],
            tables=[{"headers": ("what", "state", "amount", "last_error"), "rows": rows}],
            hidden=chosen_again(request, chosen),
            button=title,
            back=reverse("admin:workers_payment_changelist"),
        )


class IdentityAdmin(LargeAdmin):
    list_display = ("external_id", "platform", row_link("worker"))
    list_filter = (platform_filter(),)
    list_select_related = ("worker",)
    search_fields = ("=external_id", "worker__name")
    fields = ("external_id", "platform", "worker", "story")
    readonly_fields = ("story",)
    parts = (
        Part(Session, lambda row: {"worker__id__exact": row.worker_id, "offer__platform": row.platform}),
        Part(Screening, lambda row: {"identity__id__exact": row.pk}, "told of tests"),
    )


class ScreeningAdmin(OfProject, LargeAdmin):
    """What a platform was told of who passed which test."""

    list_display = (row_link("identity"), "project", "task", "passed")
    list_display_links = ("task",)
    list_filter = (ProjectIdFilter, TaskFilter, platform_filter("identity__platform"), "passed")
    list_select_related = ("identity",)
    search_fields = ("=identity__external_id", "identity__worker__name")
    fields = ("identity", "project", "task", "passed")
    readonly_fields = ("project",)


class CounterpartAdmin(ReadOnlyAdmin):
    """What was made on a platform, and what it is called there."""

    list_display = ("name", "platform", "external_id")
    list_filter = (platform_filter(),)
    search_fields = ("name", "=external_id")


for model, page in {
    Offer: OfferAdmin,
    Payment: MovementAdmin,
    Identity: IdentityAdmin,
    Screening: ScreeningAdmin,
    Counterpart: CounterpartAdmin,
}.items():
    admin.site.register(model, page)
