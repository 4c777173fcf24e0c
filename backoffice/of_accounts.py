"""Pages of accounts: sign-in, members, rights, mail and the security log."""

from typing import Any

from allauth.account.admin import EmailAddress
from allauth.mfa.admin import Authenticator
from allauth.socialaccount.admin import SocialAccount, SocialApp, SocialToken
from allauth.usersessions.admin import UserSession
from django import forms
from django.contrib import admin, messages
from django.contrib.auth.admin import GroupAdmin, UserAdmin
from django.contrib.auth.models import Group, User
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from unfold.admin import ModelAdmin
from unfold.forms import AdminPasswordChangeForm, UserChangeForm, UserCreationForm
from unfold.widgets import UnfoldAdminTextInputWidget, UnfoldBooleanWidget

from accounts.may import Action, is_administrator, is_of_staff, may_enter_admin
from accounts.members import LastRequesterError, change_role, remove_member
from accounts.models import BorrowedPictures, MemberInvitation, Membership, Right, Role, SecurityEvent
from backoffice.bases import DeletedOnlyAdmin, LargeAdmin, OfMembers, ReadOnlyAdmin, StoryAdmin, read_only
from backoffice.columns import choice_field, project_field
from labelling.messages import send_again
from labelling.models import OutgoingMail
from runtime import clock
from workers.models import Worker


class AccountAdmin(OfMembers, UserAdmin, ModelAdmin):
    """Accounts. Deleting one closes its worker, whose keys and tokens would outlive it; to forget the person, too, use
    `manage.py forget_worker`.
    """

    project_path = ""  # an account is of no project: administrators only
    form = UserChangeForm
    add_form = UserCreationForm
    change_password_form = AdminPasswordChangeForm
    # Django's "staff status" decides nothing here: the page of rights says who enters the admin pages.
    list_display = ("username", "email", "first_name", "last_name", "is_active", "is_superuser")
    list_filter = ("is_superuser", "is_active", "groups")

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        found = super().get_fieldsets(request, obj)
        return [
            (name, {**of, "fields": [field for field in of["fields"] if field != "is_staff"]}) for name, of in found
        ]

    def delete_model(self, request: HttpRequest, obj: User) -> None:
        self.delete_queryset(request, User.objects.filter(pk=obj.pk))

    @transaction.atomic
    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[User]) -> None:
        Worker.objects.filter(user__in=queryset, closed_at=None).update(closed_at=clock.now())
        super().delete_queryset(request, queryset)


class BrowserSessionAdmin(DeletedOnlyAdmin):
    """Sessions of everybody who signed in. Deleting one ends it."""

    project_path = ""  # of no project: administrators only
    list_display = ("user", "created_at", "ip", "user_agent")
    search_fields = ("user__username", "ip")
    fields = list_display

    def delete_model(self, request: HttpRequest, obj: UserSession) -> None:
        obj.end()

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[UserSession]) -> None:
        for session in queryset:
            session.end()


class SecondFactorAdmin(DeletedOnlyAdmin):
    """Second factors, without their secrets. Delete those of somebody who lost them and whom you know."""

    project_path = ""  # of no project: administrators only
    list_display = ("user", "type", "created_at", "last_used_at")
    list_filter = ("type",)
    search_fields = ("user__username",)
    fields = list_display


class AccountGroupAdmin(OfMembers, GroupAdmin, ModelAdmin):
    project_path = ""  # of no project: administrators only


def _sign_in(request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponseBase:
    """Lead visitors to the page on which everybody signs in. Others have no right to the admin pages."""
    if may_enter_admin(request.user):
        return redirect("admin:index")
    if request.user.is_authenticated:
        raise PermissionDenied
    return redirect_to_login(request.GET.get("next") or reverse("admin:index"))


def _change_password(request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponseBase:
    return redirect("account_change_password")


def _may_enter(request: HttpRequest) -> bool:
    return may_enter_admin(request.user)


admin.site.login = _sign_in  # type: ignore[method-assign,assignment]
admin.site.password_change = _change_password  # type: ignore[method-assign,assignment]
admin.site.has_permission = _may_enter  # type: ignore[method-assign]
# Importing `UserAdmin` and allauth's `admin` registers pages in another look; ours take their place.
admin.site.unregister([User, Group, EmailAddress, Authenticator, UserSession, SocialAccount, SocialApp, SocialToken])
admin.site.register(User, AccountAdmin)
admin.site.register(UserSession, BrowserSessionAdmin)
admin.site.register(Authenticator, SecondFactorAdmin)
admin.site.register(Group, AccountGroupAdmin)

read_only(
    BorrowedPictures,
    "project source",
    fields="project source",
    by_project=False,
    search="project__name source__name",
    base=ReadOnlyAdmin,
)


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
    list_display = ("__str__", "project", "role", "created_at")
    list_filter = ("project", "role")
    list_select_related = ("user",)
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
    search_fields = ("to",)
    fields = ("to", "project", "role", "made_by", "made_at", "expires_at")


@admin.register(OutgoingMail)
class OutgoingMailAdmin(LargeAdmin):
    """Without the text: it may hold a link that opens an account."""

    project_path = ""  # of no project: administrators only
    actions = ("send_again",)
    list_display = ("id", "to", "subject", "state", "tries", "made_at", "due_at", "sent_at", "problem")
    list_filter = ("state",)
    search_fields = ("to", "subject", "user__username")
    fields = ("to", "user", "subject", "state", "tries", "made_at", "due_at", "sent_at", "problem")

    def has_send_permission(self, request: HttpRequest) -> bool:
        return is_administrator(request.user)

    @admin.action(description="Send the chosen mail again", permissions=["send"])
    def send_again(self, request: HttpRequest, chosen: QuerySet[OutgoingMail]) -> None:
        again = sum(send_again(mail) for mail in chosen.values_list("pk", flat=True))
        messages.success(request, f"{again} of them sent again within a minute. The others were sent, or have no text.")


@admin.register(Right)
class RightAdmin(DeletedOnlyAdmin):
    project_path = ""  # of no project: administrators only
    list_display = ("user", "kind", "membership", "given_by", "given_at")
    list_filter = ("kind", "membership__project")
    list_select_related = ("membership__user",)
    search_fields = ("user__username",)
    fields = ("user", "kind", "membership", "given_by", "given_at")


@admin.register(SecurityEvent)
class SecurityEventAdmin(LargeAdmin):
    project_path = ""  # of no project: administrators only
    list_display = ("time", "kind", "actor", "address", "what", "result", "count", "last_time")
    list_filter = ("kind", "result", ("at", admin.DateFieldListFilter))
    search_fields = ("actor", "address", "what")
    fields = list_display

    @admin.display(ordering="at")
    def time(self, row: SecurityEvent) -> str:
        return row.at.isoformat(" ", "seconds")

    @admin.display(ordering="last_at")
    def last_time(self, row: SecurityEvent) -> str:
        return row.last_at.isoformat(" ", "seconds")
