"""Admin pages of the images that reviewers annotate."""

from django.contrib import admin

from backoffice.base import LargeAdmin
from backoffice.columns import pretty
from campaign.models import GoldImage
from members.may import Action


@admin.register(GoldImage)
class GoldImageAdmin(LargeAdmin):
    project_path = "image__project"
    to_see = Action.MANAGE
    list_display = ("image", "place", "annotators", "disputes", "settled_at", "added_at")
    list_filter = ("image__project",)
    list_select_related = ("image",)
    search_fields = ("image__name",)
    ordering = ("-image",)
    fields = ("image", "place", "annotators", "disputes", "settled_at", pretty("gives"), "added_at")
    readonly_fields = fields
