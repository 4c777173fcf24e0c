"""Admin pages of the record: its entries, the transitions they caused, and how far each image is folded."""

from typing import Any

from django.contrib import admin
from django.db.models import OuterRef, QuerySet, Subquery
from django.http import HttpRequest
from django.utils.safestring import SafeString

from backoffice.base import LargeAdmin, Part
from backoffice.columns import pretty, row_link
from backoffice.filters import EntryKindFilter, MachineFilter
from backoffice.links import page_of
from pipeline.models import Entry, LabelDoubt, Progress, Transition


@admin.register(Entry)
class EntryAdmin(LargeAdmin):
    list_display = ("__str__", row_link("image"), row_link("judgment"), "actor", "reason", "created_at")
    list_filter = ("project", EntryKindFilter)
    list_select_related = ("image", "judgment__worker")
    search_fields = ("image__name", "actor", "reason")
    fields = (
        *("image", "sequence", "kind", "judgment", "story", "settings_version", "actor", "reason", "created_at"),
        pretty("data"),
    )
    readonly_fields = ("story", fields[-1])
    parts = (
        Part(
            Transition, lambda row: {"image__id__exact": row.image_id, "sequence__exact": row.sequence}, "moves caused"
        ),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Entry]:
        return super().get_queryset(request).defer("data")  # an import's entry holds a whole image


@admin.register(Transition)
class TransitionAdmin(LargeAdmin):
    list_display = ("__str__", row_link("image"), "reason", "cause", "created_at")
    list_filter = ("project", MachineFilter)
    list_select_related = ("image",)
    search_fields = ("image__name",)
    fields = ("image", "machine", "subject", "old", "new", "reason", "cause", "created_at")
    readonly_fields = ("cause",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Transition]:
        cause = Entry.objects.filter(image=OuterRef("image"), sequence=OuterRef("sequence"))
        return super().get_queryset(request).annotate(cause_pk=Subquery(cause.values("pk")[:1]))

    @admin.display(description="caused by")
    def cause(self, row: Any) -> SafeString | str:
        return page_of(Entry, row.cause_pk, f"entry {row.sequence}") if row.cause_pk else f"entry {row.sequence}"


@admin.register(LabelDoubt)
class LabelDoubtAdmin(LargeAdmin):
    list_display = ("__str__", row_link("image"), "standing", "part", "doubt")
    list_filter = ("project", "standing", "part")
    list_select_related = ("image",)
    search_fields = ("image__name",)
    fields = ("image", "chain", "standing", "part", "doubt", "mentions", "boxes", "flag")


@admin.register(Progress)
class ProgressAdmin(LargeAdmin):
    list_display = ("image", "image_page", "project", "sequence", "due")
    list_filter = ("project", "due")
    list_select_related = ("image", "project")
    search_fields = ("image__name",)
    ordering = ("-image",)
    fields = ("image", "project", "sequence", "due", pretty("state"))
    readonly_fields = ("image", fields[-1])

    def get_queryset(self, request: HttpRequest) -> QuerySet[Progress]:
        return super().get_queryset(request).defer("state")

    @admin.display(description="its image")
    def image_page(self, row: Progress) -> SafeString:
        return page_of(type(row.image), row.image_id, "open")
