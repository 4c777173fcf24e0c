"""Admin pages of who answers, and of the accounts they sign in with."""

from typing import Any

from django.contrib import admin
from django.contrib.auth.admin import GroupAdmin, UserAdmin
from django.contrib.auth.models import Group, User
from django.http import HttpRequest
from unfold.admin import ModelAdmin
from unfold.forms import AdminPasswordChangeForm, UserChangeForm, UserCreationForm

from workers.models import Worker


class WorkerAdmin(ModelAdmin):
    """Never deleted: the record names workers. Who takes a worker's accesses away takes them out."""

    list_display = ("name", "kind", "user", "created_at")
    list_filter = ("kind",)
    list_select_related: tuple[str, ...] = ("user",)
    list_per_page = 50
    search_fields = ("name", "user__username")
    ordering = ("name",)
    autocomplete_fields = ("user",)
    fields: tuple[str, ...] = ("name", "kind", "user", "created_at")
    readonly_fields: tuple[str, ...] = ("created_at",)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


# Django's own pages for accounts, in the look of the others.


class AccountAdmin(UserAdmin, ModelAdmin):
    form = UserChangeForm
    add_form = UserCreationForm
    change_password_form = AdminPasswordChangeForm


class AccountGroupAdmin(GroupAdmin, ModelAdmin):
    pass


admin.site.register(Worker, WorkerAdmin)
admin.site.unregister(User)
admin.site.register(User, AccountAdmin)
admin.site.unregister(Group)
admin.site.register(Group, AccountGroupAdmin)
