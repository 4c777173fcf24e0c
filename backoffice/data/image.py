"""Admin pages of images."""

from django.contrib import admin
from django.utils.safestring import SafeString

from annotation.models import Box, Caption, Chain, Gold, Image, KnownBox, Mention, MergedBox
from backoffice.base import LargeAdmin, Part, of_image
from backoffice.columns import row_link, wrapped
from backoffice.drawing import image_drawing
from pipeline.models import Entry, Judgment, Progress, Question, Transition

PICTURE, SOURCE = wrapped("picture"), wrapped("source")


@admin.register(Image)
class ImageAdmin(LargeAdmin):
    ordering = ("project", "position")
    list_display = ("name", row_link("project"), "position", "state", "width", "height", "has_picture")
    list_filter = ("project", "state", ("picture", admin.EmptyFieldListFilter))
    list_select_related = ("project",)
    search_fields = ("name",)
    fields = (
        *("project", "name", "state", "story", "boxes", "position"),
        *("width", "height", PICTURE, SOURCE),
    )
    readonly_fields = ("story", "boxes", PICTURE, SOURCE)
    parts = (
        *(Part(model, of_image) for model in (Caption, Mention, Chain, Box, MergedBox, KnownBox, Gold, Question)),
        Part(Judgment, lambda row: {"question__image__id__exact": row.pk}),
        Part(Entry, of_image, "entries of its record"),
        *(Part(model, of_image) for model in (Transition, Progress)),
    )

    @admin.display(description="pixels", boolean=True)
    def has_picture(self, row: Image) -> bool:
        return bool(row.picture)

    @admin.display(description="boxes")
    def boxes(self, row: Image) -> SafeString:
        return image_drawing(row)
