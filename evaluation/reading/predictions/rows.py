"""Rows of predictions: what a program predicts for one phrase, as a line of JSON, an object of a call, or an entry."""

import re
from collections.abc import Sequence
from typing import Annotated, Any, NamedTuple, NotRequired

from annotated_types import Ge, Interval, Len
from typing_extensions import TypedDict

from evaluation.errors import InputError
from evaluation.reading.json_lines import number, whole
from evaluation.reading.picture import Box

FORMS = ("xyxy", "xywh", "xyxy-normalised", "cxcywh-normalised", "xyxy-1000", "yxyx-1000")
"""Corners; a corner with width and height; as shares from 0 to 1; and in thousandths, as language models give them."""
BOX_FORM_LABELS = {
    "xyxy": "left, top, right, bottom in pixels",
    "xywh": "left, top, width, height in pixels",
    "xyxy-normalised": "left, top, right, bottom from 0 to 1",
    "cxcywh-normalised": "centre, width, height from 0 to 1",
    "xyxy-1000": "left, top, right, bottom from 0 to 1000",
    "yxyx-1000": "top, left, bottom, right from 0 to 1000",
}
SLACK = 1.0
"""Pixels by which a box may cross the edge of its picture, as rounding makes it. They are cut off."""


def read_box(value: Any, form: str, size: tuple[int, int], what: str, *, clip: bool = False) -> Box:
    """Return one box in pixels, x0, y0, x1, y1. `size`: width and height of the picture.

    Raises InputError, which begins with `what`, for no four numbers, a box without area, or one that reaches outside
    the picture; with `clip` it is cut at the edge instead.
    """
    if not isinstance(value, list | tuple) or len(value) != 4:
        has = f"has {len(value)} numbers" if isinstance(value, list | tuple) else "is not a list"
        raise InputError(f"{what} {has}: write 4, {BOX_FORM_LABELS[form]}.")
    x0, y0, x1, y1 = _corners([number(edge, what) for edge in value], form)
    width, height = size
    if form.endswith("-normalised"):
        x0, y0, x1, y1 = x0 * width, y0 * height, x1 * width, y1 * height
    if form.endswith("-1000"):
        x0, y0, x1, y1 = x0 * width / 1000, y0 * height / 1000, x1 * width / 1000, y1 * height / 1000
    if x0 >= x1 or y0 >= y1:
        raise InputError(f"{what} {value} has no area: write {BOX_FORM_LABELS[form]}.")
    slack = max(width, height) if clip else SLACK
    if x0 < -slack or y0 < -slack or x1 > width + slack or y1 > height + slack:
        raise InputError(f"{what} {value} reaches outside the picture of {width} x {height} pixels.")
    cut = max(0.0, x0), max(0.0, y0), min(float(width), x1), min(float(height), y1)
    if cut[0] >= cut[2] or cut[1] >= cut[3]:
        raise InputError(f"{what} {value} lies outside the picture of {width} x {height} pixels.")
    return cut


def _corners(values: list[float], form: str) -> tuple[float, float, float, float]:
    a, b, c, d = values
    if form == "xywh":
        return a, b, a + c, b + d
    if form == "cxcywh-normalised":
        return a - c / 2, b - d / 2, a + c / 2, b + d / 2
    if form == "yxyx-1000":
        return b, a, d, c
    return a, b, c, d


class PredictionLine(TypedDict):
    """A prediction for one phrase of a caption, given by `phrase` or `words`."""

    image: str
    """The path of the image as it was imported, its name with or without ending, or its id in COCO files."""
    caption: Annotated[int, Ge(0)]
    """The number of the caption, from 0."""
    phrase: NotRequired[str | Annotated[int, Ge(0)]]
    """Its words; in an older form its number among the chunks of the caption."""
    words: NotRequired[Annotated[Sequence[Annotated[int, Ge(0)]], Len(2, 2)]]
    """Its place, [first word, end)."""
    boxes: NotRequired[Sequence[Annotated[Sequence[float], Len(4, 4)]]]
    """[left, top, right, bottom] in pixels of the upright image, or another form that is told; the best one first. An
    empty list: there is no box."""
    scores: NotRequired[Sequence[Annotated[float, Interval(ge=0, le=1)]]]
    """The sureness of the program about each box."""
    chain: NotRequired[str | int]
    """Phrases of an image with the same one refer to the same thing. `boxes`, `chain` or both are needed."""


FIELDS = tuple(PredictionLine.__annotations__)
UNUSABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")


class PredictionRow(NamedTuple):
    """The place of a phrase, and what a program predicts for it."""

    where: str
    """The place in the file, such as "line 3"."""
    image: str | int
    """A name, or an id of COCO's as a number."""
    caption: int
    phrase: str | int | None
    """The words of the phrase; in the older form its number among the chunks of the caption; None if `span` tells."""
    span: tuple[int, int] | None
    """[first word, end) in the caption."""
    boxes: tuple[Any, ...] = ()
    """As they stand in the file, the best box first."""
    scores: tuple[float, ...] = ()
    """The program's score of each box. Empty: it gives none."""
    chain: str = ""
    """Phrases of an image with the same text here refer to the same. Empty: nothing is said about it."""
    lists: bool = True
    """Whether it lists all boxes of the phrase; an entry of COCO's results holds one of them."""


def read_row(value: Any, where: str) -> PredictionRow:
    """Read one object. Raises InputError that names the place and the field."""
    if not isinstance(value, dict):
        raise InputError(f"{where} is not an object like {{'image': …, 'caption': 0, 'phrase': …, 'boxes': …}}.")
    if not _is_older(value) and (unknown := sorted(set(value).difference(FIELDS))):
        raise InputError(f"{where} has the unknown field {unknown[0]!r}; fields are {', '.join(FIELDS)}.")
    if "image" not in value:
        raise InputError(f"{where} has no field 'image'.")
    if "boxes" not in value and "chain" not in value:
        raise InputError(
            f"{where} needs the field 'boxes' or the field 'chain': it predicts nothing. [] stands for no box."
        )
    boxes = value.get("boxes", [])
    if not isinstance(boxes, list):
        raise InputError(f"{where}: field 'boxes' is not a list: write [[left, top, right, bottom], …].")
    scores = _scores(value["scores"], len(boxes), f"{where}: field 'scores'") if "scores" in value else ()
    chain = _chain(value["chain"], f"{where}: field 'chain'") if "chain" in value else ""
    return PredictionRow(where, _image(value["image"], where), *read_phrase(value, where), tuple(boxes), scores, chain)


def read_phrase(value: dict[str, Any], where: str) -> tuple[int, str | int | None, tuple[int, int] | None]:
    """Return the caption, and the phrase or its span, of a row or an entry. Raises InputError."""
    if "caption" not in value:
        raise InputError(f"{where} has no field 'caption'.")
    caption = whole(value["caption"], f"{where}: field 'caption'")
    if ("phrase" in value) == ("words" in value):
        raise InputError(f"{where} needs one of the fields 'phrase' (its words) and 'words' ([first word, end]).")
    if "words" in value:
        return caption, None, _span(value["words"], f"{where}: field 'words'")
    if _is_older(value):
        return caption, whole(value["phrase"], f"{where}: field 'phrase'"), None
    return caption, text_of(value["phrase"], f"{where}: field 'phrase'").strip(), None


def text_of(value: Any, what: str) -> str:
    """Return a text of usable characters. Raises InputError, which begins with `what`."""
    if not isinstance(value, str):
        raise InputError(f"{what} is {str(value)[:40]!r}, not a text: write it in quotes.")
    if found := UNUSABLE.search(value):
        raise InputError(f"{what} has the control character U+{ord(found[0]):04X}: remove it.")
    return value


def _is_older(value: dict[str, Any]) -> bool:
    """Tell whether the phrase is named by its number, as evaluations read it first: other fields are ignored then."""
    phrase = value.get("phrase")
    return isinstance(phrase, int) and not isinstance(phrase, bool)


def _image(value: Any, where: str) -> str:
    if not isinstance(value, str):
        raise InputError(f"{where}: field 'image' is {str(value)[:40]!r}, not the name of an image in quotes.")
    return text_of(value, f"{where}: field 'image'")


def _span(value: Any, what: str) -> tuple[int, int]:
    found = [whole(edge, what) for edge in value] if isinstance(value, list) else []
    if len(found) != 2 or found[0] >= found[1]:
        raise InputError(f"{what} is {str(value)[:40]}, not [first word, end], counted from 0.")
    return found[0], found[1]


def _scores(value: Any, boxes: int, what: str) -> tuple[float, ...]:
    if not isinstance(value, list):
        raise InputError(f"{what} is {str(value)[:40]!r}, not a list of numbers from 0 to 1.")
    if len(value) != boxes:
        raise InputError(f"{what} has {len(value)} scores for {boxes} boxes: give one for each box, or leave it out.")
    found = tuple(number(edge, f"{what}[{place}]") for place, edge in enumerate(value))
    for place, score in enumerate(found):
        if not 0 <= score <= 1:
            raise InputError(f"{what}[{place}] is {score:g}, not a score from 0 to 1.")
    return found


def _chain(value: Any, what: str) -> str:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise InputError(f"{what} is {str(value)[:40]!r}, not a text or a whole number.")
    return str(value)
