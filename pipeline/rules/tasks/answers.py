"""Answers [paper 3.1, 3.2]: what a worker may answer to each of the six tasks."""

from collections.abc import Iterable, Mapping
from enum import Enum
from typing import Annotated, Any, Literal, get_args

from annotated_types import Len
from pydantic import ConfigDict, TypeAdapter, ValidationError, with_config
from typing_extensions import TypedDict

from annotation.rules.box import Box
from pipeline.rules.tasks import box_coverage, box_quality, box_requirement, chain_verification, coreference_link
from pipeline.rules.tasks.task import Task

SHAPE = ConfigDict(extra="forbid", strict=True)
Edges = Annotated[list[int], Len(4, 4)]
"""[x0, y0, x1, y1] in whole pixels of the upright image, half open."""


@with_config(SHAPE)
class DrawnBox(TypedDict):
    box: Edges


@with_config(SHAPE)
class NoneMissing(TypedDict):
    none_missing: Literal[True]


Drawing = DrawnBox | NoneMissing
"""The answer to box drawing."""


def _values(answers: Iterable[Enum]) -> tuple[Any, ...]:
    return tuple(answer.value for answer in answers)


CHOICES: Mapping[Task, tuple[Any, ...]] = {
    Task.COREFERENCE_LINK: _values(coreference_link.Answer),
    Task.CHAIN_VERIFICATION: _values(chain_verification.Answer),
    # Nobody can choose NONE_MISSING: it is the vote of a worker who drew nothing.
    Task.BOX_REQUIREMENT: _values(a for a in box_requirement.Answer if a is not box_requirement.Answer.NONE_MISSING),
    Task.BOX_QUALITY: _values(box_quality.Answer),
    Task.BOX_COVERAGE: _values(box_coverage.Answer),
}
"""The answers to choose from, for every task but box drawing."""


def drawing(box: Iterable[int] | None) -> Drawing:
    """The answer that draws this box; None: the answer that none is missing."""
    return {"none_missing": True} if box is None else {"box": list(box)}


NONE_MISSING = drawing(None)
DRAWN_BOX = TypeAdapter(DrawnBox)


def is_choice(task: Task, answer: Any) -> bool:
    """Whether the answer is one of the task's choices. `True == 1` and `1.0 == 1` in Python, so the type counts too."""
    return type(answer) in (str, int) and answer in CHOICES[task]


def fault_in(task: Task, answer: Any, width: int, height: int) -> str | None:
    """Return what is wrong with an answer, in words for the worker; None: its task's rule can read it.

    `width`, `height`: of the upright image, in pixels.
    """
    if task is not Task.BOX_DRAWING:
        if is_choice(task, answer):
            return None
        return f"The answer to {task.label} must be one of {list(CHOICES[task])}, not {answer!r}."
    if answer == NONE_MISSING:
        return None
    try:
        box = Box(*DRAWN_BOX.validate_python(answer)["box"])
    except ValidationError:
        if isinstance(answer, dict) and set(answer) == {"box"}:
            return f"A box has four edges in whole pixels, not {answer['box']!r}."
        return 'A drawing is {"box": [x0, y0, x1, y1]} or {"none_missing": true}.'
    if not box.fits(width, height):
        return f"The box {list(box)} is empty or lies outside the image of {width} x {height} pixels."
    return None


def schema_of(task: Task) -> dict[str, Any]:
    """The JSON schema of the answers to a task."""
    if task is Task.BOX_DRAWING:
        return {"oneOf": [TypeAdapter(shape).json_schema() for shape in get_args(Drawing)]}
    kind = "integer" if task is Task.BOX_REQUIREMENT else "string"
    return {"type": kind, "enum": list(CHOICES[task])}
