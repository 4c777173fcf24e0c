"""Gold needed [beyond paper 3]: how many more images must be annotated until every task has enough known questions.

What an image gives is learned from the images that were annotated already, beginning with what one image of Flickr30k
Entities gives on average.
"""

from collections import Counter
from collections.abc import Mapping
from math import floor

from pipeline.known.question_mix import answer_names, kinds_of, may_add
from pipeline.protocol.tasks.task import Task
from pipeline.settings.of_work import TrustSettings

BEYOND_PROBATION = 10
"""Verification questions beyond probation, so that a newcomer who passes is measured afterwards, too."""
USUAL: Mapping[Task, Mapping[str, float]] = {
    Task.COREFERENCE_LINK: {"same": 11.6, "different": 10.8},
    Task.CHAIN_VERIFICATION: {"true": 3.3, "false": 2.0},
    Task.BOX_REQUIREMENT: {"box": 3.1, "scene": 0.8, "no box": 0.4},
    Task.BOX_DRAWING: {"a box is missing": 6.5, "none missing": 6.5},
    Task.BOX_QUALITY: {"good": 6.5, "bad": 6.5},
    Task.BOX_COVERAGE: {"all there": 6.5, "more needed": 5.9},
}
"""Questions that an image gives, by right answer: the mean of 300 images of Flickr30k Entities.

Their copy has no chains without a box. "Scene" follows from the paper's Table 4 (1.5 chains of type scene an image,
with 0.62 boxes each); "no box" is a guess.
"""
USUAL_IMAGES = 2
"""Images that the usual numbers count for, beside those that were annotated."""
MAX_IMAGES = 500
"""More images than this are never asked for: the number then says "more than"."""


def least_questions(settings: TrustSettings) -> int:
    """Return the verification questions that a task must have before it can open to newcomers: 40 by default."""
    return settings.probation + BEYOND_PROBATION


def recommended_questions(settings: TrustSettings) -> int:
    """Return the verification questions that cover the longest probation and some more: 70 by default."""
    return settings.probation_most + BEYOND_PROBATION


def usable(task: Task, found: Counter[str], most: int | None = None) -> int:
    """Return how many of the questions found, at `most`, can be in a stock whose right answers are well mixed."""
    total = 0
    for kind in kinds_of(task):
        left, mix = Counter(found), Counter[str]()
        while most is None or total + mix.total() < most:
            free = [answer for answer in answer_names(kind) if left[answer] and may_add(kind, mix, answer)]
            if not free:
                break
            answer = min(free, key=lambda one: mix[one])
            left[answer] -= 1
            mix[answer] += 1
        total += mix.total()
    return total


def images_needed(task: Task, target: int, *, found: Counter[str], images: int, others: Counter[str]) -> int | None:
    """Return how many more images give the task `wanted` questions; None if more than `MAX_IMAGES`.

    `found`: questions by right answer that the `images` annotated so far give; `others`: questions of the stock that
    come from elsewhere.
    """
    there = found + others
    rates = {
        answer: (USUAL_IMAGES * USUAL[task].get(answer, 0) + found[answer]) / (USUAL_IMAGES + images)
        for kind in kinds_of(task)
        for answer in answer_names(kind)
    }

    def reached(more: int) -> bool:
        """Tell whether this number of more images is enough."""
        after = Counter({answer: there[answer] + floor(more * rate) for answer, rate in rates.items()})
        return usable(task, after, target) >= target

    if not reached(MAX_IMAGES):
        return None
    low, high = 0, MAX_IMAGES
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if reached(middle) else (middle + 1, high)
    return low
