"""Assignments whose questions about one image follow one another: what that saves, and what it tells a worker.

Nothing of this is part of the service. The draw of the service is replaced while workers are watched.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from statistics import mean
from typing import Any, TypeVar
from unittest.mock import patch

from django.db import transaction

from pipeline.asking import draw_items, lease_assignment
from pipeline.asking.draw_items import Drawn
from pipeline.asking.read_assignment import Item
from pipeline.models import KnownQuestion, Question
from pipeline.rules.settings.protocol import BATCH, USUAL_SECONDS
from pipeline.rules.tasks.task import Task
from pipeline.stock.stock_cache import forget
from studies.question_leak.evidence import Evidence, strongest_part
from studies.question_leak.views import order
from studies.question_leak.watch import WATCHED, Shift, watch
from studies.question_leak.world import World

WAYS = ("as it is", "real ones only", "both kinds")
"""Kinds of questions that are grouped."""
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Gain:
    """The questions of a task that show the picture of the question before."""

    following: float
    """Their share."""
    following_known: float
    """Their share among verification questions."""
    saved: dict[float, float]
    """The share of the paper's time for a question that is saved, by the seconds that finding one's way takes."""


@dataclass(frozen=True, slots=True)
class Grouped:
    """The result of one way of grouping."""

    leak: Evidence
    gains: dict[Task, Gain]


def look_at(world: World, way: str, most: int, rounds: int, searches: Sequence[float]) -> Grouped:
    """Watch the workers while up to `most` questions of an image follow one another, and undo all of it."""
    with ExitStack() as stack:
        stack.enter_context(transaction.atomic())
        if way != "as it is":
            stack.enter_context(_grouped(most, both=way == "both kinds"))
        shifts = watch(world, rounds, places=(), before=())
        transaction.set_rollback(True)
    forget()
    # Task by task: in one task tests may follow their picture more often than other questions, in another less.
    leaks = [order([shift for shift in shifts if shift.task is task]) for task in WATCHED]
    return Grouped(strongest_part(leaks), _gains(shifts, searches))


def _gains(shifts: Iterable[Shift], searches: Sequence[float]) -> dict[Task, Gain]:
    rows: dict[Task, list[tuple[float, bool]]] = defaultdict(list)
    for shift in shifts:
        rows[shift.task] += [
            (row["same image before"], known) for row, known in zip(shift.rows, shift.known, strict=True)
        ]
    return {task: _gain(task, some, searches) for task, some in rows.items()}


def _gain(task: Task, rows: Sequence[tuple[float, bool]], searches: Sequence[float]) -> Gain:
    following = mean(same for same, _ in rows)
    known = [same for same, is_known in rows if is_known]
    each = USUAL_SECONDS[task] / BATCH[task]
    return Gain(following, mean(known) if known else 0.0, {search: following * search / each for search in searches})


@contextmanager
def _grouped(most: int, *, both: bool) -> Iterator[None]:
    draw, different, plain = draw_items.draw_items, draw_items._of_different_images, draw_items._choose_known

    def of_runs(rows: Sequence[T], images: Sequence[int], size: int, recent: Iterable[int], _: object) -> list[T]:
        seen, parts = set(recent), defaultdict[int, list[T]](list)
        for row, image in zip(rows, images, strict=True):
            parts[image].append(row)
        new = [row for image, part in parts.items() if image not in seen for row in part[:most]]
        old = [row for image, part in parts.items() if image in seen for row in part]
        return [*new, *old][:size]

    def in_runs(*args: Any) -> Drawn:
        drawn = draw(*args)
        behind = dict(zip([one.id for one in drawn.items if isinstance(one, KnownQuestion)], drawn.spare, strict=False))
        items = _in_random_runs(drawn.items) if both else _together(drawn.items)
        spare = [behind[one.id] for one in items if isinstance(one, KnownQuestion)] if drawn.spare else []
        return drawn._replace(items=items, spare=spare)

    def singly(*args: Any) -> list[KnownQuestion]:
        with patch.object(draw_items, "_of_different_images", different):
            return plain(*args)

    with ExitStack() as stack:
        stack.enter_context(patch.object(lease_assignment, "draw_items", in_runs))
        stack.enter_context(patch.object(draw_items, "_of_different_images", of_runs))
        if not both:
            stack.enter_context(patch.object(draw_items, "_choose_known", singly))
        yield


def _in_random_runs(items: Sequence[Item]) -> list[Item]:
    """Put whole runs of both kinds into random order."""
    runs = defaultdict[int, list[Item]](list)
    for item in items:
        runs[item.image_id].append(item)
    lot = str(sorted(item.id for item in items))
    return [one for image in sorted(runs, key=lambda image: draw_items._lot(lot, "run", image)) for one in runs[image]]


def _together(items: Sequence[Item]) -> list[Item]:
    """Put the real questions of an image behind the first of them. Verification questions stay at their places."""
    first: dict[int, int] = {}
    for place, item in enumerate(items):
        if isinstance(item, Question):
            first.setdefault(item.image_id, place)
    real = iter(sorted((one for one in items if isinstance(one, Question)), key=lambda one: first[one.image_id]))
    return [next(real) if isinstance(one, Question) else one for one in items]
