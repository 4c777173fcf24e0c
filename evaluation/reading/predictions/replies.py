"""Replies of vision-language models as predictions: boxes with labels in JSON, or marked in the text of a caption."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated, Any, NamedTuple

from annotated_types import Ge
from typing_extensions import TypedDict

from evaluation.errors import InputError
from evaluation.reading.json_lines import member, whole
from evaluation.reading.predictions.rows import FIELDS, text_of

BOXES_BEGIN = re.compile(r"</ref>\s*<box>")
MARKS = ("<ref>", "<box>")
DECODER = json.JSONDecoder()
KEYS = {"bbox_2d": "", "box_2d": "yxyx-1000"}
"""The fields of boxes in JSON, with their form; empty: it differs between versions of a model."""
OF_MARKS = "xyxy-1000"


class ReplyLine(TypedDict):
    """A reply of a vision-language model about a caption."""

    image: str
    """As of a prediction."""
    caption: Annotated[int, Ge(0)]
    """The number of the caption, from 0."""
    reply: str
    """The text as it came, with boxes in one of the forms that are read."""


REPLY_FIELDS = tuple(ReplyLine.__annotations__)


class LabelledBox(NamedTuple):
    """A box that a model gives for a label."""

    label: str
    box: Any
    """As it stands in the reply."""
    form: str
    """One of box_forms.FORMS, as such replies have it; empty: it must be told."""


class CaptionReply(NamedTuple):
    """The reply of a model about one caption."""

    where: str
    """The place in the file, such as "line 3"."""
    image: str
    caption: int
    boxes: tuple[LabelledBox, ...]
    """In their order; none of a reply without any."""
    cut_off: bool = False
    """Whether the reply ends within a box, as where a model may write no more."""


def is_reply(value: Any) -> bool:
    """Tell whether an object is a reply, not a row of predictions."""
    return isinstance(value, dict) and "reply" in value and not set(value) & (set(FIELDS) - set(REPLY_FIELDS))


def read_reply(value: Any, where: str) -> CaptionReply:
    """Read one object. Raises InputError that names the place and the field. A reply without boxes has none."""
    if unknown := sorted(set(value).difference(REPLY_FIELDS)):
        raise InputError(f"{where} has the unknown field {unknown[0]!r}; fields are {', '.join(REPLY_FIELDS)}.")
    image = text_of(member(value, "image", where), f"{where}: field 'image'")
    caption = whole(member(value, "caption", where), f"{where}: field 'caption'")
    reply = value["reply"]
    if not isinstance(reply, str):
        raise InputError(f"{where}: field 'reply' is {str(reply)[:40]!r}, not the text of the model's reply in quotes.")
    return CaptionReply(where, image, caption, *(_marked(reply) or _listed(reply)))


def _marked(reply: str) -> tuple[tuple[LabelledBox, ...], bool] | None:
    """Return the boxes in marks, and whether the last mark is not closed; None for a reply without marks.

    Each part of the reply is looked at once.
    """
    found: list[LabelledBox] = []
    after = closed = 0
    for begin in BOXES_BEGIN.finditer(reply):
        if begin.start() < after:
            continue
        label, after = reply.rfind(MARKS[0], after, begin.start()), begin.end()
        if label < 0:
            continue
        if (end := reply.find("</box>", begin.end())) < 0:
            break
        after, closed = end, end + len("</box>")
        boxes = _json(reply[begin.end() : end])
        if isinstance(boxes, list):
            rows = boxes if boxes and isinstance(boxes[0], list) else [boxes]
            text = reply[label + len(MARKS[0]) : begin.start()].strip()
            found += [LabelledBox(text, box, OF_MARKS) for box in rows]
    is_open, has_box = (reply.find(mark, closed) >= 0 for mark in MARKS)
    return (tuple(found), is_open) if found or (is_open and has_box) else None


def _listed(reply: str) -> tuple[tuple[LabelledBox, ...], bool]:
    """Return the boxes of the first list, and whether the reply ends within that; then its complete ones are read."""
    start = reply.find("[")
    if start < 0:
        return (), False
    try:
        rows, _ = DECODER.raw_decode(reply, start)
    except (ValueError, RecursionError):
        rows = list(_complete(reply, start + 1))
        return tuple(_labelled(rows)), bool(rows)
    return tuple(_labelled(rows)), False


def _complete(reply: str, at: int) -> Iterator[Any]:
    """Yield the objects of a list that ends too early."""
    while (at := reply.find("{", at)) >= 0:
        try:
            value, at = DECODER.raw_decode(reply, at)
        except (ValueError, RecursionError):
            return
        yield value


def _labelled(rows: Iterable[Any]) -> Iterator[LabelledBox]:
    for row in rows:
        label = row.get("label") if isinstance(row, dict) else None
        key = next((key for key in KEYS if isinstance(row, dict) and key in row), None)
        if isinstance(label, str) and key is not None:
            yield LabelledBox(label.strip(), row[key], KEYS[key])


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def by_label(reply: CaptionReply) -> Mapping[str, list[LabelledBox]]:
    """Return the boxes of each label, labels in the order in which they came first."""
    found: dict[str, list[LabelledBox]] = {}
    for box in reply.boxes:
        found.setdefault(box.label.casefold(), []).append(box)
    return found
