"""Columns and filters that the admin lists of platforms share."""

from collections.abc import Callable
from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from unfold.decorators import display

from backoffice.filters import OneOf, ProjectIdFilter
from platforms.registry import PLATFORMS
from reports.owed_text import amount

COLOURS = {
    **{"planned": "info", "sent": "warning", "done": "success", "refused": "danger"},
    **{"open": "success", "ending": "warning", "ended": "default"},
    **{"finished": "info", "left": "default"},
    **{"submitted": "warning", "approved": "success", "rejected": "danger", "returned": "default"},
}


def label(field: str, description: str = "") -> Callable[[Any], str]:
    """A column with the field's value in its colour."""

    @display(description=description or field, ordering=field, label=COLOURS)
    def column(row: Any) -> str:
        return getattr(row, field) or "-"

    return column


def money(field: str, description: str) -> Callable[[Any], str]:
    """A column of cents, as an amount."""

    @admin.display(description=description, ordering=field)
    def column(row: Any) -> str:
        return amount(getattr(row, field))

    return column


def platform_filter(path: str = "platform") -> type[OneOf]:
    """Over the platforms that there are; no table is read to list them."""
    values = tuple((name, name) for name in sorted(PLATFORMS))
    return type("PlatformFilter", (OneOf,), {"title": "platform", "parameter_name": path, "values": values})


class ThroughProjectFilter(ProjectIdFilter):
    """For rows that lead to the row that knows the project."""

    parameter_name = "offer__project_id"

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        wanted = self.value() or ""
        return queryset.filter(**{self.parameter_name: wanted}) if wanted.isdecimal() else queryset


class FarProjectFilter(ThroughProjectFilter):
    parameter_name = "session__offer__project_id"
