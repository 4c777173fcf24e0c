"""Admin pages of the images that reviewers annotate, and of their annotations."""

from django.contrib import admin

from accounts.may import Action
from backoffice.base import LargeAdmin
from backoffice.columns import pretty
from projects.models import GoldAnnotation, GoldImage


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
