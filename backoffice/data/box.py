"""Admin pages of boxes: drawn ones, merged ones, and known ones that came with the images."""

from django.contrib import admin

from annotation.models import Box, KnownBox, MergedBox
from backoffice.base import LargeAdmin, OfChainAdmin
from backoffice.columns import chain_link, row_link


@admin.register(Box)
class BoxAdmin(OfChainAdmin):
    project_path = "image__project"
    list_display = ("__str__", "state", chain_link, row_link("image"), "number")
    list_filter = ("state", "pre_annotated", "image__project")
    search_fields = ("image__name",)
    fields = ("image", "number", chain_link, "state", "pre_annotated", "x0", "y0", "x1", "y1")
    readonly_fields = (chain_link,)


@admin.register(MergedBox)
class MergedBoxAdmin(LargeAdmin):
    project_path = "image__project"
    list_display = ("__str__", "members", row_link("image"), "number")
    list_filter = ("image__project",)
    list_select_related = ("image",)
    search_fields = ("image__name",)


@admin.register(KnownBox)
class KnownBoxAdmin(LargeAdmin):
    project_path = "image__project"
    list_display = ("__str__", "category", row_link("image"))
    list_filter = ("image__project",)
    list_select_related = ("image",)
    search_fields = ("category", "image__name")
