"""Admin pages of assignments, and what a requester does about bad work: always with a reason."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponseBase
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from unfold.widgets import UnfoldAdminIntegerFieldWidget

from backoffice.ask_first import AsksFirst, ReasonForm, RowAction
from backoffice.base import LargeAdmin, Part
from backoffice.columns import row_link
from backoffice.links import page_of
from members.may import Action
from pipeline.models import Assignment, Judgment, Question
from pipeline.money.refuse_pay import refuse_pay
from pipeline.money.restore_pay import restore_pay
from pipeline.money.write_entry import MOST
from pipeline.rules.tasks.task import Task
from pipeline.trust.soft_reject import soft_reject
from reports.question_words import captions_of, words_of_question

LISTED = 20
"""Judgments that a message links to."""


class RefusalForm(ReasonForm):
    """The reason why pay is refused, and the amount."""

    cents = forms.IntegerField(
        required=False,
        min_value=1,
        max_value=MOST,
        widget=UnfoldAdminIntegerFieldWidget,
        help_text="Of each assignment. Leave empty to refuse all that it earned.",
    )


@admin.register(Assignment)
class AssignmentAdmin(AsksFirst, LargeAdmin):
    list_display = (
        *("__str__", row_link("worker"), row_link("project"), "state", "acceptance", "size", "earned_cents"),
        *("created_at", "expires_at"),
    )
    list_filter = ("project", "task", "state", "kind", "acceptance")
    list_select_related = ("worker", "project")
    search_fields = ("worker__name", "=token")
    fields = (
        *("worker", "project", "task", "kind", "state", "story", "asked", "created_at", "expires_at", "ended_at"),
        *("reward_cents", "earned_cents", "acceptance", "acceptance_reason", "token"),
    )
    readonly_fields = ("story", "asked")
    parts = (Part(Judgment, lambda row: {"assignment__id__exact": row.pk}),)
    actions = ("reject", "refuse", "restore")
    confirm_headers = ("assignment", "earned, cents")

    @admin.display(description="questions")
    def size(self, row: Assignment) -> int:
        return row.size

    @admin.display(description="questions, in the order shown")
    def asked(self, row: Assignment) -> SafeString:
        found = Question.objects.select_related("image").in_bulk(row.questions)
        # The assignment still names questions that an expert's correction removed.
        shown = [found[number] for number in row.questions if number in found]
        said = captions_of(shown)
        links = ((page_of(Question, question.pk, words_of_question(question, said)),) for question in shown)
        return format_html_join(SafeString("<br>"), "{}", links)

    # --- What a requester does about bad work ---

    def has_reject_permission(self, request: HttpRequest) -> bool:
        return self.may(request, Action.MANAGE)

    def has_money_permission(self, request: HttpRequest) -> bool:
        return self.may(request, Action.MANAGE)

    @admin.action(description="Pay, but do not use", permissions=["reject"])
    def reject(self, request: HttpRequest, rows: QuerySet[Assignment]) -> HttpResponseBase | None:
        about = "Workers keep their pay. Answers that nothing has followed from are asked again of other workers."
        return self.act_on_each(request, rows.select_related("worker"), RowAction(about, _reject))

    @admin.action(description="Refuse pay", permissions=["money"])
    def refuse(self, request: HttpRequest, rows: QuerySet[Assignment]) -> HttpResponseBase | None:
        about = (
            "This is the last remedy: usually it is enough to pay for the answers without using them. "
            "Workers read your reason."
        )
        refusal = RowAction(about, _refuse, RefusalForm, is_danger=True)
        return self.act_on_each(request, rows.select_related("worker"), refusal)

    @admin.action(description="Take back a refusal of pay", permissions=["money"])
    def restore(self, request: HttpRequest, rows: QuerySet[Assignment]) -> HttpResponseBase | None:
        about = "The refused pay is owed again. Workers read your reason."
        return self.act_on_each(request, rows.select_related("worker"), RowAction(about, _restore))

    def confirm_rows(self, chosen: list[Assignment]) -> list[list[Any]]:
        return [[page_of(Assignment, row.pk, str(row)), row.earned_cents] for row in chosen]

    def row_name(self, row: Assignment) -> str:
        return f"{Task(row.task).label} of {row.worker}"


def _reject(row: Assignment, given: dict[str, Any]) -> SafeString | str:
    return _rejected(soft_reject(assignment_id=row.pk, **given).resolved)


def _rejected(resolved: Sequence[int]) -> SafeString | str:
    if not resolved:
        return "not used; nothing had followed from its answers."
    links = format_html_join(", ", "{}", ((page_of(Judgment, one, str(one)),) for one in resolved[:LISTED]))
    more = f" and {len(resolved) - LISTED} more" if len(resolved) > LISTED else ""
    return format_html("not used. These judgments had taken effect already, and stay: {}{}.", links, more)


def _refuse(row: Assignment, given: dict[str, Any]) -> str:
    return f"{refuse_pay(assignment_id=row.pk, **given).cents} cents refused."


def _restore(row: Assignment, given: dict[str, Any]) -> str:
    return f"{restore_pay(assignment_id=row.pk, **given).cents} cents are owed again."
