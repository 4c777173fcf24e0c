"""Base classes of the admin pages: with a story, read-only, for large tables, and with figures for the rows shown."""

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.contrib import admin
from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django.utils.html import format_html_join
from django.utils.safestring import SafeString
from unfold.admin import ModelAdmin
from unfold.views import ChangeList

from annotation.models import Chain
from backoffice.columns import chain_pk
from backoffice.large_lists import LargeList
from backoffice.links import list_of
from backoffice.of_members import OfMembers


@dataclass(frozen=True)
class Part:
    """One part of an object's story: the rows of `model` that `filters` finds, counted and linked."""

    model: type[Model]
    filters: Callable[[Any], dict[str, Any]]
    label: str = ""

    def link(self, row: Any) -> SafeString:
        """Return a link such as "judgments: 1,234"."""
        filters = self.filters(row)
        rows, page = self.model._default_manager.filter(**filters), admin.site.get_model_admin(self.model)
        if isinstance(page, OfMembers) and hasattr(row, "seen_in"):
            rows = page.limit(row.seen_in, rows, page.to_see)
        count = rows.count()
        return list_of(self.model, f"{self.label or self.model._meta.verbose_name_plural}: {count:,}", filters)


class StoryAdmin(OfMembers, ModelAdmin):
    """A page that links to the parts of its object's story."""

    parts: tuple[Part, ...] = ()
    fields: tuple[Any, ...] | None = None
    readonly_fields: tuple[Any, ...] = ()
    list_per_page = 50

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> Any:
        row = super().get_object(request, object_id, from_field)
        if row is not None:
            row.seen_in = request  # the story counts only what this user sees
        return row

    @admin.display(description="story")
    def story(self, row: Any) -> SafeString:
        return format_html_join(SafeString(" &middot; "), "{}", ((part.link(row),) for part in self.parts))


class ReadOnlyAdmin(StoryAdmin):
    """Rows that cannot be added, changed or deleted here: state changes only through the record."""

    actions: tuple[str, ...] | None = None

    def has_add_permission(self, request: HttpRequest, *args: Any) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class DeletedOnlyAdmin(StoryAdmin):
    """Rows that are deleted here, and neither added nor changed."""

    def has_add_permission(self, request: HttpRequest, *args: Any) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class LargeAdmin(LargeList, ReadOnlyAdmin):
    """A table with millions of rows: a list counts no more than it leads to."""

    show_full_result_count = False
    show_facets = admin.ShowFacets.NEVER
    ordering: tuple[str, ...] = ("-id",)


class OfChainAdmin(LargeAdmin):
    """Rows that name a chain of their image, for the column `chain_link`."""

    list_select_related: tuple[str, ...] = ("image",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return super().get_queryset(request).annotate(chain_pk=chain_pk())


class FiguresAdmin(OfMembers, ModelAdmin):
    """A list whose figures are read once for all rows on the page, and a page of one row with the same figures."""

    @abstractmethod
    def add_figures(self, rows: list[Any]) -> None:
        """Set the figures as attributes of the rows."""

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> Any:
        row = super().get_object(request, object_id, from_field)
        if row is not None:
            self.add_figures([row])
        return row

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[ChangeList]:
        add_figures = self.add_figures

        class WithFigures(ChangeList):
            def get_results(self, request: HttpRequest) -> None:
                super().get_results(request)
                add_figures(list(self.result_list))

        return WithFigures


# --- Filters of parts ---


def of_project(row: Any) -> dict[str, Any]:
    return {"project__id__exact": row.pk}


def of_image(row: Any) -> dict[str, Any]:
    return {"image__id__exact": row.pk}


def of_chain(row: Chain) -> dict[str, Any]:
    return {"image__id__exact": row.image_id, "chain__exact": row.name}


def of_worker(row: Any) -> dict[str, Any]:
    return {"worker__id__exact": row.pk}
