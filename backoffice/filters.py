"""Filters of the admin's lists. Their choices are known beforehand, so no table is read to list them."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from pipeline.protocol.image.machine import EntryKind
from pipeline.protocol.tasks.task import Task
from platforms.registry import PLATFORMS
from workers.rules.signals.signal import SignalKind


class OneOf(admin.SimpleListFilter):
    """Rows whose field `parameter_name` has the chosen one of `values`."""

    values: tuple[tuple[str, str], ...] = ()

    def lookups(self, request: HttpRequest, model_admin: Any) -> tuple[tuple[str, str], ...]:
        return self.values

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        # An unknown value in an address typed by hand finds nothing, as it should.
        return queryset.filter(**{str(self.parameter_name): self.value()}) if self.value() else queryset


class EntryKindFilter(OneOf):
    title = parameter_name = "kind"
    values = tuple((kind.value, kind.value) for kind in EntryKind)


class MachineFilter(OneOf):
    title = parameter_name = "machine"
    values = tuple((machine, machine) for machine in ("image", "chain", "question", "box"))


class SignalKindFilter(OneOf):
    title = parameter_name = "kind"
    values = tuple((kind.value, kind.value) for kind in SignalKind)


class TaskFilter(OneOf):
    title = parameter_name = "task"
    values = tuple((task.value, task.label) for task in Task)


def platform_filter(path: str = "platform") -> type[OneOf]:
    """Return a filter by platform; `path` leads from the row to the platform's name."""
    values = tuple((name, name) for name in sorted(PLATFORMS))
    return type("PlatformFilter", (OneOf,), {"title": "platform", "parameter_name": path, "values": values})
