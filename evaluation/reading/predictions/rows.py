"""The entries of files of predictions: rows of a phrase, of COCO results, and replies of vision-language models."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Annotated, Any, NamedTuple, NotRequired

from annotated_types import Ge, Interval, Len
from typing_extensions import TypedDict

from evaluation.errors import InputError
from evaluation.reading.picture import Box
from evaluation.reading.source import Id, coco_id, member, number, whole

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


class ResultRow(TypedDict):
    """A box of a category, or of one phrase."""

    image_id: Id
    """The image's id in COCO files, or its name."""
    bbox: Annotated[Sequence[float], Len(4, 4)]
    """[left, top, width, height] in pixels, or another form that is told."""
    score: NotRequired[float]
    """Any number; larger for surer boxes."""
    category_id: NotRequired[Id]
    """The category: the box is proposed for the phrases that it fits. Not needed beside `caption`."""
    caption: NotRequired[Annotated[int, Ge(0)]]
    """The number of the caption of the phrase, from 0."""
    phrase: NotRequired[str | Annotated[int, Ge(0)]]
    """The words of the phrase."""
    words: NotRequired[Annotated[Sequence[Annotated[int, Ge(0)]], Len(2, 2)]]
    """Its place, [first word, end)."""


class ResultImage(TypedDict):
    """An image that results are for."""

    id: Id
    """The `image_id` of entries."""
    file_name: str
    """The path of its picture."""


class ResultCategory(TypedDict):
    """A category of a detector."""

    id: Id
    """The `category_id` of entries."""
    name: str
    """Its name, such as `dog`."""


class ResultsFile(TypedDict):
    """Results with the lists that their ids name."""

    annotations: Sequence[ResultRow]
    images: NotRequired[Sequence[ResultImage]]
    """Without it, ids are those of the data."""
    categories: NotRequired[Sequence[ResultCategory]]
    """Without it, ids are those of the data."""


class CategoryBox(NamedTuple):
    """A box of a category in an image."""

    where: str
    """The place in the file, such as "annotations[3]"."""
    image: str | int
    """Its file name; or its id in COCO files, of a file that lists no images."""
    category: str
    bbox: Any
    """As it stands in the file."""
    score: float | None
    """Any number, larger for surer boxes; None: the detector gives none."""


class CocoResults(NamedTuple):
    """The entries of a file, those of the highest scores first."""

    rows: list[PredictionRow]
    boxes: list[CategoryBox]


def read_results(
    value: Any, known: Mapping[int, str] | Mapping[Id, str], left_out: list[str] | None = None
) -> CocoResults:
    """Return the entries. Raises InputError, which names list, place and field, for the first wrong one.

    A bare list is that of COCO's results. Its ids, and those of an object without the list, are the data's own.
    `known`: the data's categories by their ids. `left_out`: takes the reasons for which entries of no known category
    are left out; None: they are refused, too. An entry with a caption is for one phrase, others are for a category.
    """
    if isinstance(value, list):
        value = {"annotations": value}
    images = _names(value, "images", "file_name") if isinstance(value, dict) and "images" in value else None
    categories: Mapping[Id, str] = dict[Id, str](known.items())
    if isinstance(value, dict) and "categories" in value:
        categories = _names(value, "categories", "name")
    rows: list[tuple[float, PredictionRow]] = []
    boxes: list[tuple[float, CategoryBox]] = []
    for place, entry in enumerate(_listed(value, "annotations")):
        where = f"annotations[{place}]"
        image = _result_image(entry, where, images)
        score = number(entry["score"], f"{where}: field 'score'") if "score" in entry else None
        if "caption" in entry or "phrase" in entry or "words" in entry:
            sure = () if score is None else (score,)
            row = PredictionRow(
                where, image, *read_phrase(entry, where), (member(entry, "bbox", where),), sure, lists=False
            )
            rows.append((-(score or 0.0), row))
        else:
            try:
                category = _category(entry, where, categories)
            except InputError as wrong:
                if left_out is None:
                    raise
                left_out.append(str(wrong))
                continue
            box = CategoryBox(where, image, category, member(entry, "bbox", where), score)
            boxes.append((-(score or 0.0), box))
    rows.sort(key=lambda one: one[0])
    boxes.sort(key=lambda one: one[0])
    return CocoResults([row for _, row in rows], [box for _, box in boxes])


def _listed(value: Any, table: str) -> list[Any]:
    if not isinstance(value, dict) or not isinstance(value.get(table), list):
        raise InputError(f"the file has no list {table!r}: give a list of results, or an object that holds one there.")
    found: list[Any] = value[table]
    return found


def _names(value: Any, table: str, name: str) -> dict[Id, str]:
    found: dict[Id, str] = {}
    for place, row in enumerate(_listed(value, table)):
        where = f"{table}[{place}]"
        key = coco_id(member(row, "id", where), f"{where}: field 'id'")
        if key in found:
            raise InputError(f"{where}: field 'id' {key!r} occurs twice.")
        found[key] = text_of(member(row, name, where), f"{where}: field {name!r}")
    return found


def _result_image(entry: Any, where: str, images: Mapping[Id, str] | None) -> int | str:
    image = coco_id(member(entry, "image_id", where), f"{where}: field 'image_id'")
    if images is None:
        return image
    if image not in images:
        raise InputError(f"{where}: field 'image_id' {image!r} is not in the list 'images' of the file.")
    return images[image]


def _category(entry: Any, where: str, categories: Mapping[Id, str]) -> str:
    if "category_id" not in entry:
        raise InputError(f"{where} has neither 'category_id' nor 'caption' with 'phrase': tell what the box is of.")
    category = coco_id(entry["category_id"], f"{where}: field 'category_id'")
    if category not in categories:
        raise InputError(
            f"{where}: field 'category_id' {category!r} is in no list of the file and of no export of the project: put "
            "the results under 'annotations' of an object, with the list 'categories' that the ids name."
        )
    return categories[category]


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
    return CaptionReply(where, image, caption, *(_marked(reply) or _first_list(reply)))


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


def _first_list(reply: str) -> tuple[tuple[LabelledBox, ...], bool]:
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
