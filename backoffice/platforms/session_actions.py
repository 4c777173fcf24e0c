"""A requester's actions on sessions: refuse pay, take a refusal back, pay without using the answers, decide by hand."""

from typing import Any

from django import forms
from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponseBase

from backoffice.ask_first import AsksFirst, RowAction
from backoffice.base import LargeAdmin
from backoffice.form_fields import reason_field
from backoffice.links import page_of
from members.may import Action
from pipeline.models import Assignment
from pipeline.money.errors import NothingRefusedError, NothingToRefuseError
from pipeline.money.ledger import unpaid_of
from pipeline.money.refuse_pay import refuse_pay
from pipeline.money.restore_pay import restore_pay
from pipeline.trust.soft_reject import soft_reject
from platforms.models import Payment, Session
from platforms.sessions.session_facts import session_facts
from platforms.settling.settle_by_hand import settle_by_hand
from reports.owed_text import amount
from upkeep import clock


class WhyForm(forms.Form):
    reason = reason_field(help_text="The worker reads it, here or on the platform.")


class SessionActions(AsksFirst, LargeAdmin):
    """Mixed into the page of sessions."""

    actions = ("soft", "refuse", "restore", "approve", "reject", "release")
    confirm_headers = ("session", "here", "on the platform", "reward", "earned", "refused")

    def has_use_permission(self, request: HttpRequest) -> bool:
        return self.may(request, Action.MANAGE)

    def has_money_permission(self, request: HttpRequest) -> bool:
        return self.may(request, Action.MANAGE)

    def has_settle_permission(self, request: HttpRequest) -> bool:
        return self.may(request, Action.MANAGE)

    @admin.action(description="Pay, but do not use", permissions=["use"])
    def soft(self, request: HttpRequest, rows: QuerySet[Session]) -> HttpResponseBase | None:
        about = (
            "The sessions are approved and paid. Answers that nothing has followed from are asked again of other "
            "workers."
        )
        return self._act(request, rows, RowAction(about, _soft, WhyForm))

    @admin.action(description="Refuse", permissions=["money"])
    def refuse(self, request: HttpRequest, rows: QuerySet[Session]) -> HttpResponseBase | None:
        about = (
            "All that the sessions earned and that is not paid yet is refused. If nothing is left of a session's pay, "
            "the next round rejects it on the platform, which also counts against the worker there. This is the last "
            "remedy: usually it is enough to pay for the answers without using them."
        )
        return self._act(request, rows, RowAction(about, _refuse, WhyForm, is_danger=True))

    @admin.action(description="Take the refusal back", permissions=["money"])
    def restore(self, request: HttpRequest, rows: QuerySet[Session]) -> HttpResponseBase | None:
        about = "The refused pay is owed again. If a session was rejected, the next round approves it after all."
        return self._act(request, rows, RowAction(about, _restore, WhyForm))

    @admin.action(description="Not finished here: approve all the same", permissions=["settle"])
    def approve(self, request: HttpRequest, rows: QuerySet[Session]) -> HttpResponseBase | None:
        about = "The platform pays the reward and its fee, whatever was done here; the ledger counts it as a bonus."
        return self._act(request, rows, RowAction(about, _approve, WhyForm))

    @admin.action(description="Not finished here: reject", permissions=["settle"])
    def reject(self, request: HttpRequest, rows: QuerySet[Session]) -> HttpResponseBase | None:
        about = (
            "Nothing is paid, and it counts against the worker on the platform. Perhaps our page failed the worker: "
            "approve where you are not sure."
        )
        return self._act(request, rows, RowAction(about, _reject, WhyForm, is_danger=True))

    @admin.action(description="Let the worker open it elsewhere", permissions=["use"])
    def release(self, request: HttpRequest, rows: QuerySet[Session]) -> HttpResponseBase | None:
        about = (
            "The next browser that opens the session holds it, whoever sits there. Do this if the worker told you that "
            "they changed their browser or network."
        )
        return self._act(request, rows, RowAction(about, _release))

    def _act(self, request: HttpRequest, rows: QuerySet[Session], row_action: RowAction) -> HttpResponseBase | None:
        return self.act_on_each(request, rows.select_related("worker", "offer"), row_action)

    def confirm_rows(self, chosen: list[Session]) -> list[list[Any]]:
        facts = session_facts(chosen, clock.now())
        return [
            [
                page_of(Session, row.pk, str(row)),
                *(row.get_state_display(), row.get_platform_state_display()),
                *map(amount, (row.offer.reward_cents, facts[row.pk].earned, facts[row.pk].refused)),
            ]
            for row in chosen
        ]


# --- What is done to one session ---


def _submitted(session: Session) -> QuerySet[Assignment]:
    return Assignment.objects.filter(session=session, state=Assignment.State.SUBMITTED).order_by("id")


def _soft(session: Session, given: dict[str, Any]) -> str:
    work = _submitted(session).exclude(kind=Assignment.Kind.TEST)
    done = [soft_reject(assignment_id=one.pk, **given) for one in work]
    in_effect = sum(len(one.resolved) for one in done)
    return f"assignments not used: {len(done)}; {in_effect} of their judgments had taken effect already."


def _refuse(session: Session, given: dict[str, Any]) -> str:
    refused = 0
    for one in _submitted(session):
        cents = unpaid_of(one)
        if cents:
            refused += refuse_pay(assignment_id=one.pk, cents=cents, **given).cents
    if not refused:
        raise NothingToRefuseError("Nothing that it earned is unpaid.")
    return f"{amount(refused)} refused."


def _restore(session: Session, given: dict[str, Any]) -> str:
    cents = 0
    for one in _submitted(session):
        try:
            cents += restore_pay(assignment_id=one.pk, **given).cents
        except NothingRefusedError:
            continue
    if not cents:
        raise NothingRefusedError("No pay of it is refused.")
    return f"{amount(cents)} are owed again."


def _approve(session: Session, given: dict[str, Any]) -> str:
    settle_by_hand(session_id=session.pk, kind=Payment.Kind.APPROVE, reason=given["reason"])
    return "the next round approves it."


def _reject(session: Session, given: dict[str, Any]) -> str:
    settle_by_hand(session_id=session.pk, kind=Payment.Kind.REJECT, reason=given["reason"])
    return "the next round rejects it."


def _release(session: Session, given: dict[str, Any]) -> str:
    Session.objects.filter(pk=session.pk).update(visitor="")
    return "the next browser that opens it holds it."
