"""Admin pages of sessions: what was done in a session, what it earned, and how it was settled."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.html import format_html_join
from django.utils.safestring import SafeString

from backoffice.base import FiguresAdmin, Part
from backoffice.columns import label, row_link
from backoffice.filters import platform_filter
from backoffice.links import page_of
from backoffice.platforms.session_actions import SessionActions
from pipeline.models import Assignment
from platforms.models import Payment, Session
from platforms.sessions.session_facts import session_facts
from reports.owed_text import amount
from upkeep import clock

BREAK = SafeString("<br>")


class DisagreementFilter(admin.SimpleListFilter):
    """Sessions on which the platform and we do not agree yet, and those that a second browser tried to open."""

    title = "needs attention"
    parameter_name = "look"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [
            ("unearned", "handed in there, not here"),
            ("absent", "handed in here, not there"),
            ("elsewhere", "opened elsewhere, too"),
        ]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Session]) -> QuerySet[Session]:
        if self.value() == "unearned":
            return queryset.filter(platform_state=Session.PlatformState.SUBMITTED).exclude(state=Session.State.FINISHED)
        if self.value() == "absent":
            return queryset.filter(platform_state="", state=Session.State.FINISHED)
        if self.value() == "elsewhere":
            return queryset.filter(strangers__gt=0)
        return queryset


@admin.register(Session)
class SessionAdmin(FiguresAdmin, SessionActions):
    project_path = "offer__project"
    list_display = (
        *("external_id", row_link("worker"), row_link("offer")),
        *(label("state", "here"), label("platform_state", "on the platform")),
        *("earned", "refused", "settled", "opened_at"),
    )
    list_filter = ("state", "platform_state", DisagreementFilter, platform_filter("offer__platform"), "offer__project")
    list_select_related = ("worker", "offer")
    search_fields = ("=external_id", "worker__name", "=worker__identities__external_id", "=offer__external_id")
    readonly_fields = ("story", "reward", "earned", "refused", "settled", "assignments")
    fields = (
        *("external_id", "offer", "worker", "state", "platform_state", "story", "reward", "earned", "refused"),
        *("assignments", "settled", "opened_at", "ends_at", "finished_at", "nothing_open"),
        *("strangers", "stranger_at"),
    )
    parts = (
        Part(Assignment, lambda row: {"session__id__exact": row.pk}),
        Part(Payment, lambda row: {"session__id__exact": row.pk}),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Session]:
        return super().get_queryset(request).prefetch_related("payments")

    def add_figures(self, rows: list[Any]) -> None:
        found = session_facts(rows, clock.now())
        for row in rows:
            row.facts = found[row.pk]

    @admin.display(description="reward")
    def reward(self, row: Session) -> str:
        return amount(row.offer.reward_cents)

    @admin.display(description="earned")
    def earned(self, row: Any) -> str:
        return amount(row.facts.earned)

    @admin.display(description="refused")
    def refused(self, row: Any) -> str:
        return amount(row.facts.refused) if row.facts.refused else "-"

    @admin.display(description="payments")
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
