"""Stock mix [paper 3.3]: how often each answer is right in a stock, so that no button is a good guess."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from heapq import heappop, heappush
from typing import Any, NamedTuple

from pipeline.rules.known.known_answer import TRUTHS
from pipeline.rules.known.known_from_gold import Known
from pipeline.rules.tasks import box_requirement
from pipeline.rules.tasks.task import Task

LEAST = 30
"""So many questions may lean to one answer where there are no others; with more, nothing is added to the lean."""
BUTTON_TENTHS = 6
"""No button may be right more often than in so many of ten questions."""
NONE_MISSING_TENTHS = 3
""""None missing" makes no box that anybody would look at: only verification questions show who always says so."""
NONE_MISSING, MISSING = "none missing", "a box is missing"
REQUIREMENT = {a.value: a.name.lower().replace("_", " ") for a in box_requirement.Answer}


class Candidate(NamedTuple):
    """A question that could be added. `rank`: the lowest is taken first."""

    known: Known
    image: int
    rank: int = 0


def answer_of(task: Task, truth: Any) -> str:
    """The right answer, by its kind: a drawing has as many as there are boxes."""
    if task is Task.BOX_DRAWING:
        return MISSING if truth else NONE_MISSING
    return REQUIREMENT[truth] if task is Task.BOX_REQUIREMENT else str(truth)


def answers(task: Task) -> tuple[str, ...]:
    """What can be right in a question of the task."""
    if task is Task.BOX_DRAWING:
        return MISSING, NONE_MISSING
    return tuple(answer_of(task, truth) for truth in TRUTHS[task])


def choose(
    task: Task,
    candidates: Sequence[Candidate],
    *,
    most: int,
    mix: Counter[str] | None = None,
    images: Counter[int] | None = None,
    balanced: bool = True,
) -> list[Candidate]:
    """Up to `most` of them, each answer about equally often together with what is there (`mix`, and how often from
    which image: `images`), and from as many images as possible. Fewer where the rest would only add to a lean.
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
    """Of the lowest rank the one from the image least used; those waiting don't know how often it was used since."""
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
    """Whether a stock of this mix may get one more question of this answer."""
    after, total = mix[answer] + 1, mix.total() + 1
    if task is Task.BOX_DRAWING:
        return answer == MISSING or 10 * after <= NONE_MISSING_TENTHS * total
    return total <= LEAST or 10 * after <= BUTTON_TENTHS * total


def lean(task: Task, mix: Counter[str]) -> str:
    """What is wrong with the mix, in words; empty: nothing. A stock of a few questions is not looked at."""
    total = mix.total()
    if total < LEAST:
        return ""
    if task is Task.BOX_DRAWING:
        wrong = 10 * mix[NONE_MISSING] > NONE_MISSING_TENTHS * total
        return f"“none missing” is right in {mix[NONE_MISSING] / total:.0%}; let it be at most 30 %" if wrong else ""
    answer = max(answers(task), key=lambda a: mix[a])
    wrong = 10 * mix[answer] > BUTTON_TENTHS * total
    return f"“{answer}” is right in {mix[answer] / total:.0%}: who always says so is hardly found out" if wrong else ""
