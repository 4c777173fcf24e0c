"""Admin pages of invitations of members: made and withdrawn on the page *Members* of a project."""

from django.contrib import admin

from backoffice.base import DeletedOnlyAdmin
from members.may import Action
from members.models import MemberInvitation


@admin.register(MemberInvitation)
class MemberInvitationAdmin(DeletedOnlyAdmin):
    to_see = Action.MANAGE
    list_display = ("to", "project", "role", "made_by", "made_at", "expires_at")
    list_filter = ("project",)
    list_select_related = ("project", "made_by")
    search_fields = ("to",)
    fields = ("to", "project", "role", "made_by", "made_at", "expires_at")
