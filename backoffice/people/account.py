"""Admin pages of users and groups: Django's own, in the theme's look; and the sign-in of staff."""

from django.contrib import admin
from django.contrib.auth.admin import GroupAdmin, UserAdmin
from django.contrib.auth.models import Group, User
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest
from unfold.admin import ModelAdmin
from unfold.forms import AdminPasswordChangeForm, AuthenticationForm, UserChangeForm, UserCreationForm

from backoffice.of_members import OfMembers
from labelling.joining.forms import ThrottledForm
from upkeep import clock
from workers.models import Worker


class AccountAdmin(OfMembers, UserAdmin, ModelAdmin):
    """Accounts. Deleting one closes its worker, whose keys and tokens would outlive it; to forget the person, too, use
    `manage.py forget_worker`.
    """

    project_path = ""  # an account is of no project: administrators only
    form = UserChangeForm
    add_form = UserCreationForm
    change_password_form = AdminPasswordChangeForm

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


admin.site.login_form = StaffSignInForm
# Importing `UserAdmin` registers Django's own pages, in another look; ours take their place.
admin.site.unregister([User, Group])
admin.site.register(User, AccountAdmin)
admin.site.register(Group, AccountGroupAdmin)
