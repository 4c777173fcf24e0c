"""Admin page of trust: what a requester does about where a worker stands, always with a reason."""

from datetime import timedelta
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest
from django.utils import timezone
from unfold.widgets import UnfoldAdminIntegerFieldWidget, UnfoldAdminSelectWidget, UnfoldAdminTextareaWidget

from backoffice.data.annotation_admin import StoryAdmin, pretty, row_link
from backoffice.filters import ProjectIdFilter, TaskFilter
from backoffice.people.pipeline_people import TASKS
from backoffice.project_column import OfProject, ProjectForm
from pipeline.rules.tasks.task import Task
from pipeline.trust.review_trust import set_aside
from pipeline.trust.void_unresolved import void_unresolved
from workers.change_trust import change_trust
from workers.models import TrustChange
from workers.rules.trust import TrustRules, act
from workers.rules.trust_states import IllegalMoveError, TrustEvent, TrustState
from workers.trust_of import trust_of

BY_HAND = (
    *(TrustEvent.SUSPEND, TrustEvent.RESUME_TRUST, TrustEvent.BAR, TrustEvent.REFUSE_APPEAL),
    *(TrustEvent.TRUST, TrustEvent.WAIVE_TEST, TrustEvent.REINSTATE),
)
EVENTS = [(event.value, event.value) for event in BY_HAND]


class TrustForm(ProjectForm):
    """What is to happen to a worker on a task, and why."""

    task = forms.ChoiceField(choices=TASKS, widget=UnfoldAdminSelectWidget(choices=TASKS))
    event = forms.ChoiceField(label="The worker", choices=EVENTS, widget=UnfoldAdminSelectWidget(choices=EVENTS))
    days = forms.IntegerField(
        required=False, min_value=1, max_value=365, widget=UnfoldAdminIntegerFieldWidget, help_text="Of a suspension."
    )
    take_back = forms.BooleanField(
        required=False,
        label="Ask again",
        help_text="What they answered, as far as nothing has followed from it yet.",
    )
    reason = forms.CharField(max_length=1000, widget=UnfoldAdminTextareaWidget)

    def clean(self) -> dict[str, Any] | None:
        values = super().clean() or self.cleaned_data
        if self.errors:
            return values
        now = timezone.now()
        values["until"] = now + timedelta(days=values["days"]) if values.get("days") else None
        trust = trust_of(values["worker"].pk, values["project_id"], values["task"])
        try:
            act(trust, TrustEvent(values["event"]), TrustRules(), now, until=values["until"])
        except IllegalMoveError as error:
            raise ValidationError(str(error)) from error
        return values


class TrustChangeAdmin(OfProject, StoryAdmin):
    """Adding one does it; nothing is edited and nothing deleted."""

    form = TrustForm
    list_display = ("id", row_link("worker"), "project", "task", "event", "reason", "actor", "created_at")
    list_filter = (ProjectIdFilter, TaskFilter, "event")
    list_select_related = ("worker",)
    search_fields = ("worker__name", "reason", "actor")
    autocomplete_fields = ("worker",)
    readonly_fields = ("project", "old", "new", pretty("figures"), "actor", "created_at")

    def get_fields(self, request: HttpRequest, obj: Any = None) -> tuple[Any, ...]:
        if obj is None:
            return ("worker", "project_id", "task", "event", "days", "take_back", "reason")
        return ("worker", "project", "task", "event", "reason", *self.readonly_fields[1:])

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def save_model(self, request: HttpRequest, obj: TrustChange, form: Any, change: bool) -> None:
        said = form.cleaned_data
        place = {"worker_id": said["worker"].pk, "project_id": said["project_id"]}
        who, why = request.user.get_username(), said["reason"]
        made = change_trust(
            task=said["task"], event=TrustEvent(said["event"]), because=why, actor=who, until=said["until"], **place
        )
        obj.pk = made.pk
        if made.new in (TrustState.SUSPENDED, TrustState.BARRED):
            set_aside(project_id=said["project_id"], worker_id=said["worker"].pk, task=Task(said["task"]))
        if said["take_back"]:
            voided = void_unresolved(task=Task(said["task"]), reason=why, actor=who, **place)
            messages.success(request, f"{voided} of their judgments are taken back and asked again.")


admin.site.register(TrustChange, TrustChangeAdmin)
