"""Admin pages of messages to workers."""

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest
from unfold.widgets import UnfoldAdminTextareaWidget

from annotation.models import Project
from backoffice.base import StoryAdmin
from backoffice.columns import row_link
from backoffice.form_fields import project_field
from members.may import Action, is_administrator
from workers.messages import send_message
from workers.models import Access, Message, Worker


class MessageForm(forms.ModelForm):
    """A message to one worker, or, without a worker, to everybody who has access to the project."""

    project = project_field(required=False)
    text = forms.CharField(max_length=2000, widget=UnfoldAdminTextareaWidget)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if "worker" in self.fields:
            self.fields["worker"].required = False
            self.fields["worker"].help_text = "Leave empty to send it to everybody who has access to the project."

    def clean(self) -> dict[str, Any] | None:
        values = super().clean() or self.cleaned_data
        if not values.get("worker") and not _everybody(values.get("project")):
            raise ValidationError("Choose a worker, or a project in which somebody has access.")
        return values


@admin.register(Message)
class MessageAdmin(StoryAdmin):
    """Messages are not changed once written: the worker may have read them."""

    to_see = Action.MANAGE
    form = MessageForm
    list_display = ("__str__", row_link("worker"), row_link("project"), "created_at", "read_at")
    list_filter = ("project",)
    list_select_related = ("worker", "project")
    search_fields = ("text", "worker__name")
    autocomplete_fields = ("worker",)
    readonly_fields = ("created_at", "read_at")

    def get_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        return ("worker", "project", "text", "created_at", "read_at") if obj else ("project", "worker", "text")

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any) -> Any:
        form = super().get_form(request, obj, change, **kwargs)
        if "project" in form.base_fields:  # only administrators write about no project in particular
            form.base_fields["project"].required = not is_administrator(request.user)
        return form

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def save_model(self, request: HttpRequest, obj: Message, form: Any, change: bool) -> None:
        """Save the row of this page for the first worker, and a copy for each of the others."""
        first, *others = _everybody(obj.project) if obj.worker_id is None else [obj.worker_id]
        send_message(text=obj.text, worker_ids=others, project_id=obj.project_id)
        obj.worker_id = first
        super().save_model(request, obj, form, change)
        messages.info(request, f"Sent to {1 + len(others)} worker{'s' if others else ''}.")


def _everybody(project: Project | None) -> list[int]:
    if project is None:
        return []
    people = Access.objects.filter(project=project, worker__kind=Worker.Kind.PERSON)
    return sorted(set(people.values_list("worker_id", flat=True)))
