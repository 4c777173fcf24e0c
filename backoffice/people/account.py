"""Admin pages of users and groups: Django's own, in the theme's look."""

from django.contrib import admin
from django.contrib.auth.admin import GroupAdmin, UserAdmin
from django.contrib.auth.models import Group, User
from unfold.admin import ModelAdmin
from unfold.forms import AdminPasswordChangeForm, UserChangeForm, UserCreationForm


class AccountAdmin(UserAdmin, ModelAdmin):
    form = UserChangeForm
    add_form = UserCreationForm
    change_password_form = AdminPasswordChangeForm


class AccountGroupAdmin(GroupAdmin, ModelAdmin):
    pass


# Importing `UserAdmin` registers Django's own pages, in another look; ours take their place.
admin.site.unregister([User, Group])
admin.site.register(User, AccountAdmin)
admin.site.register(Group, AccountGroupAdmin)
