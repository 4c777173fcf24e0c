"""Admin actions on assignments whose work is bad: what is done about it, always with a reason."""

from collections.abc import Callable, Sequence
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponseBase
from django.template.response import TemplateResponse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from unfold.widgets import UnfoldAdminIntegerFieldWidget, UnfoldAdminTextareaWidget

from backoffice.data.annotation_admin import LargeAdmin, page_of
from pipeline.models import Assignment, Judgment
from pipeline.money.errors import LedgerError
from pipeline.money.refuse_pay import refuse_pay
from pipeline.money.restore_pay import restore_pay
from pipeline.money.write_entry import MOST
from pipeline.rules.tasks.task import Task
from pipeline.trust.soft_reject import soft_reject

MOST_CHOSEN = 50
"""Assignments at once: each is looked at, and its answers are taken back one by one."""
LISTED = 20


class ReasonForm(forms.Form):
    reason = forms.CharField(max_length=1000, widget=UnfoldAdminTextareaWidget(attrs={"rows": 3}))


class RefusalForm(ReasonForm):
    cents = forms.IntegerField(
        required=False,
        min_value=1,
        max_value=MOST,
        widget=UnfoldAdminIntegerFieldWidget,
        help_text="Of each assignment. Empty: all that it earned.",
    )


Remedy = Callable[[Assignment, dict[str, Any]], SafeString | str]


class RemediesAdmin(LargeAdmin):
    """Assignments that can be paid but not used, whose pay can be refused, and a refusal taken back."""

    actions = ("reject", "refuse", "restore")  # type: ignore[assignment]  # the pages above have none

    def has_reject_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("pipeline.change_assignment")

    def has_money_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("workers.add_ledgerentry")

    @admin.action(description="Pay, but do not use", permissions=["reject"])
    def reject(self, request: HttpRequest, rows: QuerySet[Assignment]) -> HttpResponseBase | None:
        about = "Their pay stays. Answers from which nothing has followed are asked again of others."

        def remedy(row: Assignment, said: dict[str, Any]) -> SafeString | str:
            return _rejected(soft_reject(assignment_id=row.pk, **said).resolved)

        return self._remedy(request, rows, ReasonForm, about, remedy)

    @admin.action(description="Refuse pay", permissions=["money"])
    def refuse(self, request: HttpRequest, rows: QuerySet[Assignment]) -> HttpResponseBase | None:
        about = "Their workers read your reason. To pay and not use the answers is the usual remedy; this is the last."

        def remedy(row: Assignment, said: dict[str, Any]) -> str:
            return f"{refuse_pay(assignment_id=row.pk, **said).cents} cents refused."

        return self._remedy(request, rows, RefusalForm, about, remedy)

    @admin.action(description="Take back that pay is refused", permissions=["money"])
    def restore(self, request: HttpRequest, rows: QuerySet[Assignment]) -> HttpResponseBase | None:
        about = "It is owed again. Their workers read your reason."

        def remedy(row: Assignment, said: dict[str, Any]) -> str:
            return f"{restore_pay(assignment_id=row.pk, **said).cents} cents are owed again."

        return self._remedy(request, rows, ReasonForm, about, remedy)

    def _remedy(
        self, request: HttpRequest, rows: QuerySet[Assignment], form_class: type[ReasonForm], about: str, remedy: Remedy
    ) -> HttpResponseBase | None:
        """Ask why, then do it to each. What can't be done to one does not stop the others."""
        chosen = list(rows.select_related("worker")[: MOST_CHOSEN + 1])
        if len(chosen) > MOST_CHOSEN:
            messages.warning(request, f"Choose up to {MOST_CHOSEN} assignments at once.")
            return None
        form = form_class(request.POST if "sent" in request.POST else None)
        if not form.is_valid():
            return self._ask(request, chosen, form, about)
        said = {**form.cleaned_data, "actor": request.user.get_username()}
        for row in chosen:
            name = f"{Task(row.task).label} of {row.worker}"
            try:
                done = remedy(row, said)
            except LedgerError as error:
                messages.error(request, f"{name}: {error}")
                continue
            self.log_change(request, row, f"{request.POST['action']}: {said['reason']}")
            messages.success(request, format_html("{}: {}", name, done))
        return None

    def _ask(
        self, request: HttpRequest, chosen: Sequence[Assignment], form: forms.Form, about: str
    ) -> HttpResponseBase:
        action = request.POST["action"]
        context = {
            **self.admin_site.each_context(request),
            "opts": self.opts,
            "title": self.get_actions(request)[action][2],
            "action": action,
            "chosen": [(row.pk, page_of(Assignment, row.pk, str(row)), row.earned_cents) for row in chosen],
            "checkbox": ACTION_CHECKBOX_NAME,
            "about": about,
            "form": form,
        }
        return TemplateResponse(request, "pipeline/remedy.html", context)


def _rejected(resolved: Sequence[int]) -> SafeString | str:
    if not resolved:
        return "not used; nothing had followed from its answers."
    links = format_html_join(", ", "{}", ((page_of(Judgment, one, str(one)),) for one in resolved[:LISTED]))
    more = f" and {len(resolved) - LISTED} more" if len(resolved) > LISTED else ""
    return format_html("not used. Something had followed from these judgments already, and stays: {}{}.", links, more)
