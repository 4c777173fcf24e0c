"""Known answer [paper 3.3]: whether an answer to a verification question is right."""

from collections.abc import Sequence
from typing import Any

from annotation.rules.box import Box, iou
from pipeline.rules.tasks import caption_check
from pipeline.rules.tasks.answers import fault_in, is_choice
from pipeline.rules.tasks.task import Task

RIGHT_IOU = 0.5
"""A drawn box is right if its IOU with a known box that is not shown yet is at least this."""


def is_right(task: Task, truth: Any, answer: Any) -> bool:
    """Return whether an answer, in which `fault_in` found no fault, is right.

    `truth`: the right answer; for box drawing the known boxes that are not shown yet, [[x0, y0, x1, y1], ...]. A drawn
    box is right if it overlaps one of them enough; "none missing" is right if there is none. A caption check is right
    by its verdict and, where the truth names the wrong word, by its place.
    """
    if task is Task.CAPTION_CHECK:
        return caption_check.is_right(truth, answer)
    if task is not Task.BOX_DRAWING:
        return bool(answer == truth)
    if "box" not in answer:
        return not truth
    return any(iou(Box(*answer["box"]), Box(*known)) >= RIGHT_IOU for known in truth)


def fits_task(task: Task, truth: Any, *, words: int = 0) -> bool:
    """Return whether this can be the truth of a question of the task. `words`: as in `answers.fault_in`."""
    if task is Task.CAPTION_CHECK:
        verdict_alone = truth == {"verdict": caption_check.Verdict.WRONG.value}
        return verdict_alone or fault_in(task, truth, 1, 1, words=words) is None
    if task is not Task.BOX_DRAWING:
        return is_choice(task, truth)
    return isinstance(truth, list) and all(_is_box(box) for box in truth)


def _is_box(edges: Any) -> bool:
    whole = isinstance(edges, Sequence) and len(edges) == 4 and all(type(edge) is int for edge in edges)
    return whole and Box(*edges).area > 0
