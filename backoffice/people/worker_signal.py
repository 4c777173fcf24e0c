"""Admin pages of worker signals: hints of bad work, to read with their evidence, and to dismiss."""

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from unfold.decorators import action, display
from unfold.forms import ActionForm
from unfold.widgets import UnfoldAdminTextareaWidget, UnfoldAdminTextInputWidget

from backoffice.base import FiguresAdmin, StoryAdmin
from backoffice.columns import row_link
from backoffice.filters import SignalKindFilter, TaskFilter
from backoffice.links import page_of
from pipeline.models import Judgment
from reports.answered import word
from workers.dismiss_signal import dismiss_signal
from workers.models import Worker, WorkerSignal

LINKED = 40
"""Judgments that a signal's page links to."""
STATES = {"open": "warning", "no longer found": "info", "dismissed": "success"}


class DismissChosenForm(ActionForm):
    """The reason for dismissing the chosen rows, beside the list's menu of actions."""

    note = forms.CharField(
        required=False,
        max_length=500,
        label="",
        widget=UnfoldAdminTextInputWidget({"placeholder": "Why to dismiss", "aria-label": "Why to dismiss"}),
    )


class DismissForm(forms.ModelForm):
    note = forms.CharField(
        max_length=500,
        label="Why to dismiss",
        widget=UnfoldAdminTextareaWidget({"rows": 3}),
        help_text="Why this is no sign of bad work.",
    )


@admin.register(WorkerSignal)
class WorkerSignalAdmin(FiguresAdmin, StoryAdmin):
    """A signal bars nobody: a requester decides about the worker on the page of trust changes."""

    form = DismissForm
    action_form = DismissChosenForm
    actions = ("dismiss_chosen",)
    actions_submit_line = ("dismiss",)
    list_display = ("__str__", "who", row_link("project"), "found", "rarity", "state", "found_at")
    list_filter = (
        *("project", SignalKindFilter, TaskFilter),
        *(("dismissed_at", admin.EmptyFieldListFilter), ("gone_at", admin.EmptyFieldListFilter)),
    )
    list_select_related = ("project",)
    search_fields = ("words", "note", "dismissed_by")
    readonly_fields = (
        *("kind", "of_task", "project", "who", "found", "rarity", "judgments", "state", "found_at", "gone_at"),
    )
    fields = (*readonly_fields, "note")

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return not (obj and obj.dismissed_at) and super().has_change_permission(request, obj)

    def has_dismiss_permission(self, request: HttpRequest, pk: Any = None) -> bool:
        is_open = pk is None or self._only(pk).filter(dismissed_at=None).exists()
        return is_open and super().has_change_permission(request)

    def add_figures(self, rows: list[Any]) -> None:
        found = Worker.objects.in_bulk({worker_id for row in rows for worker_id in row.workers})
        for row in rows:
            row.named = [found[worker_id] for worker_id in row.workers if worker_id in found]

    @admin.display(description="workers")
    def who(self, row: Any) -> SafeString:
        return format_html_join(", ", "{}", ((page_of(Worker, one.pk, one.name),) for one in row.named))

    @admin.display(description="task")
    def of_task(self, row: WorkerSignal) -> str:
        return row.task.replace("_", " ") or "several, taken together"

    @admin.display(description="what was found")
    def found(self, row: WorkerSignal) -> str:
        return row.words

    @admin.display(description="how rare", ordering="chance")
    def rarity(self, row: WorkerSignal) -> str:
        return row.rarity

    @display(description="state", label=STATES)
    def state(self, row: WorkerSignal) -> str:
        if row.dismissed_at:
            return "dismissed"
        return "no longer found" if row.gone_at else "open"

    @admin.display(description="judgments")
    def judgments(self, row: WorkerSignal) -> SafeString:
        newest = Judgment.objects.filter(id__in=row.evidence["judgments"]).select_related("worker").order_by("-id")
        several = len(row.workers) > 1
        links = ((page_of(Judgment, one.pk, _in_short(one, with_name=several)),) for one in newest[:LINKED])
        in_all = f"{row.evidence['count']:,} in all, the newest:"
        return format_html("{}<br>{}", in_all, format_html_join(SafeString(" &middot; "), "{}", links))

    # --- Dismissing ---

    @action(description="Dismiss", permissions=["dismiss"])
    def dismiss(self, request: HttpRequest, obj: WorkerSignal) -> None:
        """Show the button; `save_model` dismisses, however the form is sent."""

    def save_model(self, request: HttpRequest, obj: WorkerSignal, form: Any, change: bool) -> None:
        dismiss_signal(signal_id=obj.pk, by=request.user.get_username(), note=form.cleaned_data["note"])

    def response_change(self, request: HttpRequest, obj: WorkerSignal) -> HttpResponse:
        messages.success(request, "Dismissed. It stays dismissed if it is found again.")
        return self.response_post_save_change(request, obj)

    def changeform_view(
        self, request: HttpRequest, object_id: Any = None, form_url: str = "", extra_context: Any = None
    ) -> Any:
        only_dismiss = {"show_save": False, "show_save_and_continue": False, "show_save_and_add_another": False}
        return super().changeform_view(request, object_id, form_url, {**(extra_context or {}), **only_dismiss})

    @admin.action(description="Dismiss, for the reason given here", permissions=["dismiss"])
    def dismiss_chosen(self, request: HttpRequest, chosen: QuerySet[WorkerSignal]) -> None:
        note = request.POST.get("note", "").strip()
        if not note:
            messages.error(request, "Nothing was dismissed: write why this is no sign of bad work.")
            return
        by = request.user.get_username()
        done = sum(dismiss_signal(signal_id=pk, by=by, note=note) for pk in chosen.values_list("pk", flat=True))
        messages.success(request, f"{done} dismissed.")


def _in_short(judgment: Judgment, *, with_name: bool) -> str:
    name = f"{judgment.worker}: " if with_name else ""
    drawn = isinstance(judgment.answer, dict) and judgment.answer.get("box")
    return f"{name}{drawn or word(judgment.answer)}" + (f", {judgment.seconds:.1f} s" if judgment.seconds else "")
