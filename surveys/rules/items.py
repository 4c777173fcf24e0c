"""Items [beyond paper 3]: the questions of a survey that one line of a file makes.

A line of a caption check is an item of FOIL, {"image", "caption", "foil", "place"}, and makes two questions: the
correct caption and the foil. A line of an atom survey is {"atom", "category", "examples": [{"image", "caption"}, ...]}
and makes one; "visual", yes or no, says its right answer where it is known. Both may have "item", their name; without
it the number of the line is their name. Other keys are passed over.
"""

from collections.abc import Callable
from typing import Annotated, Any, Literal, NamedTuple, NotRequired

from annotated_types import Len
from pydantic import AfterValidator, Field, TypeAdapter, ValidationError, with_config
from pydantic.config import ConfigDict
from typing_extensions import TypedDict

from annotation.bounds import LONGEST_CAPTION
from annotation.rules.plain_errors import plain_errors
from pipeline.protocol.tasks.survey import ATOM_EXAMPLES, AtomCategory, tokens
from pipeline.protocol.tasks.task import Task


class SurveyError(Exception):
    """The survey cannot be filled or read. The message names what is wrong, and what to do; nothing was written."""


LONGEST_NAME = 200
"""Characters of the name of an item, an image or an atom."""
CORRECT, FOIL = "correct", "foil"
"""The versions of a caption, which end the names of their questions."""


class ItemError(ValueError):
    """The line is not an item of this survey; the message names the field and the remedy."""


class SurveyQuestion(NamedTuple):
    item: str
    """Its name in votes."""
    image: str
    """The name of the picture that it is about; of an atom, its first example's."""
    shown: dict[str, Any]
    """Shown to workers beside the picture."""
    truth: Any
    """The right answer, as far as it is known by construction; None: unknown."""


class Item(NamedTuple):
    """One line of a file: a caption in two versions, or an atom."""

    name: str
    line: int
    questions: tuple[SurveyQuestion, ...]
    images: tuple[str, ...]
    """The names of all its pictures."""


def _plain(text: str) -> str:
    if "\0" in text or any("\ud800" <= character <= "\udfff" for character in text):
        raise ValueError("it holds a character that cannot be stored")
    if not text.strip():
        raise ValueError("it is empty")
    return text


Name = Annotated[str, Field(max_length=LONGEST_NAME), AfterValidator(_plain)]
Text = Annotated[str, Field(max_length=LONGEST_CAPTION), AfterValidator(_plain)]
PASS_OVER = ConfigDict(extra="ignore", strict=True)


@with_config(PASS_OVER)
class CaptionLine(TypedDict):
    """An item of a caption check: a caption in two versions."""

    image: Name
    """A file of the folder of pictures, with or without its ending, or an image of the other project."""
    caption: Text
    """The right caption."""
    foil: Text
    """The caption with one word exchanged."""
    place: Annotated[int, Field(ge=0)]
    """The place of that word from 0, among the parts between white space."""
    item: NotRequired[Name]
    """Its name in votes; without it the number of the line."""


@with_config(PASS_OVER)
class ExampleLine(TypedDict):
    """A caption that uses the atom."""

    image: Name
    """As of a caption check."""
    caption: Text
    """Its text."""


@with_config(PASS_OVER)
class AtomLine(TypedDict):
    """An item of an atom survey: a word of captions."""

    atom: Name
    """The word."""
    category: Literal["entity", "action", "attribute"]
    """The kind of thing that it stands for."""
    examples: Annotated[list[ExampleLine], Len(ATOM_EXAMPLES, ATOM_EXAMPLES)]
    item: NotRequired[Name]
    """Its name in votes; without it the number of the line."""
    visual: NotRequired[Literal["yes", "no"]]
    """The right answer, where it is known."""


CAPTION_LINE: TypeAdapter[CaptionLine] = TypeAdapter(CaptionLine)
ATOM_LINE: TypeAdapter[AtomLine] = TypeAdapter(AtomLine)


def read_item(task: Task, values: object, line: int) -> Item:
    """Return the item that a line holds; `values`: the line as JSON has it. Raises ItemError."""
    try:
        return READ[task](values, line)
    except ValidationError as error:
        raise ItemError(f"{plain_errors(error, 'the line')}. {REMEDY[task]}") from error


def _caption(values: object, line: int) -> Item:
    row = CAPTION_LINE.validate_python(values)
    correct, foil, place = tokens(row["caption"]), tokens(row["foil"]), row["place"]
    if len(correct) != len(foil):
        raise ItemError(f"foil has {len(foil)} words, and caption has {len(correct)}. {REMEDY[Task.CAPTION_CHECK]}")
    differing = [number for number, (word, other) in enumerate(zip(correct, foil, strict=True)) if word != other]
    if differing != [place]:
        where = ", ".join(map(str, differing)) or "nowhere"
        raise ItemError(
            f"place is {place}, and caption and foil differ at {where}, counted from 0. {REMEDY[Task.CAPTION_CHECK]}"
        )
    name, image = row.get("item", str(line)), row["image"]
    questions = (
        SurveyQuestion(f"{name}:{CORRECT}", image, {"caption": row["caption"]}, {"verdict": "correct"}),
        SurveyQuestion(f"{name}:{FOIL}", image, {"caption": row["foil"]}, {"verdict": "wrong", "word": place}),
    )
    return Item(name, line, questions, (image,))


def _atom(values: object, line: int) -> Item:
    row = ATOM_LINE.validate_python(values)
    examples = [{"image": example["image"], "caption": example["caption"]} for example in row["examples"]]
    shown = {"atom": row["atom"], "category": AtomCategory(row["category"]).value, "examples": examples}
    name, images = row.get("item", str(line)), tuple(example["image"] for example in examples)
    return Item(name, line, (SurveyQuestion(name, images[0], shown, row.get("visual")),), images)


READ: dict[Task, Callable[[object, int], Item]] = {Task.CAPTION_CHECK: _caption, Task.ATOM_VISUAL: _atom}
REMEDY = {
    Task.CAPTION_CHECK: (
        "A line is an item of FOIL: image, caption, foil, and place, the one word in which the two differ, as "
        "“python -m evaluation foil generate” writes them."
    ),
    Task.ATOM_VISUAL: (
        "A line is an atom with its category (entity, action or attribute) and three examples, each with image and "
        "caption."
    ),
}
