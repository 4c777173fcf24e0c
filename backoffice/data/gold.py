"""Admin pages of gold: the right answers for whole images."""

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.safestring import SafeString

from accounts.may import Action
from annotation.models import Gold, Image
from backoffice.base import LargeAdmin
from backoffice.columns import pretty
from backoffice.links import page_of


@admin.register(Gold)
class GoldAdmin(LargeAdmin):
    project_path = "image__project"
    to_see = Action.MANAGE
    list_display = ("image", "complete", "image_page")
    list_filter = ("image__project", "complete")
    list_select_related = ("image",)
    search_fields = ("image__name",)
    ordering = ("-image",)
    fields = ("image", "complete", pretty("chains"))
    readonly_fields = fields

    @admin.display(description="its image")
    def image_page(self, row: Gold) -> SafeString:
        return page_of(Image, row.image_id, "open")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Gold]:
        return super().get_queryset(request).defer("chains")
