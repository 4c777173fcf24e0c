"""Admin pages by which a requester brings people in: invitations, keys of programs, messages."""

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from unfold.widgets import UnfoldAdminCheckboxSelectMultipleWidget, UnfoldAdminTextareaWidget

from annotation.models import Project
from backoffice.data.annotation_admin import ReadOnlyAdmin, StoryAdmin, row_link
from backoffice.filters import ProjectIdFilter
from backoffice.people.pipeline_people import TASKS
from backoffice.project_column import OfProject, ProjectForm
from pipeline.stock.stock_forecast import warnings
from workers.api_keys import revoke_api_key
from workers.models import Access, ApiKey, Invitation, Message, Worker
from workers.send_message import send_message


class InvitationForm(ProjectForm):
    tasks = forms.MultipleChoiceField(
        choices=TASKS, required=False, widget=UnfoldAdminCheckboxSelectMultipleWidget, help_text="None chosen: all six."
    )


class MessageForm(ProjectForm):
    """To one worker, or, without one, to everybody who may do something in the project."""

    project_id = forms.ModelChoiceField(Project.objects.order_by("name"), label="Project", required=False)
    text = forms.CharField(max_length=2000, widget=UnfoldAdminTextareaWidget)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if "worker" in self.fields:
            self.fields["worker"].required = False
            self.fields["worker"].help_text = "Empty: everybody who has access to the project."

    def clean(self) -> dict[str, Any] | None:
        values = super().clean() or self.cleaned_data
        if not values.get("worker") and not _everybody(values.get("project_id")):
            raise ValidationError("Choose a worker, or a project in which somebody has access.")
        return values


class InvitationAdmin(OfProject, StoryAdmin):
    form = InvitationForm
    list_display = ("__str__", "project", "trusted", "joined", "most", "expires_at", "created_at")
    list_filter = (ProjectIdFilter,)
    search_fields = ("note",)
    readonly_fields = ("link", "joined", "created_at")

    def get_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        given = ("project_id", "tasks", "trusted", "note", "most", "expires_at")
        return ("link", *given, "joined", "created_at") if obj else given

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any) -> Any:
        if obj:
            obj.address = request.build_absolute_uri(reverse("join", args=[obj.code]))
        return super().get_form(request, obj, change, **kwargs)

    @admin.display(description="link")
    def link(self, row: Any) -> SafeString:
        style = "w-full max-w-2xl rounded border px-3 py-2"
        return format_html('<input class="{}" readonly value="{}" aria-label="link">', style, row.address)

    def response_add(self, request: HttpRequest, obj: Any, post_url_continue: str | None = None) -> Any:
        link = request.build_absolute_uri(reverse("join", args=[obj.code]))
        messages.success(request, f"The link to send: {link}")
        for warning in [] if obj.trusted else warnings(obj.project_id):
            messages.warning(request, warning)
        return super().response_add(request, obj, post_url_continue)


class ApiKeyAdmin(ReadOnlyAdmin):
    """`manage.py make_api_key` makes them: a key is shown once, and not here."""

    actions: Any = ("revoke",)
    list_display = ("prefix", row_link("worker"), "created_at", "revoked_at")
    list_select_related = ("worker",)
    list_filter = (("revoked_at", admin.EmptyFieldListFilter),)
    search_fields = ("prefix", "worker__name")
    fields = ("prefix", "worker", "created_at", "revoked_at")

    def has_revoke_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("workers.change_apikey")

    @admin.action(description="Revoke the chosen keys", permissions=["revoke"])
    def revoke(self, request: HttpRequest, chosen: QuerySet[ApiKey]) -> None:
        revoked = sum(revoke_api_key(key) for key in chosen.values_list("pk", flat=True))
        messages.success(request, f"{revoked} of them revoked: from now on good for nothing.")


class MessageAdmin(OfProject, StoryAdmin):
    """Written once, and then only read: the worker may have seen it."""

    form = MessageForm
    list_display = ("__str__", row_link("worker"), "project", "created_at", "read_at")
    list_filter = (ProjectIdFilter,)
    list_select_related = ("worker",)
    search_fields = ("text", "worker__name")
    autocomplete_fields = ("worker",)
    readonly_fields = ("project", "created_at", "read_at")

    def get_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        shown = ("worker", "project", "text", "created_at", "read_at")
        return shown if obj else ("project_id", "worker", "text")

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def save_model(self, request: HttpRequest, obj: Message, form: Any, change: bool) -> None:
        """The row that the page made goes to the first, a copy to each of the others."""
        first, *others = _everybody(obj.project_id) if obj.worker_id is None else [obj.worker_id]
        send_message(text=obj.text, worker_ids=others, project_id=obj.project_id)
        obj.worker_id = first
        super().save_model(request, obj, form, change)
        messages.info(request, f"It goes to {1 + len(others)} worker{'s' if others else ''}.")


def _everybody(project_id: int | None) -> list[int]:
    if project_id is None:
        return []
    people = Access.objects.filter(project_id=project_id, worker__kind=Worker.Kind.PERSON)
    return sorted(set(people.values_list("worker_id", flat=True)))


for model, page in ((Invitation, InvitationAdmin), (ApiKey, ApiKeyAdmin), (Message, MessageAdmin)):
    admin.site.register(model, page)
