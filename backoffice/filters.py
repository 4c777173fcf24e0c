"""Filters for the admin's lists over values that are known beforehand: no table is read to list them."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from annotation.models import Project
from pipeline.rules.image.image_machine import EntryKind
from pipeline.rules.tasks.task import Task


class OneOf(admin.SimpleListFilter):
    """Rows whose field `parameter_name` has the chosen one of `values`."""

    values: tuple[tuple[str, str], ...] = ()

    def lookups(self, request: HttpRequest, model_admin: Any) -> tuple[tuple[str, str], ...]:
        return self.values

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        # A value from a hand-written address that is none of these finds nothing, as it should.
        return queryset.filter(**{str(self.parameter_name): self.value()}) if self.value() else queryset


class KindFilter(OneOf):
    title = parameter_name = "kind"
    values = tuple((kind.value, kind.value) for kind in EntryKind)


class MachineFilter(OneOf):
    title = parameter_name = "machine"
    values = tuple((machine, machine) for machine in ("image", "chain", "question", "box"))


class TaskFilter(OneOf):
    title = parameter_name = "task"
    values = tuple((task.value, task.label) for task in Task)


class ProjectIdFilter(admin.SimpleListFilter):
    """For rows that know their project by id alone."""

    title = "project"
    parameter_name = "project_id"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [(str(project.pk), project.name) for project in Project.objects.order_by("name")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        wanted = self.value() or ""
        return queryset.filter(project_id=wanted) if wanted.isdecimal() else queryset
