"""Count the rows that deleting a project takes along, and those that forbid it, for the page that asks first."""

from dataclasses import dataclass
from typing import Any

from django.db import models
from django.db.models import ForeignObjectRel, Model, Q

from annotation.models import Project
from pipeline.models import Assignment, Judgment, LedgerEntry
from platforms.models import Offer, Recruitment, Screening
from workers.models import TrustChange

WHY_PROTECTED: dict[type[Model], str] = {
    Assignment: "workers were given questions",
    Judgment: "workers answered questions",
    LedgerEntry: "money was paid, promised or refused",
    TrustChange: "trust in workers was decided",
    Offer: "work was offered on a platform",
    Recruitment: "workers are or were recruited on a platform",
    Screening: "a platform was told who passed a test",
}


@dataclass(frozen=True)
class Related:
    """The number of rows of one model that hang on a project, and the field paths by which they do."""

    model: type[Model]
    paths: tuple[str, ...]
    count: int

    @property
    def label(self) -> str:
        """The rows in words, such as "judgments: 1,234"."""
        return f"{self.model._meta.verbose_name_plural}: {self.count:,}"

    @property
    def why(self) -> str:
        """The reason why such rows keep the project from being deleted; empty: they do not."""
        return WHY_PROTECTED.get(self.model, "")


@dataclass(frozen=True)
class Deletion:
    """The rows that hang on a project, by what happens to them when it is deleted."""

    deleted: list[Related]
    protected: list[Related]


def plan_deletion(project: Project) -> Deletion:
    """Follow the foreign keys to the project as Django does on deleting, but only count the rows.

    Django's own plan would load and list each of a project's rows, which can be millions.
    """
    deleted: dict[type[Model], list[str]] = {}
    protected: dict[type[Model], list[str]] = {}
    level: dict[type[Model], list[str]] = {Project: []}
    while level:
        # Only the shortest paths count: a row with a project of its own is in the project of its image.
        seen = deleted.keys() | protected.keys()
        found: dict[type[Model], list[str]] = {}
        for model, paths in level.items():
            for relation in _relations_to(model):
                child: Any = relation.related_model
                if child not in seen:
                    group = found if relation.on_delete is models.CASCADE else protected
                    name = relation.field.name
                    group.setdefault(child, []).extend([f"{name}__{path}" for path in paths] or [name])
        deleted |= found
        level = found
    return Deletion(_counted(project, deleted), _counted(project, protected))


def _relations_to(model: type[Model]) -> list[ForeignObjectRel]:
    relations = [field for field in model._meta.get_fields(include_hidden=True) if isinstance(field, ForeignObjectRel)]
    return [one for one in relations if one.on_delete in (models.CASCADE, models.PROTECT)]


def _counted(project: Project, found: dict[type[Model], list[str]]) -> list[Related]:
    related = []
    for model, paths in found.items():
        ours = Q()
        for path in paths:
            ours |= Q(**{path: project.pk})
        count = model._default_manager.filter(ours).count()
        if count:
            related.append(Related(model, tuple(paths), count))
    return sorted(related, key=lambda one: str(one.model._meta.verbose_name_plural))
