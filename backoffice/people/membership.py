"""Admin pages of members: who has which role in a project. Requesters manage the members of their own projects."""

from typing import Any

from django import forms
from django.contrib import admin
from django.contrib.auth.models import User
from django.http import HttpRequest
from unfold.widgets import UnfoldAdminTextInputWidget

from backoffice.base import StoryAdmin
from backoffice.columns import row_link
from backoffice.form_fields import choice_field, project_field
from members.add_member import let_sign_in
from members.may import Action
from members.models import Membership, Role


class MembershipForm(forms.ModelForm):
    """The user is typed, not chosen, so that requesters do not read the names of all users."""

    user = forms.ModelChoiceField(
        User.objects.filter(is_active=True),
        to_field_name="username",
        widget=UnfoldAdminTextInputWidget,
        label="User name",
        help_text="An administrator adds users. Somebody who joined by an invitation has one already.",
        error_messages={"invalid_choice": "There is no active user of this name: ask an administrator to add one."},
    )
    project = project_field()
    role = choice_field(Role.choices)


@admin.register(Membership)
class MembershipAdmin(StoryAdmin):
    form = MembershipForm
    to_see = Action.MANAGE
    list_display = ("__str__", row_link("project"), "role", "created_at")
    list_filter = ("project", "role")
    list_select_related = ("user", "project")
    search_fields = ("user__username", "project__name")

    def get_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        return ("user", "project", "role", "created_at") if obj else ("user", "project", "role")

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        return ("user", "project", "created_at") if obj else ()

    def save_model(self, request: HttpRequest, obj: Membership, form: Any, change: bool) -> None:
        super().save_model(request, obj, form, change)
        let_sign_in(obj.user)
