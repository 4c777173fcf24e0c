"""Admin pages of what is found out about workers: signals of bad work to look into, and estimates of skill."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from unfold.admin import ModelAdmin
from unfold.decorators import action, display
from unfold.forms import ActionForm
from unfold.views import ChangeList
from unfold.widgets import UnfoldAdminTextareaWidget, UnfoldAdminTextInputWidget

from backoffice.data.annotation_admin import ReadOnlyAdmin, page_of, row_link
from backoffice.filters import OneOf, ProjectIdFilter, TaskFilter
from backoffice.project_column import OfProject
from pipeline.models import Judgment
from reports.answered import word
from workers.dismiss_signal import dismiss_signal
from workers.models import SkillEstimate, Worker, WorkerSignal
from workers.rules.signals.signal import SignalKind

LINKED = 40
STATES = {"open": "warning", "no longer found": "info", "dismissed": "success"}


class KindFilter(OneOf):
    title = parameter_name = "kind"
    values = tuple((kind.value, kind.value) for kind in SignalKind)


class DismissChosenForm(ActionForm):
    note = forms.CharField(
        required=False,
        max_length=500,
        label="",
        widget=UnfoldAdminTextInputWidget({"placeholder": "Why it is none", "aria-label": "Why it is none"}),
    )


class DismissForm(forms.ModelForm):
    note = forms.CharField(
        max_length=500,
        label="Why it is none",
        widget=UnfoldAdminTextareaWidget({"rows": 3}),
        help_text="To dismiss it.",
    )


class Named(ChangeList):
    """A list whose rows say the names of their workers, read at once."""

    def get_results(self, request: HttpRequest) -> None:
        super().get_results(request)
        name_workers(list(self.result_list))


def name_workers(rows: Sequence[Any]) -> None:
    found = Worker.objects.in_bulk({number for row in rows for number in row.workers})
    for row in rows:
        row.named = [found[number] for number in row.workers if number in found]


class SignalAdmin(OfProject, ModelAdmin):
    """To read, with what shows it, and to dismiss. What follows for a worker is decided elsewhere, by a person."""

    form = DismissForm
    action_form = DismissChosenForm
    actions = ("dismiss_chosen",)
    actions_submit_line = ("dismiss",)
    list_display = ("__str__", "who", "project", "found", "rarity", "state", "found_at")
    list_filter = (
        *(ProjectIdFilter, KindFilter, TaskFilter),
        *(("dismissed_at", admin.EmptyFieldListFilter), ("gone_at", admin.EmptyFieldListFilter)),
    )
    list_per_page = 50
    search_fields = ("words", "note", "dismissed_by")
    readonly_fields: tuple[str, ...] = (
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
        is_open = pk is None or WorkerSignal.objects.filter(pk=pk, dismissed_at=None).exists()
        return is_open and super().has_change_permission(request)

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[ChangeList]:
        return Named

    @admin.display(description="workers")
    def who(self, row: Any) -> SafeString:
        if not hasattr(row, "named"):
            name_workers([row])
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
        links = ((page_of(Judgment, one.pk, _said(one, with_name=several)),) for one in newest[:LINKED])
        in_all = f"{row.evidence['count']:,} in all, the newest:"
        return format_html("{}<br>{}", in_all, format_html_join(SafeString(" &middot; "), "{}", links))

    @action(description="Dismiss", permissions=["dismiss"])
    def dismiss(self, request: HttpRequest, obj: WorkerSignal) -> None:
        """The button; what it does is in `save_model`, which every way of sending the form comes to."""

    def save_model(self, request: HttpRequest, obj: WorkerSignal, form: Any, change: bool) -> None:
        dismiss_signal(signal_id=obj.pk, by=request.user.get_username(), note=form.cleaned_data["note"])

    def response_change(self, request: HttpRequest, obj: WorkerSignal) -> HttpResponse:
        messages.success(request, "Dismissed. It stays so when it is found again.")
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
            messages.error(request, "Nothing was dismissed: say why it is no sign of bad work.")
            return
        by = request.user.get_username()
        done = sum(dismiss_signal(signal_id=pk, by=by, note=note) for pk in chosen.values_list("pk", flat=True))
        messages.success(request, f"{done} dismissed.")


def _said(judgment: Judgment, *, with_name: bool) -> str:
    name = f"{judgment.worker}: " if with_name else ""
    drawn = isinstance(judgment.answer, dict) and judgment.answer.get("box")
    return f"{name}{drawn or word(judgment.answer)}" + (f", {judgment.seconds:.1f} s" if judgment.seconds else "")


class SkillAdmin(OfProject, ReadOnlyAdmin):
    list_display = (row_link("worker"), "project", "of_task", "share", "interval", "checked", "known", "computed_at")
    list_display_links = ("of_task",)
    list_filter = (ProjectIdFilter, TaskFilter)
    list_select_related = ("worker",)
    search_fields = ("worker__name",)

    @admin.display(description="task", ordering="task")
    def of_task(self, row: SkillEstimate) -> str:
        return row.task.replace("_", " ")

    @admin.display(description="checked answers", ordering="answers")
    def checked(self, row: SkillEstimate) -> str:
        return f"{row.answers:,}"

    @admin.display(description="to verification questions", ordering="known_answers")
    def known(self, row: SkillEstimate) -> str:
        return f"{row.known_answers:,}"

    @admin.display(description="right", ordering="accuracy")
    def share(self, row: SkillEstimate) -> str:
        return f"{row.accuracy:.0%}"

    @admin.display(description="95 % interval", ordering="low")
    def interval(self, row: SkillEstimate) -> str:
        return f"{row.low:.0%} to {row.high:.0%}"


admin.site.register(WorkerSignal, SignalAdmin)
admin.site.register(SkillEstimate, SkillAdmin)
