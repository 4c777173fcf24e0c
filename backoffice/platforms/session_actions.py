"""Admin actions on sessions: refuse their pay, take that back, pay and not use, or decide by hand."""

from collections.abc import Callable
from typing import Any, NamedTuple

from django import forms
from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponseBase
from django.urls import reverse
from django.utils import timezone
from unfold.widgets import UnfoldAdminTextareaWidget

from backoffice.data.annotation_admin import LargeAdmin, page_of
from backoffice.platforms.ask import AsksFirst, chosen_again
from pipeline.models import Assignment
from pipeline.money.errors import LedgerError, NothingRefusedError, NothingToRefuseError
from pipeline.money.ledger import unpaid_of
from pipeline.money.refuse_pay import refuse_pay
from pipeline.money.restore_pay import restore_pay
from pipeline.trust.soft_reject import soft_reject
from platforms.contract.errors import PlatformError
from platforms.models import Payment, Session
from platforms.sessions.session_facts import session_facts
from platforms.settling.settle_by_hand import settle_by_hand
from reports.owed_text import amount

MOST_CHOSEN = 50
HEADERS = ("session", "here", "platform_state", "reward", "earned", "refused")


class WhyForm(forms.Form):
    reason = forms.CharField(
        max_length=1000,
        widget=UnfoldAdminTextareaWidget(attrs={"rows": 3}),
        help_text="The worker reads it, here or on the platform.",
    )


Do = Callable[[Session, str, str], str]
"""(session, reason, who) -> what was done, in words."""


class Remedy(NamedTuple):
    about: str
    do: Do


class SessionRemedies(AsksFirst, LargeAdmin):
    """Sessions for which a requester may do something, always after a page that says what."""

    actions = ("soft", "refuse", "restore", "approve", "reject")  # type: ignore[assignment]  # the pages above have none

    def has_use_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("pipeline.change_assignment")

    def has_money_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("workers.add_ledgerentry")

    def has_settle_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("workers.add_payment")

    @admin.action(description="Pay, but do not use", permissions=["use"])
    def soft(self, request: HttpRequest, rows: QuerySet[Session]) -> HttpResponseBase | None:
        about = "They are approved and paid. Answers from which nothing has followed are asked again of others."
        return self._remedy(request, rows, Remedy(about, _soft))

    @admin.action(description="Refuse", permissions=["money"])
    def refuse(self, request: HttpRequest, rows: QuerySet[Session]) -> HttpResponseBase | None:
        about = (
            "All that they earned and that is not paid yet is refused. A session of which nothing is left is rejected "
            "on the platform in the next round, which also counts against the worker there. To pay and not use the "
            "answers is the usual remedy; this is the last."
        )
        return self._remedy(request, rows, Remedy(about, _refuse))

    @admin.action(description="Take the refusal back", permissions=["money"])
    def restore(self, request: HttpRequest, rows: QuerySet[Session]) -> HttpResponseBase | None:
        about = "What was refused is owed again. A session that was rejected is approved after all in the next round."
        return self._remedy(request, rows, Remedy(about, _restore))

    @admin.action(description="Not finished here: approve all the same", permissions=["settle"])
    def approve(self, request: HttpRequest, rows: QuerySet[Session]) -> HttpResponseBase | None:
        about = "The platform pays the reward and its fee, whatever was done here; the ledger counts it as a bonus."
        return self._remedy(request, rows, Remedy(about, _approve))

    @admin.action(description="Not finished here: reject", permissions=["settle"])
    def reject(self, request: HttpRequest, rows: QuerySet[Session]) -> HttpResponseBase | None:
        about = (
            "Nothing is paid, and it counts against the worker on the platform. Perhaps our page failed them: "
            "approve where you are not sure."
        )
        return self._remedy(request, rows, Remedy(about, _reject))

    def _remedy(self, request: HttpRequest, rows: QuerySet[Session], remedy: Remedy) -> HttpResponseBase | None:
        """What can't be done to one does not stop the others."""
        chosen = list(rows.select_related("worker", "offer")[: MOST_CHOSEN + 1])
        if len(chosen) > MOST_CHOSEN:
            messages.warning(request, f"Choose up to {MOST_CHOSEN} sessions at once.")
            return None
        form = WhyForm(request.POST if "sent" in request.POST else None)
        if not form.is_valid():
            return self._ask(request, chosen, form, remedy)
        reason, who = form.cleaned_data["reason"], request.user.get_username()
        for row in chosen:
            try:
                done = remedy.do(row, reason, who)
            except (LedgerError, PlatformError) as error:
                messages.error(request, f"{row}: {error}")
                continue
            self.log_change(request, row, f"{request.POST['action']}: {reason}")
            messages.success(request, f"{row}: {done}")
        return None

    def _ask(self, request: HttpRequest, chosen: list[Session], form: forms.Form, remedy: Remedy) -> HttpResponseBase:
        action = request.POST["action"]
        return self.page(
            request,
            self.get_actions(request)[action][2],
            about=[remedy.about],
            tables=[{"headers": HEADERS, "rows": _rows(chosen)}],
            form=form,
            hidden=chosen_again(request, chosen),
            button=self.get_actions(request)[action][2],
            variant="danger" if action in ("refuse", "reject") else "",
            back=reverse("admin:workers_session_changelist"),
        )


def _rows(chosen: list[Session]) -> list[list[Any]]:
    all_facts = session_facts(chosen, timezone.now())
    return [
        [
            page_of(Session, row.pk, str(row)),
            *(row.get_state_display(), row.get_platform_state_display()),
            *map(amount, (row.offer.reward_cents, all_facts[row.pk].earned, all_facts[row.pk].refused)),
        ]
        for row in chosen
    ]


# --- What is done to one session ---


def _handed_in(session: Session) -> QuerySet[Assignment]:
    return Assignment.objects.filter(session=session, state=Assignment.State.SUBMITTED).order_by("id")


def _soft(session: Session, reason: str, who: str) -> str:
    work = _handed_in(session).exclude(kind=Assignment.Kind.TEST)
    done = [soft_reject(assignment_id=one.pk, reason=reason, actor=who) for one in work]
    followed = sum(len(one.resolved) for one in done)
    return f"assignments not used: {len(done)}; from {followed} of their judgments something had followed already."


def _refuse(session: Session, reason: str, who: str) -> str:
    refused = 0
    for one in _handed_in(session):
        cents = unpaid_of(one)
        if cents:
            refused += refuse_pay(assignment_id=one.pk, reason=reason, actor=who, cents=cents).cents
    if not refused:
        raise NothingToRefuseError("Nothing that it earned is unpaid.")
    return f"{amount(refused)} refused."


def _restore(session: Session, reason: str, who: str) -> str:
    cents = 0
    for one in _handed_in(session):
        try:
            cents += restore_pay(assignment_id=one.pk, reason=reason, actor=who).cents
        except NothingRefusedError:
            continue
    if not cents:
        raise NothingRefusedError("No pay of it is refused.")
    return f"{amount(cents)} are owed again."


def _approve(session: Session, reason: str, who: str) -> str:
    settle_by_hand(session_id=session.pk, kind=Payment.Kind.APPROVE, reason=reason)
    return "it is approved in the next round."


def _reject(session: Session, reason: str, who: str) -> str:
    settle_by_hand(session_id=session.pk, kind=Payment.Kind.REJECT, reason=reason)
    return "it is rejected in the next round."
