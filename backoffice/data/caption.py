"""Admin pages of captions and mentions."""

from django.contrib import admin

from annotation.models import Caption, Mention
from backoffice.base import LargeAdmin, OfChainAdmin, Part
from backoffice.columns import chain_link, row_link


@admin.register(Caption)
class CaptionAdmin(LargeAdmin):
    project_path = "image__project"
    list_display = ("text", row_link("image"), "number", "chunked")
    list_filter = ("chunked", "image__project")
    list_select_related = ("image",)
    search_fields = ("text", "image__name")
    ordering = ("-id",)
    fields = ("image", "number", "text", "story", "words", "offsets", "non_visual", "chunked")
    readonly_fields = ("story",)
    parts = (Part(Mention, lambda row: {"caption__id__exact": row.pk}),)


@admin.register(Mention)
class MentionAdmin(OfChainAdmin):
    project_path = "image__project"
    list_display = ("text", "types", chain_link, row_link("image"), "number")
    list_filter = ("image__project",)
    search_fields = ("text", "image__name")
    fields = ("image", "caption", "number", "text", "types", chain_link, "start", "end")
    readonly_fields = (chain_link,)
