"""Check an answer's shape before it is stored: a stored judgment must be one that its rule can read."""

from math import isfinite
from typing import Any

from annotation.rules.box import Box
from pipeline.errors import BadAnswerError
from pipeline.rules.tasks import box_coverage, box_quality, box_requirement, chain_verification, coreference_link
from pipeline.rules.tasks.task import Task

COMMENT_LENGTH = 1000
"""The longest comment in characters, as its column holds it."""
CHOICES: dict[Task, list[Any]] = {
    Task.COREFERENCE_LINK: [answer.value for answer in coreference_link.Answer],
    Task.CHAIN_VERIFICATION: [answer.value for answer in chain_verification.Answer],
    Task.BOX_REQUIREMENT: [a.value for a in box_requirement.Answer if a is not box_requirement.Answer.NONE_MISSING],
    Task.BOX_QUALITY: [answer.value for answer in box_quality.Answer],
    Task.BOX_COVERAGE: [answer.value for answer in box_coverage.Answer],
}


def check_answer(task: Task, answer: Any, width: int, height: int) -> None:
    """Raises BadAnswerError in words a worker understands. `width`, `height`: the upright image's, in pixels."""
    if task is not Task.BOX_DRAWING:
        # `True == 1` in Python, so the type counts too.
        if not any(answer == choice and type(answer) is type(choice) for choice in CHOICES[task]):
            raise BadAnswerError(f"The answer to {task.label} must be one of {CHOICES[task]}, not {answer!r}.")
        return
    if answer == {"none_missing": True}:
        return
    if not isinstance(answer, dict) or set(answer) != {"box"}:
        raise BadAnswerError('A drawing is {"box": [x0, y0, x1, y1]} or {"none_missing": true}.')
    box = answer["box"]
    if not isinstance(box, list) or len(box) != 4 or any(type(edge) is not int for edge in box):
        raise BadAnswerError(f"A box has four edges in whole pixels, not {box!r}.")
    if not Box(*box).fits(width, height):
        raise BadAnswerError(f"The box {box} is empty or lies outside the image of {width} x {height} pixels.")


def check_remarks(comment: str, seconds: float | None) -> None:
    """What comes with an answer must fit the database and JSON. Raises BadAnswerError."""
    if len(comment) > COMMENT_LENGTH or "\0" in comment:
        raise BadAnswerError(f"A comment has at most {COMMENT_LENGTH} characters, and no NUL among them.")
    if seconds is not None and not (isfinite(seconds) and seconds >= 0):
        raise BadAnswerError(f"The seconds an answer took are a number from 0, not {seconds}.")
