"""The stock of verification questions as a process remembers it, so that asking one costs no statement of its own.

What is asked never changes; a question is only added or retired, and then the stamp, read with every lease, changes.
"""

from collections.abc import Iterable
from functools import lru_cache

from pipeline.models import KnownQuestion
from pipeline.rules.tasks.task import Task

MOST = 20_000
"""Verification questions that a process remembers by id."""
EMPTY = "0 0"
"""The stamp of a stock without any questions."""

_by_id: dict[int, KnownQuestion] = {}


def known_by_id(ids: Iterable[int]) -> dict[int, KnownQuestion]:
    """Each with its image, retired or not; the same object for everybody: not to be changed."""
    found = {number: _by_id.get(number) for number in set(ids)}
    missing = [number for number, known in found.items() if known is None]
    read = _remember(KnownQuestion.objects.filter(id__in=missing).select_related("image")) if missing else ()
    return {number: known for number, known in found.items() if known is not None} | {one.id: one for one in read}


@lru_cache(maxsize=256)
def stock_of(project_id: int, task: Task, stamp: str) -> tuple[KnownQuestion, ...]:
    """What can be asked of the task, for every purpose, as of the stamp (`pipeline.asking.admission`)."""
    rows = KnownQuestion.objects.filter(project_id=project_id, task=task.value, retired_at=None)
    return _remember(rows.select_related("image").order_by("id"))


@lru_cache(maxsize=256)
def alike_of(project_id: int, task: Task, stamp: str) -> dict[str, int]:
    """The stock's questions, by id, by the digest of what they show: a real question may show the same."""
    return {one.key: one.id for one in stock_of(project_id, task, stamp)}


def forget() -> None:
    """For tests, which use the same ids for other questions."""
    stock_of.cache_clear()
    alike_of.cache_clear()
    _by_id.clear()


def _remember(rows: Iterable[KnownQuestion]) -> tuple[KnownQuestion, ...]:
    found = tuple(rows)
    if len(_by_id) + len(found) > MOST:
        _by_id.clear()
    _by_id.update((row.id, row) for row in found)
    return found
