"""Admin pages of the annotations by reviewers."""

from django.contrib import admin

from backoffice.base import LargeAdmin
from backoffice.columns import pretty
from campaign.models import GoldAnnotation
from members.may import Action


@admin.register(GoldAnnotation)
class GoldAnnotationAdmin(LargeAdmin):
    project_path = "gold_image__image__project"
    to_see = Action.MANAGE
    list_display = ("id", "gold_image", "name", "settles", "begun_at", "finished_at")
    list_filter = ("gold_image__image__project", "settles")
    list_select_related = ("gold_image",)
    search_fields = ("name", "gold_image__image__name")
    fields = ("gold_image", "user", "name", "settles", pretty("chains"), "revision", "begun_at", "finished_at")
    readonly_fields = fields
