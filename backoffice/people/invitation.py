"""Admin pages of invitations: the links by which people join a project."""

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from unfold.widgets import UnfoldAdminCheckboxSelectMultipleWidget

from accounts.may import Action
from backoffice.base import StoryAdmin
from backoffice.columns import row_link
from backoffice.form_fields import TASKS, project_field, refuse_tasks
from pipeline.stock.stock_forecast import warnings
from workers.models import Invitation


class InvitationForm(forms.ModelForm):
    project = project_field()
    tasks = forms.MultipleChoiceField(
        choices=TASKS,
        required=False,
        widget=UnfoldAdminCheckboxSelectMultipleWidget,
        help_text="Choose none to invite to all that the project asks.",
    )

    def clean(self) -> dict[str, Any]:
        values = super().clean() or self.cleaned_data
        refuse_tasks(self, "tasks", values)
        return values


@admin.register(Invitation)
class InvitationAdmin(StoryAdmin):
    to_see = Action.MANAGE
    form = InvitationForm
    list_display = ("__str__", row_link("project"), "trusted", "joined", "most", "expires_at", "created_at")
    list_filter = ("project",)
    list_select_related = ("project",)
    search_fields = ("note",)
    readonly_fields = ("link", "joined", "created_at")

    def get_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        given = ("project", "tasks", "trusted", "note", "most", "expires_at")
        return ("link", *given, "joined", "created_at") if obj else given

    def get_form(self, request: HttpRequest, obj: Any = None, *args: Any, **kwargs: Any) -> Any:
        if obj:
            obj.address = _address(request, obj)
        return super().get_form(request, obj, *args, **kwargs)

    @admin.display(description="link")
    def link(self, row: Any) -> SafeString:
        style = "w-full max-w-2xl rounded border px-3 py-2"
        return format_html('<input class="{}" readonly value="{}" aria-label="link">', style, row.address)

    def response_add(self, request: HttpRequest, obj: Any, post_url_continue: str | None = None) -> Any:
        messages.success(request, f"The link to send: {_address(request, obj)}")
        for warning in [] if obj.trusted else warnings(obj.project_id):
            messages.warning(request, warning)
        return super().response_add(request, obj, post_url_continue)


def _address(request: HttpRequest, row: Invitation) -> str:
    return request.build_absolute_uri(reverse("join", args=[row.code]))
