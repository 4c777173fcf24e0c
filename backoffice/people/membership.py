"""Admin pages of members and of invitations of members. Requesters have the page *Members* of each project."""

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.http import HttpRequest
from unfold.widgets import UnfoldAdminTextInputWidget, UnfoldBooleanWidget

from accounts.change_members import LastRequesterError, change_role, remove_member
from accounts.may import Action, is_administrator, is_of_staff
from accounts.models import MemberInvitation, Membership, Right, Role
from backoffice.base import DeletedOnlyAdmin, StoryAdmin
from backoffice.columns import row_link
from backoffice.form_fields import choice_field, project_field
from workers.models import Worker


class MembershipForm(forms.ModelForm):
    """The user is typed, not chosen. Administrators alone add one here: the answer tells whether a name exists."""

    user = forms.ModelChoiceField(
        User.objects.filter(is_active=True),
        to_field_name="username",
        widget=UnfoldAdminTextInputWidget,
        label="User name",
        error_messages={"invalid_choice": "There is no active user of this name: add one first."},
    )
    project = project_field()
    role = choice_field(Role.choices, initial=Role.VIEWER.value)
    works = forms.BooleanField(
        required=False,
        widget=UnfoldBooleanWidget,
        label="A worker's account, too",
        help_text="Tick this to make a member of an account with which somebody answers questions.",
    )

    def clean(self) -> dict[str, Any]:
        values = super().clean() or {}
        user = values.get("user")
        if user is not None and not values.get("works") and not is_of_staff(user) and _works(user):
            self.add_error("works", f"{user} is a worker's account. Tick this if it is meant.")
        return values


def _works(user: User) -> bool:
    return Worker.objects.filter(user=user).exists()


@admin.register(Membership)
class MembershipAdmin(StoryAdmin):
    form = MembershipForm
    to_see = Action.MANAGE
    list_display = ("__str__", row_link("project"), "role", "created_at")
    list_filter = ("project", "role")
    list_select_related = ("user", "project")
    search_fields = ("user__username", "project__name")

    def get_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        return ("user", "project", "role", "created_at") if obj else ("user", "project", "role", "works")

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        return ("user", "project", "created_at") if obj else ()

    def has_add_permission(self, request: HttpRequest, *args: Any) -> bool:
        return is_administrator(request.user)

    def save_model(self, request: HttpRequest, obj: Membership, form: Any, change: bool) -> None:  # noqa: FBT001 - Django passes it by place
        if not change or is_administrator(request.user):
            super().save_model(request, obj, form, change)
            return
        try:
            change_role(obj, Role(obj.role))
        except LastRequesterError as error:
            messages.error(request, f"Nothing was changed. {error}")

    def get_deleted_objects(self, objs: Any, request: HttpRequest) -> Any:
        """Let rights that stand on a membership end with it, whoever removes the member."""
        found, counts, lacking, protected = super().get_deleted_objects(objs, request)
        return found, counts, lacking - {Right._meta.verbose_name}, protected

    def delete_model(self, request: HttpRequest, obj: Membership) -> None:
        self.delete_queryset(request, Membership.objects.filter(pk=obj.pk))

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Membership]) -> None:
        """Remove members. Only an administrator may remove the last requester of a project."""
        if is_administrator(request.user):
            super().delete_queryset(request, queryset)
            return
        for member in queryset.select_related("user"):
            try:
                remove_member(member)
            except LastRequesterError as error:
                messages.error(request, f"{member.user} stays. {error}")


@admin.register(MemberInvitation)
class MemberInvitationAdmin(DeletedOnlyAdmin):
    to_see = Action.MANAGE
    list_display = ("to", "project", "role", "made_by", "made_at", "expires_at")
    list_filter = ("project",)
    list_select_related = ("project", "made_by")
    search_fields = ("to",)
    fields = ("to", "project", "role", "made_by", "made_at", "expires_at")
