"""Admin pages of captions."""

from django.contrib import admin

from annotation.models import Caption, Mention
from backoffice.base import LargeAdmin, Part
from backoffice.columns import row_link


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
