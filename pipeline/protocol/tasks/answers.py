"""Answers [paper 3.1, 3.2]: what a worker may answer to each task."""

from collections.abc import Iterable, Mapping, Sequence
from enum import Enum, StrEnum
from typing import Annotated, Any, Literal, NotRequired, get_args

from annotated_types import Len
from pydantic import ConfigDict, Field, TypeAdapter, ValidationError, with_config
from typing_extensions import TypedDict

from annotation.rules.box import Box
from annotation.rules.transitivity import Pair
from pipeline.protocol.tasks.box_coverage import CoverageAnswer
from pipeline.protocol.tasks.box_quality import BoxQualityAnswer
from pipeline.protocol.tasks.box_requirement import RequirementAnswer
from pipeline.protocol.tasks.chain_verification import VerificationAnswer
from pipeline.protocol.tasks.coreference_link import PARTS, CoreferenceAnswer, PartAnswer, replies_in
from pipeline.protocol.tasks.survey import MAX_WORD_LENGTH, AtomAnswer
from pipeline.protocol.tasks.task import Task

SHAPE = ConfigDict(extra="forbid", strict=True)
Edges = Annotated[list[int], Len(4, 4)]
"""[x0, y0, x1, y1] in whole pixels of the upright image, half open."""


@with_config(SHAPE)
class DrawnBox(TypedDict):
    box: Edges


@with_config(SHAPE)
class NoneMissing(TypedDict):
    none_missing: Literal[True]


@with_config(SHAPE)
class Touched(TypedDict):
    """The answer to a sweep."""

    same: list[int]
    """The numbers of the candidates that mean the same as the given mention, in the order in which they are shown."""


class LinkShape(StrEnum):
    """The shape of a link question, beside a pair, that has answers of its own."""

    SWEEP = "sweep"


Drawing = DrawnBox | NoneMissing
"""The answer to box drawing."""


@with_config(SHAPE)
class CaptionCorrect(TypedDict):
    verdict: Literal["correct"]


@with_config(SHAPE)
class CaptionWrong(TypedDict):
    verdict: Literal["wrong"]
    word: Annotated[int, Field(ge=0)]
    """The place of the wrong word among the caption's, from 0."""
    right: NotRequired[Annotated[str, Field(max_length=MAX_WORD_LENGTH)]]
    """The word that belongs there, as the worker typed it."""


CaptionChecked = CaptionCorrect | CaptionWrong
"""The answer to a caption check."""


def _values(answers: Iterable[Enum]) -> tuple[Any, ...]:
    return tuple(answer.value for answer in answers)


CHOICES: Mapping[Task, tuple[Any, ...]] = {
    Task.COREFERENCE_LINK: _values(CoreferenceAnswer),
    Task.CHAIN_VERIFICATION: _values(VerificationAnswer),
    # Nobody can choose NONE_MISSING: it is the vote of a worker who drew nothing.
    Task.BOX_REQUIREMENT: _values(a for a in RequirementAnswer if a is not RequirementAnswer.NONE_MISSING),
    Task.BOX_QUALITY: _values(BoxQualityAnswer),
    Task.BOX_COVERAGE: _values(CoverageAnswer),
    Task.ATOM_VISUAL: _values(AtomAnswer),
}
"""The answers to choose from, for every task but box drawing and caption check, whose answers are objects."""
SHAPES: Mapping[Task, Any] = {Task.BOX_DRAWING: Drawing, Task.CAPTION_CHECK: CaptionChecked}
"""The shapes of the answers to those two tasks."""


def drawing(box: Iterable[int] | None) -> Drawing:
    """The answer that draws this box; None: the answer that none is missing."""
    return {"none_missing": True} if box is None else {"box": list(box)}


NONE_MISSING = drawing(None)
DRAWN_BOX = TypeAdapter(DrawnBox)
TOUCHED = TypeAdapter(Touched)
CAPTION_CHECKED: TypeAdapter[CaptionChecked] = TypeAdapter(CaptionChecked)


def is_choice(task: Task, answer: Any) -> bool:
    """Whether the answer is one of the task's choices. `True == 1` and `1.0 == 1` in Python, so the type counts too."""
    return type(answer) in (str, int) and answer in CHOICES.get(task, ())


def names_part(task: Task, answer: Any) -> bool:
    """Return whether this answers a link by what is part of what, which only some projects ask."""
    return task is Task.COREFERENCE_LINK and isinstance(answer, str) and answer in PARTS


def candidates_in(task: Task, shown: Mapping[str, Any]) -> list[int]:
    """Return the candidates of the sweep that is shown; none: another question is."""
    numbers = [mention[0] for mention in shown["mentions"]] if task is Task.COREFERENCE_LINK else []
    return numbers[1:] if len(numbers) > 2 else []


def link_replies(subject: Sequence[int], answer: Any) -> dict[Pair, str]:
    """Return the verdict of an answer to a link question on each of its pairs, the smaller number first."""
    replies = zip(subject[1:], replies_in(answer, subject), strict=True)
    return {(min(subject[0], other), max(subject[0], other)): reply.value for other, reply in replies}


def fault_in(
    task: Task,
    answer: Any,
    width: int,
    height: int,
    *,
    words: int = 0,
    part_answers: bool = False,
    candidates: Sequence[int] = (),
) -> str | None:
    """Return what is wrong with an answer, in words for the worker; None: its task's rule can read it.

    `width`, `height`: of the upright image, in pixels. `words`: of the caption that is checked. `part_answers`: the
    project's setting. `candidates`: those of a sweep.
    """
    if candidates:
        return _fault_in_sweep(answer, candidates)
    if task is Task.BOX_DRAWING:
        return _fault_in_drawing(answer, width, height)
    if task is Task.CAPTION_CHECK:
        return _fault_in_check(answer, words)
    if is_choice(task, answer) or (part_answers and names_part(task, answer)):
        return None
    return f"The answer to {task.label} must be one of {list(CHOICES[task])}, not {answer!r}."


def _fault_in_sweep(answer: Any, candidates: Sequence[int]) -> str | None:
    try:
        touched = TOUCHED.validate_python(answer)["same"]
    except ValidationError:
        touched = None
    if touched is not None and touched == [number for number in candidates if number in touched]:
        return None
    return (
        f'The answer to a sweep is {{"same": [...]}}: those of its candidates, {list(candidates)}, that mean the same, '
        f"in this order, not {answer!r}."
    )


def _fault_in_drawing(answer: Any, width: int, height: int) -> str | None:
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


def _fault_in_check(answer: Any, words: int) -> str | None:
    try:
        checked = CAPTION_CHECKED.validate_python(answer)
    except ValidationError:
        return (
            'A caption check is {"verdict": "correct"} or {"verdict": "wrong", "word": 3}: the place of the wrong '
            'word, counted from 0. "right" may be added: the word that belongs there, of at most '
            f"{MAX_WORD_LENGTH} characters."
        )
    if checked["verdict"] == "correct":
        return None
    if checked["word"] >= words:
        return f"The caption has {words} words, counted from 0: it has no word {checked['word']}."
    if not checked.get("right", "").isprintable():
        return "The right word contains a character that cannot be printed, such as a line break."
    return None


def schema_of(task: Task) -> dict[str, Any]:
    """The JSON schema of the answers to a task; of a link, with those that only some projects take."""
    if task in SHAPES:
        return {"oneOf": [TypeAdapter(shape).json_schema() for shape in get_args(SHAPES[task])]}
    if task is Task.COREFERENCE_LINK:
        pair = {"type": "string", "enum": [*CHOICES[task], *_values(PartAnswer)]}
        return {"oneOf": [pair, TOUCHED.json_schema()]}
    return {"type": "integer" if task is Task.BOX_REQUIREMENT else "string", "enum": [*CHOICES[task]]}
