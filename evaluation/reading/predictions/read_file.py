"""Files of predictions, read in one form for whatever they are used: their boxes and chains by phrase.

JSON Lines hold a phrase or a reply a line, COCO results a box an entry. `Look` finds the images that names mean.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any, Generic, NamedTuple, TypeVar

from evaluation.errors import InputError
from evaluation.reading.json_lines import Id, parse
from evaluation.reading.picture import Box
from evaluation.reading.predictions.box_forms import read_box
from evaluation.reading.predictions.coco_results import CategoryBox, read_results
from evaluation.reading.predictions.image_phrases import ImagePhrases, Phrase
from evaluation.reading.predictions.replies import LabelledBox, Reply, by_label, is_reply, read_reply
from evaluation.reading.predictions.rows import Row, read_row

KINDS = {".jsonl": "jsonl", ".json": "coco"}
"""The kind of a file by the ending of its name."""
USUAL = {"jsonl": "xyxy", "coco": "xywh"}
"""The usual form of the boxes in each kind of file."""
I = TypeVar("I", bound=ImagePhrases)  # noqa: E741  # an image
Look = Callable[[Collection[str | int]], Mapping[str | int, I]]


class PlacedBox(NamedTuple):
    """A box of a phrase, in pixels."""

    box: Box
    percent: int | None
    """The program's score in percent; None if it gives none from 0 to 1."""
    rank: int
    """The place in its row, or among all boxes that the phrase was given."""


@dataclass
class Placed(Generic[I]):
    """All that was predicted for one image."""

    image: I
    boxes: dict[Phrase, list[PlacedBox]] = field(default_factory=dict)
    """The best box of each phrase first; empty lists of phrases for which the program says: no box."""
    chains: dict[str, list[Phrase]] = field(default_factory=dict)


@dataclass
class Found(Generic[I]):
    """The images that were found, and what was not."""

    images: list[Placed[I]] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)
    """Names that no image has."""
    unused: int = 0
    """Boxes of a detector whose category fits no phrase of their image."""


class BoxForm(NamedTuple):
    """The form of the boxes in a file."""

    form: str = USUAL["jsonl"]
    clip: bool = False
    """Whether boxes are cut at the edge of the picture, however far they reach over it."""


def read_predictions(
    name: str,
    data: bytes,
    look: Look[I],
    *,
    kind: str = "",
    categories: Mapping[int, str] | Mapping[Id, str] | None = None,
    form: str = "",
    clip: bool = False,
) -> Found[I]:
    """Read a file. `kind`, `form`: of the file and of its boxes; without them by the ending of `name`, and as usual.

    `categories`: those of the data, by their ids. Raises InputError, without the file's name, for the first wrong line
    or entry, and for a file that predicts nothing for any image.
    """
    ending = PurePosixPath(name).suffix.lower()
    kind = kind or KINDS.get(ending, "")
    if not kind:
        raise InputError(f"ends in {ending!r}: predictions are .jsonl (a phrase a line) or .json (COCO results).")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError(
            f"line {line} is not UTF-8 (byte 0x{data[error.start]:02x}): save the file as UTF-8."
        ) from error
    boxes = BoxForm(form or USUAL[kind], clip)
    if kind == "jsonl":
        rows, replies = read_lines(text)
        there = look({row.image for row in rows} | {reply.image for reply in replies})
        found = place_rows(rows, lambda _: there, boxes)
        return checked(_joined(found, place_replies(replies, lambda _: there, BoxForm(form, clip))))
    results = read_results(parse(text, "the file"), categories or {})
    # Looked up once: entries by phrase and by category that mean one image find the same one.
    there = look({row.image for row in results.rows} | {box.image for box in results.boxes})
    found = place_rows(results.rows, lambda _: there, boxes)
    return checked(_joined(found, place_categories(results.boxes, lambda _: there, boxes)))


def read_lines(text: str) -> tuple[list[Row], list[Reply]]:
    """Return the rows and the replies. Raises InputError, which names line and field, for the first wrong line."""
    rows, replies = [], []
    for place, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            where = f"line {place}"
            value = parse(line, where)
            if is_reply(value):
                replies.append(read_reply(value, where))
            else:
                rows.append(read_row(value, where))
    return rows, replies


def checked(found: Found[I]) -> Found[I]:
    """Return what was found. Raises InputError if there is nothing."""
    if not found.images:
        some = ", ".join(found.unknown[:3])
        raise InputError(f"names no image of the data, only others: {some}." if some else "holds no predictions.")
    return found


def place_rows(rows: Iterable[Row], look: Look[I], form: BoxForm = BoxForm()) -> Found[I]:  # noqa: B008  # a value
    """Find the phrases of the rows. Raises InputError for a phrase or a box that its image does not have."""
    given = list(rows)
    images = look({row.image for row in given})
    found: Found[I] = Found(unknown=sorted({str(row.image) for row in given if row.image not in images}))
    by_image: dict[int, tuple[I, list[Row]]] = {}
    for row in given:
        if (image := images.get(row.image)) is not None:
            by_image.setdefault(id(image), (image, []))[1].append(row)
    found.images = [_placed(image, own, form) for image, own in by_image.values()]
    return found


def _placed(image: I, rows: list[Row], form: BoxForm) -> Placed[I]:
    placed = Placed(image)
    seen: dict[Phrase, str] = {}
    chain_of: dict[Phrase, str] = {}
    for row in rows:
        phrase = image.named(row)
        if isinstance(row.phrase, int) and row.lists and phrase in seen:
            raise InputError(f"{row.where} names the same phrase as {seen[phrase]}: write each phrase once.")
        seen.setdefault(phrase, row.where)
        own = placed.boxes.setdefault(phrase, [])
        for rank, value in enumerate(row.boxes):
            place = f"'boxes'[{rank}]" if row.lists else "'bbox'"
            size = image.width, image.height
            box = read_box(value, form.form, size, f"{row.where}: field {place}", clip=form.clip)
            score = row.scores[rank] if row.scores else None
            own.append(PlacedBox(box, percent_of(score), rank))
        if row.chain:
            if chain_of.setdefault(phrase, row.chain) != row.chain:
                raise InputError(
                    f"{row.where}: field 'chain' is {row.chain!r}, but an earlier row has this phrase in "
                    f"{chain_of[phrase]!r}."
                )
            placed.chains.setdefault(row.chain, []).append(phrase)
    for own in placed.boxes.values():
        own.sort(key=lambda one: one.rank)
    return placed


def place_categories(boxes: Iterable[CategoryBox], look: Look[I], form: BoxForm) -> Found[I]:
    """Give each box, the best first, to the phrases that its category fits. Raises InputError for a wrong box."""
    given = list(boxes)
    images = look({one.image for one in given})
    found: Found[I] = Found(unknown=sorted({str(one.image) for one in given if one.image not in images}))
    by_image: dict[int, tuple[I, list[CategoryBox]]] = {}
    for one in given:
        if (image := images.get(one.image)) is not None:
            by_image.setdefault(id(image), (image, []))[1].append(one)
    for image, own in by_image.values():
        placed = Placed(image)
        found.images.append(placed)
        found.unused += _give(placed, own, form)
    return found


def _give(placed: Placed[Any], boxes: list[CategoryBox], form: BoxForm) -> int:
    """Give the boxes to phrases, and return how many fit none."""
    unused = 0
    size = placed.image.width, placed.image.height
    for one in boxes:
        box = read_box(one.bbox, form.form, size, f"{one.where}: field 'bbox'", clip=form.clip)
        fitting = placed.image.of_category(one.category)
        unused += not fitting
        for phrase in fitting:
            own = placed.boxes.setdefault(phrase, [])
            own.append(PlacedBox(box, percent_of(one.score), len(own)))
    return unused


def place_replies(replies: Iterable[Reply], look: Look[I], form: BoxForm) -> Found[I]:
    """Give each labelled box to the phrase of its caption with these words.

    Equal phrases take the boxes of their label in turn if there are as many; else nobody can tell whose they are. Boxes
    of labels that are no phrase, or not told apart, are counted as unused. `form`: empty if replies tell theirs.
    """
    given = list(replies)
    images = look({one.image for one in given})
    found: Found[I] = Found(unknown=sorted({one.image for one in given if one.image not in images}))
    by_image: dict[int, Placed[I]] = {}
    for one in given:
        if (image := images.get(one.image)) is None:
            continue
        placed = by_image.setdefault(id(image), Placed(image))
        for label, boxes in by_label(one).items():
            phrases = image.worded(one.caption, label)
            if len(phrases) > 1 and len(phrases) == len(boxes):
                shared = [(phrase, [box]) for phrase, box in zip(phrases, boxes, strict=True)]
            elif len(phrases) == 1:
                shared = [(phrases[0], boxes)]
            else:
                found.unused += len(boxes)
                continue
            for phrase, own in shared:
                kept = placed.boxes.setdefault(phrase, [])
                kept += [
                    PlacedBox(_of_reply(box, one, image, form), None, len(kept) + at) for at, box in enumerate(own)
                ]
    found.images = list(by_image.values())
    return found


def _of_reply(given: LabelledBox, reply: Reply, image: ImagePhrases, form: BoxForm) -> Box:
    own = form.form or given.form
    if not own:
        raise InputError(
            f"{reply.where}: boxes of 'bbox_2d' are pixels or from 0 to 1000, by the version of the model: tell the "
            "form of the boxes, xyxy or xyxy-1000."
        )
    return read_box(given.box, own, (image.width, image.height), f"{reply.where}: {given.label!r}", clip=form.clip)


def percent_of(score: float | None) -> int | None:
    """Return a score in percent; None for one that is not from 0 to 1, which only says which box is surer."""
    return None if score is None or not 0 <= score <= 1 else round(100 * score)


def _joined(found: Found[I], other: Found[I]) -> Found[I]:
    """Join what was found of each image in two ways."""
    by_image: dict[int, Placed[I]] = {}
    for one in (*found.images, *other.images):
        there = by_image.setdefault(id(one.image), one)
        if there is not one:
            for phrase, boxes in one.boxes.items():
                there.boxes.setdefault(phrase, []).extend(boxes)
    unknown = sorted({*found.unknown, *other.unknown})
    return Found(list(by_image.values()), unknown, found.unused + other.unused)
