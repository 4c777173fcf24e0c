"""Admin pages of rights, invitations of members, and pictures that surveys have of other projects."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from backoffice.base import StoryAdmin
from members.may import Action
from members.models import BorrowedPictures, MemberInvitation, Right


class DeletedOnlyAdmin(StoryAdmin):
    """Rows that are neither added nor changed here."""

    def has_add_permission(self, request: HttpRequest, *args: Any) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(Right)
class RightAdmin(DeletedOnlyAdmin):
    project_path = ""  # a right is of no project: administrators only
    list_display = ("user", "kind", "membership", "given_by", "given_at")
    list_filter = ("kind",)
    list_select_related = ("user", "membership__user", "given_by")
    search_fields = ("user__username",)
    fields = ("user", "kind", "membership", "given_by", "given_at")


@admin.register(MemberInvitation)
class MemberInvitationAdmin(DeletedOnlyAdmin):
    to_see = Action.MANAGE
    list_display = ("to", "project", "role", "made_by", "made_at", "expires_at")
    list_filter = ("project",)
    list_select_related = ("project", "made_by")
    fields = ("to", "project", "role", "made_by", "made_at", "expires_at")


@admin.register(BorrowedPictures)
class BorrowedPicturesAdmin(DeletedOnlyAdmin):
    list_display = ("project", "source")
    list_select_related = ("project", "source")
    fields = ("project", "source")

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False
