"""Admin pages of rights: given and taken back on a page of their own, and deleted here, too."""

from django.contrib import admin

from accounts.models import Right
from backoffice.base import DeletedOnlyAdmin


@admin.register(Right)
class RightAdmin(DeletedOnlyAdmin):
    project_path = ""  # a right is of no project: administrators only
    list_display = ("user", "kind", "membership", "given_by", "given_at")
    list_filter = ("kind", "membership__project")
    list_select_related = ("user", "membership__user", "given_by")
    search_fields = ("user__username",)
    fields = ("user", "kind", "membership", "given_by", "given_at")
