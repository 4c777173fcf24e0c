"""Stock mix [paper 3.3]: keep the right answers of a stock of verification questions mixed, so that no guess pays."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from heapq import heappop, heappush
from typing import Any, NamedTuple

from pipeline.rules.known.known_from_gold import Known
from pipeline.rules.tasks import box_requirement
from pipeline.rules.tasks.answers import CHOICES
from pipeline.rules.tasks.task import Task

LEAST = 30
"""Up to this many questions may lean to one answer if there are no others. In a larger stock a lean never grows."""
BUTTON_TENTHS = 6
"""One answer may be right in this many of ten questions at most."""
NONE_MISSING_TENTHS = 3
"""The most of ten questions of box drawing in which "none missing" may be right.

Some are needed: this answer makes no box that others judge, so only verification questions find a worker who always
gives it.
"""
NONE_MISSING, MISSING = "none missing", "a box is missing"
REQUIREMENT = {a.value: a.name.lower().replace("_", " ") for a in box_requirement.Answer}


class Candidate(NamedTuple):
    """A question that could be added to the stock. Lower ranks are taken first."""

    known: Known
    image: int
    rank: int = 0


def answer_of(task: Task, truth: Any) -> str:
    """Name the right answer. Box drawing has two names: a box is missing, or none is."""
    if task is Task.BOX_DRAWING:
        return MISSING if truth else NONE_MISSING
    return REQUIREMENT[truth] if task is Task.BOX_REQUIREMENT else str(truth)


def answers(task: Task) -> tuple[str, ...]:
    """Name all right answers that questions of the task can have."""
    if task is Task.BOX_DRAWING:
        return MISSING, NONE_MISSING
    return tuple(answer_of(task, truth) for truth in CHOICES[task])


def choose(
    task: Task,
    candidates: Sequence[Candidate],
    *,
    most: int,
    mix: Counter[str] | None = None,
    images: Counter[int] | None = None,
    balanced: bool = True,
) -> list[Candidate]:
    """Choose up to `most` candidates so that the stock holds each answer about equally often, from many images.

    `mix`: the answers that the stock holds already. `images`: how many of its questions come from each image. Returns
    fewer if the rest would only make a lean worse, unless `balanced` is false.
    """
    mix, images = Counter(mix), Counter(images)
    waiting: dict[str, list[Any]] = defaultdict(list)
    for place, one in enumerate(candidates):
        heappush(waiting[answer_of(task, one.known.truth)], (one.rank, images[one.image], place, one))
    chosen: list[Candidate] = []
    while len(chosen) < most:
        free = [a for a in answers(task) if waiting[a] and (not balanced or may_add(task, mix, a))]
        if not free:
            break
        answer = min(free, key=lambda a: mix[a] / _weight(task, a))
        chosen.append(_next(waiting[answer], images))
        mix[answer] += 1
        images[chosen[-1].image] += 1
    return chosen


def _next(waiting: list[tuple[int, int, int, Candidate]], images: Counter[int]) -> Candidate:
    """Take the candidate with the lowest rank, of these the one from the least used image.

    The counts in the heap can be out of date; a candidate with an old count goes back with the new one.
    """
    while True:
        rank, used, place, candidate = heappop(waiting)
        if used == images[candidate.image]:
            return candidate
        heappush(waiting, (rank, images[candidate.image], place, candidate))


def _weight(task: Task, answer: str) -> int:
    if task is not Task.BOX_DRAWING:
        return 1
    return NONE_MISSING_TENTHS if answer == NONE_MISSING else 10 - NONE_MISSING_TENTHS


def may_add(task: Task, mix: Counter[str], answer: str) -> bool:
    """Return whether a stock with this mix may get one more question with this answer."""
    after, total = mix[answer] + 1, mix.total() + 1
    if task is Task.BOX_DRAWING:
        return answer == MISSING or 10 * after <= NONE_MISSING_TENTHS * total
    return total <= LEAST or 10 * after <= BUTTON_TENTHS * total


def lean(task: Task, mix: Counter[str]) -> str:
    """Describe what is wrong with the mix; empty if nothing is, or if the stock has fewer than 30 questions."""
    total = mix.total()
    if total < LEAST:
        return ""
    if task is Task.BOX_DRAWING:
        wrong = 10 * mix[NONE_MISSING] > NONE_MISSING_TENTHS * total
        return f"“none missing” is right in {mix[NONE_MISSING] / total:.0%}; it should be at most 30 %" if wrong else ""
    answer = max(answers(task), key=lambda a: mix[a])
    wrong = 10 * mix[answer] > BUTTON_TENTHS * total
    return (
        f"“{answer}” is right in {mix[answer] / total:.0%}: a worker who always says so is hard to find"
        if wrong
        else ""
    )
