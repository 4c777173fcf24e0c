"""Admin pages of what is annotated: to read and to find. The rows are a cache of the record; only titles change."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.contrib import admin
from django.db.models import Count, Model, OuterRef, QuerySet, Subquery
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from unfold.admin import ModelAdmin

from annotation.models import Box, Caption, Chain, Gold, Image, KnownBox, Mention, MergedBox, Project
from annotation.rules.states import ImageState

Column = Callable[[Any], Any]


# --- Links and columns, for the admin pages of every part ---


def anchor(url: str, text: str) -> SafeString:
    """A link that looks like one: the theme shows a bare one as text."""
    return format_html('<a class="text-primary-600 dark:text-primary-500" href="{}">{}</a>', url, text)


def page_of(model: type[Model], pk: Any, text: str) -> SafeString:
    """A link to the page of one row."""
    return anchor(reverse(f"admin:{model._meta.label_lower.replace('.', '_')}_change", args=[pk]), text)


def list_of(model: type[Model], text: str, filters: dict[str, Any]) -> SafeString:
    """A link to the list of the model's rows, narrowed."""
    url = reverse(f"admin:{model._meta.label_lower.replace('.', '_')}_changelist")
    return anchor(f"{url}?{urlencode(filters)}", text)


def row_link(field: str) -> Column:
    """A column that links to the row a foreign key names. The list must select the relation, for its text."""

    @admin.display(description=field.replace("_", " "), ordering=field)
    def column(row: Any) -> SafeString | str:
        other = getattr(row, field)
        return page_of(type(other), other.pk, str(other)) if other else "-"

    return column


def chain_pk(name: str = "chain") -> Subquery:
    """The id of the chain that the row's field names, within the row's image."""
    return Subquery(Chain.objects.filter(image=OuterRef("image"), name=OuterRef(name)).values("pk")[:1])


@admin.display(description="chain", ordering="chain")
def chain_link(row: Any) -> SafeString | str:
    """A column that links to the chain a row names; its rows need `chain_pk` as an annotation."""
    if row.chain is None:
        return "-"
    # A chain that became part of another, or was split, is gone; the row still says its name.
    return page_of(Chain, row.chain_pk, f"chain {row.chain}") if row.chain_pk else f"chain {row.chain} (gone)"


def pretty(field: str) -> Column:
    """A JSON field over several lines."""

    @admin.display(description=field)
    def column(row: Any) -> SafeString:
        text = json.dumps(getattr(row, field), indent=1, ensure_ascii=False)
        return format_html('<pre class="overflow-auto" style="max-height: 30rem">{}</pre>', text)

    return column


@dataclass(frozen=True)
class Part:
    """One step of an object's story: the rows of `model` that `filters` finds, counted and linked."""

    model: type[Model]
    filters: Callable[[Any], dict[str, Any]]
    label: str = ""

    def link(self, row: Any) -> SafeString:
        filters = self.filters(row)
        count = self.model._default_manager.filter(**filters).count()
        return list_of(self.model, f"{self.label or self.model._meta.verbose_name_plural}: {count:,}", filters)


class StoryAdmin(ModelAdmin):
    """A page that links to the parts of its object's story."""

    parts: tuple[Part, ...] = ()
    fields: tuple[Any, ...] | None = None
    readonly_fields: tuple[Any, ...] = ()
    list_per_page = 50

    @admin.display(description="story")
    def story(self, row: Any) -> SafeString:
        return format_html_join(SafeString(" &middot; "), "{}", ((part.link(row),) for part in self.parts))


class ReadOnlyAdmin(StoryAdmin):
    """Nothing can be added, changed or deleted here: what acts on state goes through the record."""

    actions = None

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class LargeAdmin(ReadOnlyAdmin):
    """A table with millions of rows: a narrowed list does not count the whole table as well."""

    show_full_result_count = False
    show_facets = admin.ShowFacets.NEVER
    ordering: tuple[str, ...] = ("-id",)


def of_image(row: Any) -> dict[str, Any]:
    return {"image__id__exact": row.pk}


def of_chain(row: Chain) -> dict[str, Any]:
    return {"image__id__exact": row.image_id, "chain__exact": row.name}


# --- The models ---


class ProjectAdmin(StoryAdmin):
    list_display = ("name", "title", "image_count", "created_at")
    search_fields = ("name", "title")
    ordering = ("name",)
    fields: tuple[Any, ...] = ("name", "title", "created_at", "story")
    readonly_fields: tuple[Any, ...] = ("name", "created_at", "story")
    parts: tuple[Part, ...] = tuple(
        Part(
            Image,
            lambda row, state=state: {"project__id__exact": row.pk, "state__exact": state},  # type: ignore[misc]
            f"images {state}",
        )
        for state in (state.value for state in ImageState)
    )

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False  # an import makes it, with its settings

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def get_queryset(self, request: HttpRequest) -> QuerySet[Project]:
        return super().get_queryset(request).annotate(images_in_it=Count("images"))

    @admin.display(description="images", ordering="images_in_it")
    def image_count(self, row: Any) -> SafeString:
        return list_of(Image, f"{row.images_in_it:,}", {"project__id__exact": row.pk})


class ImageAdmin(LargeAdmin):
    ordering = ("project", "position")
    list_display = ("name", row_link("project"), "position", "state", "width", "height", "has_picture")
    list_filter = ("project", "state", ("picture", admin.EmptyFieldListFilter))
    list_select_related = ("project",)
    search_fields = ("name",)
    fields: tuple[Any, ...] = ("project", "name", "state", "story", "position", "width", "height", "picture", "source")
    readonly_fields: tuple[Any, ...] = ("story",)
    parts: tuple[Part, ...] = tuple(
        Part(model, of_image) for model in (Caption, Mention, Chain, Box, MergedBox, KnownBox, Gold)
    )

    @admin.display(description="pixels", boolean=True)
    def has_picture(self, row: Image) -> bool:
        return bool(row.picture)


class CaptionAdmin(ReadOnlyAdmin):
    list_display = ("text", row_link("image"), "number", "chunked")
    list_filter = ("chunked", "image__project")
    list_select_related = ("image",)
    search_fields = ("text", "image__name")
    ordering = ("-id",)
    fields = ("image", "number", "text", "story", "words", "offsets", "non_visual", "chunked")
    readonly_fields = ("story",)
    parts = (Part(Mention, lambda row: {"caption__id__exact": row.pk}),)


class ChainAdmin(LargeAdmin):
    list_display = ("__str__", "first_mention", row_link("image"), "state", "non_visual", "doubted", "review")
    list_filter = (
        "state",
        "non_visual",
        ("doubted", admin.EmptyFieldListFilter),
        ("merged_into", admin.EmptyFieldListFilter),
        "image__project",
    )
    list_select_related = ("image",)
    search_fields = ("image__name", "review", "doubted")
    fields: tuple[Any, ...] = (
        "image",
        "name",
        "state",
        "story",
        "phrases",
        "representative",
        "non_visual",
        "doubted",
        "review",
        "merged_into",
    )
    readonly_fields: tuple[Any, ...] = ("story", "phrases")
    parts: tuple[Part, ...] = (Part(Mention, of_chain), Part(Box, of_chain))

    def get_queryset(self, request: HttpRequest) -> QuerySet[Chain]:
        first = Mention.objects.filter(image=OuterRef("image"), number=OuterRef("name"))
        return super().get_queryset(request).annotate(words=Subquery(first.values("text")[:1]))

    @admin.display(description="first mention")
    def first_mention(self, row: Any) -> str:
        return row.words or "-"

    @admin.display(description="mentions")
    def phrases(self, row: Chain) -> SafeString:
        mentions = Mention.objects.filter(image=row.image_id, chain=row.name)
        return format_html_join(", ", "{}", ((page_of(Mention, m.pk, m.text),) for m in mentions))


class OfChainAdmin(LargeAdmin):
    """Rows that name a chain of their image."""

    list_select_related: tuple[str, ...] = ("image",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return super().get_queryset(request).annotate(chain_pk=chain_pk())


class MentionAdmin(OfChainAdmin):
    list_display = ("text", "types", chain_link, row_link("image"), "number")
    list_filter = ("image__project",)
    search_fields = ("text", "image__name")
    fields = ("image", "caption", "number", "text", "types", chain_link, "start", "end")
    readonly_fields = (chain_link,)


class BoxAdmin(OfChainAdmin):
    list_display = ("__str__", "state", chain_link, row_link("image"), "number")
    list_filter = ("state", "image__project")
    search_fields = ("image__name",)
    fields = ("image", "number", chain_link, "state", "x0", "y0", "x1", "y1")
    readonly_fields = (chain_link,)


class MergedBoxAdmin(LargeAdmin):
    list_display = ("__str__", "members", row_link("image"), "number")
    list_filter = ("image__project",)
    list_select_related = ("image",)
    search_fields = ("image__name",)


class KnownBoxAdmin(LargeAdmin):
    list_display = ("__str__", "category", row_link("image"))
    list_filter = ("image__project",)
    list_select_related = ("image",)
    search_fields = ("category", "image__name")


class GoldAdmin(LargeAdmin):
    list_display = ("image", "image_page")
    list_filter = ("image__project",)
    list_select_related = ("image",)
    search_fields = ("image__name",)
    ordering = ("-image",)
    fields = ("image", pretty("chains"))
    readonly_fields = ("image", fields[1])

    @admin.display(description="its image")
    def image_page(self, row: Gold) -> SafeString:
        return page_of(Image, row.image_id, "open")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Gold]:
        return super().get_queryset(request).defer("chains")


PAGES = (
    *((Project, ProjectAdmin), (Image, ImageAdmin), (Caption, CaptionAdmin), (Chain, ChainAdmin)),
    *((Mention, MentionAdmin), (Box, BoxAdmin), (MergedBox, MergedBoxAdmin), (KnownBox, KnownBoxAdmin)),
    (Gold, GoldAdmin),
)
for model, page in PAGES:
    admin.site.register(model, page)
