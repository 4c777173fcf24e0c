"""A cache of the stock in each process, so that asking verification questions costs no statements of its own.

A verification question never changes: it is only added or retired. Then the stock's stamp, which every lease reads,
changes.
"""

from collections.abc import Iterable
from functools import lru_cache

from pipeline.models import KnownQuestion
from pipeline.protocol.tasks.task import Task

MAX_CACHED_QUESTIONS = 20_000
"""Verification questions that a process keeps by id."""
EMPTY = "0 0"
"""The stamp of an empty stock."""

_by_id: dict[int, KnownQuestion] = {}


def known_by_id(ids: Iterable[int]) -> dict[int, KnownQuestion]:
    """Return verification questions by id, each with its image, retired or not.

    All callers share the same objects: do not change them.
    """
    found = {number: _by_id.get(number) for number in set(ids)}
    missing = [number for number, known in found.items() if known is None]
    read = _remember(KnownQuestion.objects.filter(id__in=missing).select_related("image")) if missing else ()
    return {number: known for number, known in found.items() if known is not None} | {known.id: known for known in read}


@lru_cache(maxsize=256)
def known_questions_of(project_id: int, task: Task, stamp: str) -> tuple[KnownQuestion, ...]:
    """Return the task's questions that can be asked, for every purpose. `stamp`: see `pipeline.asking.admission`."""
    rows = KnownQuestion.objects.filter(project_id=project_id, task=task.value, retired_at=None)
    return _remember(rows.select_related("image").order_by("id"))


@lru_cache(maxsize=256)
def alike_of(project_id: int, task: Task, stamp: str) -> dict[str, int]:
    """Return the ids of the stock's questions by the digest of what they show: a real question may show the same."""
    return {known.key: known.id for known in known_questions_of(project_id, task, stamp)}


def forget() -> None:
    """Empty the cache. Only tests need it: they use the same ids for other questions."""
    known_questions_of.cache_clear()
    alike_of.cache_clear()
    _by_id.clear()


def _remember(rows: Iterable[KnownQuestion]) -> tuple[KnownQuestion, ...]:
    found = tuple(rows)
    if len(_by_id) + len(found) > MAX_CACHED_QUESTIONS:
        _by_id.clear()
    _by_id.update((row.id, row) for row in found)
    return found
