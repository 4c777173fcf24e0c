"""Admin pages of trust changes: what was decided about a worker, and the form by which a requester decides."""

from datetime import timedelta
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest
from unfold.widgets import UnfoldAdminIntegerFieldWidget

from backoffice.base import AddOnlyAdmin
from backoffice.columns import pretty, row_link
from backoffice.filters import TaskFilter
from backoffice.form_fields import TASKS, choice_field, project_field, reason_field, refuse_tasks
from pipeline.rules.tasks.task import Task
from pipeline.trust.decide_trust import decide_trust
from upkeep import clock
from workers.models import TrustChange
from workers.rules.trust import TrustRules, act
from workers.rules.trust_states import IllegalMoveError, TrustEvent
from workers.trust_of import trust_of

BY_HAND = (
    *(TrustEvent.SUSPEND, TrustEvent.RESUME_TRUST, TrustEvent.BAR, TrustEvent.REFUSE_APPEAL),
    *(TrustEvent.TRUST, TrustEvent.WAIVE_TEST, TrustEvent.REINSTATE),
)
EVENTS = [(event.value, event.value) for event in BY_HAND]


class TrustForm(forms.ModelForm):
    """A trust event of a worker on a task, with its reason."""

    project = project_field()
    task = choice_field(TASKS)
    event = choice_field(EVENTS, label="The worker")
    days = forms.IntegerField(
        required=False,
        min_value=1,
        max_value=365,
        widget=UnfoldAdminIntegerFieldWidget,
        help_text="How long a suspension lasts.",
    )
    take_back = forms.BooleanField(
        required=False,
        label="Ask again",
        help_text="Void the worker's answers that have not taken effect yet, and ask other workers.",
    )
    reason = reason_field()

    def clean(self) -> dict[str, Any] | None:
        values = super().clean() or self.cleaned_data
        refuse_tasks(self, "task", values)
        if self.errors:
            return values
        now = clock.now()
        values["until"] = now + timedelta(days=values["days"]) if values.get("days") else None
        trust = trust_of(values["worker"].pk, values["project"].pk, values["task"])
        try:
            act(trust, TrustEvent(values["event"]), TrustRules(), now, until=values["until"])
        except IllegalMoveError as error:
            raise ValidationError(str(error)) from error
        return values


@admin.register(TrustChange)
class TrustChangeAdmin(AddOnlyAdmin):
    """Adding a row carries out the change."""

    form = TrustForm
    list_display = ("id", row_link("worker"), row_link("project"), "task", "event", "reason", "actor", "created_at")
    list_filter = ("project", TaskFilter, "event")
    list_select_related = ("worker", "project")
    search_fields = ("worker__name", "reason", "actor")
    autocomplete_fields = ("worker",)
    readonly_fields = ("old", "new", pretty("figures"), "actor", "created_at")

    def get_fields(self, request: HttpRequest, obj: Any = None) -> tuple[Any, ...]:
        if obj is None:
            return ("worker", "project", "task", "event", "days", "take_back", "reason")
        return ("worker", "project", "task", "event", "reason", *self.readonly_fields)

    def save_model(self, request: HttpRequest, obj: TrustChange, form: Any, change: bool) -> None:
        given = form.cleaned_data
        decision = decide_trust(
            worker_id=given["worker"].pk,
            project_id=given["project"].pk,
            task=Task(given["task"]),
            event=TrustEvent(given["event"]),
            reason=given["reason"],
            actor=request.user.get_username(),
            until=given["until"],
            take_back=given["take_back"],
        )
        obj.pk = decision.change.pk
        if given["take_back"]:
            voided = decision.voided
            messages.success(request, f"{voided} of the worker's judgments are voided and asked again.")
