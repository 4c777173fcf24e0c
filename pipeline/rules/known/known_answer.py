"""Known answer [paper 3.3]: whether an answer to a verification question is right."""

from collections.abc import Sequence
from typing import Any

from annotation.rules.box import Box, iou
from pipeline.rules.tasks import box_coverage, box_quality, box_requirement, chain_verification, coreference_link
from pipeline.rules.tasks.task import Task

RIGHT_IOU = 0.5
"""A drawn box is right from this overlap with a known box not yet shown on."""
TRUTHS: dict[Task, list[Any]] = {
    Task.COREFERENCE_LINK: [answer.value for answer in coreference_link.Answer],
    Task.CHAIN_VERIFICATION: [answer.value for answer in chain_verification.Answer],
    Task.BOX_REQUIREMENT: [a.value for a in box_requirement.Answer if a is not box_requirement.Answer.NONE_MISSING],
    Task.BOX_QUALITY: [answer.value for answer in box_quality.Answer],
    Task.BOX_COVERAGE: [answer.value for answer in box_coverage.Answer],
}
"""What can be known of a question, for all tasks but box drawing: there it is the list of the boxes not yet shown."""


def is_right(task: Task, truth: Any, answer: Any) -> bool:
    """Whether the answer, of a shape that `check_answer` took, is the known one.

    `truth`: the answer itself; for box drawing the known boxes that are not shown yet, [[x0, y0, x1, y1], ...]: a box
    is right if it overlaps one of them enough, and "none missing" if there is none.
    """
    if task is not Task.BOX_DRAWING:
        return bool(answer == truth)
    if "box" not in answer:
        return not truth
    return any(iou(Box(*answer["box"]), Box(*known)) >= RIGHT_IOU for known in truth)


def fits_task(task: Task, truth: Any) -> bool:
    """Whether this can be the truth of a question of the task."""
    if task is not Task.BOX_DRAWING:
        return any(truth == known and type(truth) is type(known) for known in TRUTHS[task])
    return isinstance(truth, list) and all(_is_box(box) for box in truth)


def _is_box(edges: Any) -> bool:
    whole = isinstance(edges, Sequence) and len(edges) == 4 and all(type(edge) is int for edge in edges)
    return whole and Box(*edges).area > 0
