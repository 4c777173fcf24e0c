"""Admin pages of users and groups: Django's own, in the theme's look; and who may enter the admin pages."""

from typing import Any

from django.contrib import admin
from django.contrib.auth.admin import GroupAdmin, UserAdmin
from django.contrib.auth.forms import AuthenticationForm as DjangoAuthenticationForm
from django.contrib.auth.models import Group, User
from django.contrib.auth.views import PasswordChangeView
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponseBase
from django.urls import reverse_lazy
from unfold.admin import ModelAdmin
from unfold.forms import (
    AdminOwnPasswordChangeForm,
    AdminPasswordChangeForm,
    AuthenticationForm,
    UserChangeForm,
    UserCreationForm,
)

from accounts.events import Kind, record
from accounts.may import may_enter_admin
from backoffice.of_members import OfMembers
from labelling.joining.forms import OldPassword, ThrottledForm
from labelling.joining.throttle import Answers429
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
        return [(name, {**of, "fields": [one for one in of["fields"] if one != "is_staff"]}) for name, of in found]

    def delete_model(self, request: HttpRequest, obj: User) -> None:
        self.delete_queryset(request, User.objects.filter(pk=obj.pk))

    @transaction.atomic
    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[User]) -> None:
        Worker.objects.filter(user__in=queryset, closed_at=None).update(closed_at=clock.now())
        super().delete_queryset(request, queryset)


class AccountGroupAdmin(OfMembers, GroupAdmin, ModelAdmin):
    project_path = ""


class StaffSignInForm(AuthenticationForm, ThrottledForm):
    """The theme's form, with the limits on wrong tries of the workers' page."""

    def confirm_login_allowed(self, user: User) -> None:
        DjangoAuthenticationForm.confirm_login_allowed(self, user)
        if not may_enter_admin(user):
            record(
                Kind.FAILED_SIGN_IN, "/admin/, without the right to enter", result="refused", actor=user.get_username()
            )
            raise ValidationError(
                self.error_messages["invalid_login"], "invalid_login", {"username": self.username_field.verbose_name}
            )


class StaffPasswordForm(OldPassword, AdminOwnPasswordChangeForm):
    """The theme's form, with the limits on wrong tries of the workers' page."""


class StaffPassword(Answers429, PasswordChangeView):
    form_class = StaffPasswordForm
    success_url = reverse_lazy("admin:password_change_done")


def _change_password(request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponseBase:
    context = {**admin.site.each_context(request), **(extra_context or {})}
    return StaffPassword.as_view(extra_context=context)(request)


def _may_enter(request: HttpRequest) -> bool:
    return may_enter_admin(request.user)


admin.site.login_form = StaffSignInForm
admin.site.password_change = _change_password  # type: ignore[method-assign,assignment]
admin.site.has_permission = _may_enter  # type: ignore[method-assign]
# Importing `UserAdmin` registers Django's own pages, in another look; ours take their place.
admin.site.unregister([User, Group])
admin.site.register(User, AccountAdmin)
admin.site.register(Group, AccountGroupAdmin)
