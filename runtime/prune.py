"""Deletes or empties rows that nobody needs any more, in short transactions, so that no one waits for it.

A table is walked by its primary key, some thousand rows at a time. Each step is a transaction of its own: whatever ends
the walk, what was deleted stays deleted, and the next walk finds the rest.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db.models import Model, QuerySet

STEP = 5_000
"""The most rows that one step looks at."""


@dataclass(frozen=True, slots=True)
class PruneRule:
    """Rows that are needed for a time, and no longer."""

    name: str
    """The name under which RETENTION gives the days."""
    model: type[Model]
    due: Callable[[QuerySet[Any], datetime], QuerySet[Any]]
    """Takes rows and the moment before which they are old. Returns those of them that may go."""
    emptied: Mapping[str, Any] = field(default_factory=dict)
    """Fields that are emptied, with their new value, where the row itself stays."""

    def __str__(self) -> str:
        return f"{self.name}: {self.model._meta.verbose_name_plural}"


def count_due(rule: PruneRule, before: datetime) -> int:
    """Return the number of rows that `prune` would delete or empty."""
    return rule.due(rule.model._default_manager.all(), before).count()


def prune(rule: PruneRule, before: datetime) -> Iterator[int]:
    """Delete or empty the rows that are old, in steps. Yields the number of rows of each step."""
    rows = rule.model._default_manager.order_by("pk")
    after: Any = None
    while True:
        rest = rows if after is None else rows.filter(pk__gt=after)
        last = list(rest.values_list("pk", flat=True)[STEP - 1 : STEP])
        step = rest.filter(pk__lte=last[0]) if last else rest
        old = rule.due(step.order_by(), before)
        yield old.update(**rule.emptied) if rule.emptied else old.delete()[0]
        if not last:
            return
        after = last[0]
