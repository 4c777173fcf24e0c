"""Admin pages of sessions: what was done in one, what it earned, and how it was settled."""

from datetime import datetime
from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.html import format_html_join
from django.utils.safestring import SafeString
from unfold.views import ChangeList

from backoffice.data.annotation_admin import Part, page_of, row_link
from backoffice.platforms.columns import ThroughProjectFilter, label, platform_filter
from backoffice.platforms.remedies import SessionRemedies
from pipeline.models import Assignment
from platforms.models import Payment, Session
from platforms.rules.settle import SessionFacts
from platforms.sessions.session_facts import session_facts
from reports.owed_text import amount

BREAK = SafeString("<br>")


class WithSittings(ChangeList):
    """A list whose figures are read at once for the rows that are shown."""

    def get_results(self, request: HttpRequest) -> None:
        super().get_results(request)
        rows = list(self.result_list)
        found = session_facts(rows, timezone.now())
        for row in rows:
            row.facts = found[row.pk]


class ArrivalFilter(admin.SimpleListFilter):
    """Where the platform and we do not agree yet."""

    title = "wants looking at"
    parameter_name = "look"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("unearned", "handed in there, not here"), ("absent", "handed in here, not there")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Session]) -> QuerySet[Session]:
        if self.value() == "unearned":
            return queryset.filter(platform_state=Session.PlatformState.SUBMITTED).exclude(state=Session.State.FINISHED)
        if self.value() == "absent":
            return queryset.filter(platform_state="", state=Session.State.FINISHED)
        return queryset


class SessionAdmin(SessionRemedies):
    list_display = (
        *(
            "external_id",
            row_link("worker"),
            row_link("offer"),
            label("state", "here"),
            label("platform_state", "platform_state"),
        ),
        *("earned", "refused", "settled", "opened_at"),
    )
    list_filter = ("state", "platform_state", ArrivalFilter, platform_filter("offer__platform"), ThroughProjectFilter)
    list_select_related = ("worker", "offer")
    search_fields = ("=external_id", "worker__name", "=worker__identities__external_id", "=offer__external_id")
    readonly_fields = ("story", "reward", "earned", "refused", "settled", "assignments")
    fields = (
        *("external_id", "offer", "worker", "state", "platform_state", "story", "reward", "earned", "refused"),
        *("assignments", "settled", "opened_at", "ends_at", "finished_at", "dry"),
    )
    parts = (
        Part(Assignment, lambda row: {"session__id__exact": row.pk}),
        Part(Payment, lambda row: {"session__id__exact": row.pk}),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Session]:
        return super().get_queryset(request).prefetch_related("payments")

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[ChangeList]:
        return WithSittings

    @admin.display(description="reward")
    def reward(self, row: Session) -> str:
        return amount(row.offer.reward_cents)

    @admin.display(description="earned")
    def earned(self, row: Session) -> str:
        return amount(_sitting(row).earned)

    @admin.display(description="refused")
    def refused(self, row: Session) -> str:
        return amount(_sitting(row).refused) if _sitting(row).refused else "-"

    @admin.display(description="told and paid")
    def settled(self, row: Session) -> SafeString | str:
        links = ((page_of(Payment, one.pk, _in_short(one)),) for one in reversed(row.payments.all()))
        return format_html_join(BREAK, '<span class="whitespace-nowrap">{}</span>', links) or "-"

    @admin.display(description="assignments")
    def assignments(self, row: Session) -> SafeString | str:
        done = Assignment.objects.filter(session=row).select_related("worker").order_by("id")
        lines = ((page_of(Assignment, one.pk, str(one)), one.state, amount(one.earned_cents)) for one in done)
        return format_html_join(BREAK, "{}: {}, earned {}", lines) or "none"


def _in_short(payment: Payment) -> str:
    money = f" {amount(payment.cents)}" if payment.cents else ""
    return f"{payment.kind}{money}: {payment.state}"


def _sitting(row: Any, now: datetime | None = None) -> SessionFacts:
    if not hasattr(row, "facts"):
        row.facts = session_facts([row], now or timezone.now())[row.pk]
    return row.facts  # type: ignore[no-any-return]


admin.site.register(Session, SessionAdmin)
