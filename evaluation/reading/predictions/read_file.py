"""Files of predictions, read in one form for whatever they are used: their boxes and chains by phrase.

JSON Lines hold a phrase or a reply a line, COCO results a box an entry. `Look` finds the images that names mean.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any, Generic, NamedTuple, TypeVar

from annotation.rules.comparable import comparable
from annotation.rules.dictionaries import singulars
from annotation.rules.head_noun import head_noun
from annotation.rules.mention_type import MentionType
from evaluation.errors import InputError
from evaluation.reading.picture import Box
from evaluation.reading.predictions.rows import (
    CaptionReply,
    CategoryBox,
    LabelledBox,
    PredictionRow,
    by_label,
    is_reply,
    read_box,
    read_reply,
    read_results,
    read_row,
)
from evaluation.reading.source import Id, parse

PERSON = "person"
MAX_PHRASES_NAMED = 8
"""Phrases that an error names."""


class NamedPhrase(NamedTuple):
    number: int | None
    """The mark by which whoever asks knows it; None of a chunk that shows nothing."""
    caption: int
    start: int
    end: int
    words: str
    types: tuple[str, ...]


@dataclass(slots=True)
class ImagePhrases:
    """An image with its phrases, in reading order."""

    name: str
    width: int
    height: int
    phrases: list[NamedPhrase] = field(default_factory=list)

    def named(self, row: PredictionRow) -> NamedPhrase:
        """Return the phrase that a row names. Raises InputError, with what there is, if there is none or several."""
        own = [phrase for phrase in self.phrases if phrase.caption == row.caption]
        if row.span is not None:
            found = [phrase for phrase in own if (phrase.start, phrase.end) == row.span]
            said, what = f"of the words [{row.span[0]}, {row.span[1]})", "words"
        elif isinstance(row.phrase, int):
            found, said, what = own[row.phrase : row.phrase + 1], f"number {row.phrase}, counted from 0", "phrase"
        else:
            found, said, what = self.worded(row.caption, row.phrase or ""), repr(row.phrase), "phrase"
        if len(found) > 1:
            twice = f"caption {row.caption} of image {self.name!r} has {said} twice"
            raise InputError(f"{row.where}: field 'phrase': {twice}: give 'words' instead.")
        if not found:
            there = (
                ", ".join(f"{phrase.words!r} [{phrase.start}, {phrase.end})" for phrase in own[:MAX_PHRASES_NAMED])
                or "none"
            )
            more = ", …" if len(own) > MAX_PHRASES_NAMED else ""
            place = f"caption {row.caption} of image {self.name!r}"
            raise InputError(f"{row.where}: field {what!r}: {place} has no phrase {said}; it has {there}{more}.")
        return found[0]

    def worded(self, caption: int, words: str) -> list[NamedPhrase]:
        """Return the phrases of a caption with these words, in the order of the text."""
        wanted = _compared(words)
        return [phrase for phrase in self.phrases if phrase.caption == caption and _compared(phrase.words) == wanted]

    def of_category(self, category: str) -> list[NamedPhrase]:
        """Return the phrases that a detector's category can mean, such as "a brown dog" for dog."""
        return [phrase for phrase in self.phrases if phrase.number is not None and fits_category(phrase, category)]


def fits_category(phrase: NamedPhrase, category: str) -> bool:
    """Return whether the head noun of the phrase is the category, or its last word; every phrase of people is a person.

    A category that is the name of a type fits every phrase of the type.
    """
    wanted = _compared(category)
    if wanted in phrase.types or (wanted == PERSON and MentionType.PEOPLE in phrase.types):
        return True
    heads = singulars(head_noun(_compared(phrase.words).split()))
    return bool(wanted) and (wanted in heads or wanted.split()[-1] in heads)


def _compared(words: str) -> str:
    return comparable(words.split()).casefold()


FORMAT_OF_SUFFIX = {".jsonl": "jsonl", ".json": "coco"}
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
    boxes: dict[NamedPhrase, list[PlacedBox]] = field(default_factory=dict)
    """The best box of each phrase first; empty lists of phrases for which the program says: no box."""
    chains: dict[str, list[NamedPhrase]] = field(default_factory=dict)


@dataclass
class PlacedPredictions(Generic[I]):
    """The images that were found, and what was not."""

    by_image: dict[int, Placed[I]] = field(default_factory=dict)
    """The predictions for each image, by the `id()` of its object."""
    unknown: list[str] = field(default_factory=list)
    """Names that no image has."""
    unused: int = 0
    """Boxes of a detector whose category fits no phrase of their image."""
    cut: int = 0
    """Boxes that were cut at the edge of their picture, where that is asked for."""
    left_out: list[str] = field(default_factory=list)
    """Boxes and phrases that were left out, each with its place and the reason, where that is asked for."""
    cut_off: int = 0
    """Replies that end within a box; their complete boxes are read."""

    @property
    def images(self) -> list[Placed[I]]:
        return list(self.by_image.values())

    def add(self, placed: Placed[I]) -> None:
        """Add what was predicted for an image, behind the boxes that its phrases have already."""
        there = self.by_image.setdefault(id(placed.image), placed)
        if there is not placed:
            for phrase, boxes in placed.boxes.items():
                there.boxes.setdefault(phrase, []).extend(boxes)


class BoxFormUse(NamedTuple):
    """The form of the boxes in a file, and what becomes of those that cannot be used."""

    form: str = ""
    """Empty: as usual in this kind of entries."""
    clip: bool = False
    """Whether boxes are cut at the edge of the picture, however far they reach over it."""
    spare: bool = False
    """Whether a box is cut or left out, and a phrase that is not there left out, before all else is refused."""

    def box(
        self, value: Any, form: str, size: tuple[int, int], what: str, predictions: PlacedPredictions[Any]
    ) -> Box | None:
        """Return a box in pixels; None for one that is left out. Raises InputError where nothing is left out."""
        if not self.spare:
            return read_box(value, form, size, what, clip=self.clip)
        try:
            box = read_box(value, form, size, what, clip=True)
        except InputError as wrong:
            predictions.left_out.append(str(wrong))
            return None
        with suppress(InputError):
            read_box(value, form, size, what)
            return box
        predictions.cut += 1
        return box


def read_predictions(
    name: str,
    data: bytes,
    look: Look[I],
    *,
    kind: str = "",
    categories: Mapping[int, str] | Mapping[Id, str] | None = None,
    form: str = "",
    clip: bool = False,
    spare: bool = False,
) -> PlacedPredictions[I]:
    """Read a file. `kind`, `form`: of the file and of its boxes; without them by the ending of `name`, and as usual.

    `categories`: those of the data, by their ids. `spare`: see `BoxFormUse`. Raises InputError, without the file's
    name, for the first wrong line or entry, and for a file that predicts nothing for any image.
    """
    ending = PurePosixPath(name).suffix.lower()
    kind = kind or FORMAT_OF_SUFFIX.get(ending, "")
    if not kind:
        raise InputError(f"ends in {ending!r}: predictions are .jsonl (a phrase a line) or .json (COCO results).")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError(
            f"line {line} is not UTF-8 (byte 0x{data[error.start]:02x}): save the file as UTF-8."
        ) from error
    rows: list[PredictionRow]
    others: Sequence[CategoryBox | CaptionReply]
    left_out = list[str]()
    if kind == "jsonl":
        rows, others = read_lines(text)
    else:
        rows, others = read_results(parse(text, "the file"), categories or {}, left_out if spare else None)
    # Looked up once: entries of two kinds that mean one image find the same one.
    images, use = look({entry.image for entry in (*rows, *others)}), BoxFormUse(form, clip, spare)
    found = place(rows, images, use)
    found.left_out += left_out
    found = checked(place(others, images, use, found))
    boxes = [box for row in rows for box in row.boxes]
    check_form(form, [*boxes, *(other.bbox for other in others if isinstance(other, CategoryBox))])
    return found


def read_lines(text: str) -> tuple[list[PredictionRow], list[CaptionReply]]:
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


def check_form(form: str, boxes: Iterable[Any]) -> None:
    """Raise InputError if no form of the boxes was said, and all their numbers are at most 1."""
    numbers = [edge for box in boxes if isinstance(box, list | tuple) for edge in box if isinstance(edge, int | float)]
    if not form and numbers and max(numbers) <= 1:
        raise InputError(
            "holds only boxes whose numbers are at most 1: shares of the picture, it seems, and not pixels. Say the "
            "form of the boxes: xyxy-normalised or cxcywh-normalised for shares, xyxy or xywh for pixels."
        )


def checked(predictions: PlacedPredictions[I]) -> PlacedPredictions[I]:
    """Return what was found. Raises InputError if there is nothing."""
    if predictions.left_out and not any(image.boxes or image.chains for image in predictions.images):
        raise InputError(predictions.left_out[0])
    if not predictions.images:
        some = ", ".join(predictions.unknown[:3])
        raise InputError(f"names no image of the data, only others: {some}." if some else "holds no predictions.")
    return predictions


def place(
    entries: Sequence[PredictionRow] | Sequence[CategoryBox | CaptionReply],
    images: Mapping[str | int, I],
    use: BoxFormUse,
    before: PlacedPredictions[I] | None = None,
) -> PlacedPredictions[I]:
    """Find the phrases that the entries of a file are about, and add them to what was found before.

    Raises InputError for a phrase or a box that its image does not have.
    """
    found = PlacedPredictions() if before is None else before
    found.unknown = sorted({*found.unknown, *(str(entry.image) for entry in entries if entry.image not in images)})
    by_image: dict[int, tuple[Placed[I], list[Any]]] = {}
    for entry in entries:
        if (image := images.get(entry.image)) is not None:
            by_image.setdefault(id(image), (Placed(image), []))[1].append(entry)
        found.cut_off += isinstance(entry, CaptionReply) and entry.cut_off
    for placed, entries_here in by_image.values():
        first = entries_here[0]
        if isinstance(first, PredictionRow):
            _place_rows(placed, entries_here, use, found)
        elif isinstance(first, CategoryBox):
            _place_categories(placed, entries_here, use, found)
        else:
            _place_replies(placed, entries_here, use, found)
        if placed.boxes or placed.chains or not isinstance(first, PredictionRow):
            found.add(placed)
    return found


def _place_rows(
    placed: Placed[I], rows: list[PredictionRow], use: BoxFormUse, predictions: PlacedPredictions[I]
) -> None:
    image = placed.image
    seen: dict[NamedPhrase, str] = {}
    chain_of: dict[NamedPhrase, str] = {}
    for row in rows:
        try:
            phrase = image.named(row)
        except InputError as wrong:
            if not use.spare:
                raise
            predictions.left_out.append(str(wrong))
            continue
        if isinstance(row.phrase, int) and row.lists and phrase in seen:
            raise InputError(f"{row.where} names the same phrase as {seen[phrase]}: write each phrase once.")
        seen.setdefault(phrase, row.where)
        own = []
        for rank, value in enumerate(row.boxes):
            place = f"'boxes'[{rank}]" if row.lists else "'bbox'"
            form = use.form or USUAL["jsonl" if row.lists else "coco"]
            box = use.box(value, form, (image.width, image.height), f"{row.where}: field {place}", predictions)
            score = row.scores[rank] if row.scores else None
            if box is not None:
                own.append(PlacedBox(box, percent_of(score), rank))
        if own or not row.boxes:  # an empty list says that there is no box; one whose boxes are left out does not
            placed.boxes.setdefault(phrase, []).extend(own)
        if row.chain:
            if chain_of.setdefault(phrase, row.chain) != row.chain:
                raise InputError(
                    f"{row.where}: field 'chain' is {row.chain!r}, but an earlier row has this phrase in "
                    f"{chain_of[phrase]!r}."
                )
            placed.chains.setdefault(row.chain, []).append(phrase)
    for boxes in placed.boxes.values():
        boxes.sort(key=lambda one: one.rank)


def _place_categories(
    placed: Placed[I], boxes: list[CategoryBox], use: BoxFormUse, predictions: PlacedPredictions[I]
) -> None:
    """Give each box, the best first, to the phrases that its category fits."""
    size = placed.image.width, placed.image.height
    for category_box in boxes:
        box = use.box(
            category_box.bbox, use.form or USUAL["coco"], size, f"{category_box.where}: field 'bbox'", predictions
        )
        if box is None:
            continue
        fitting = placed.image.of_category(category_box.category)
        predictions.unused += not fitting
        for phrase in fitting:
            own = placed.boxes.setdefault(phrase, [])
            own.append(PlacedBox(box, percent_of(category_box.score), len(own)))


def _place_replies(
    placed: Placed[I], replies: list[CaptionReply], use: BoxFormUse, predictions: PlacedPredictions[I]
) -> None:
    """Give each labelled box to the phrase of its caption with these words.

    Equal phrases take the boxes of their label in turn if there are as many; else nobody can tell whose they are. Boxes
    of labels that are no phrase, or not told apart, are counted as unused.
    """
    image = placed.image
    for reply in replies:
        for label, boxes in by_label(reply).items():
            phrases = image.worded(reply.caption, label)
            if len(phrases) > 1 and len(phrases) == len(boxes):
                shared = [(phrase, [box]) for phrase, box in zip(phrases, boxes, strict=True)]
            elif len(phrases) == 1:
                shared = [(phrases[0], boxes)]
            else:
                predictions.unused += len(boxes)
                continue
            for phrase, phrase_boxes in shared:
                read = [
                    box
                    for box in (_of_reply(box, reply, image, use, predictions) for box in phrase_boxes)
                    if box is not None
                ]
                kept = placed.boxes.setdefault(phrase, []) if read else []
                kept += [PlacedBox(box, None, len(kept) + at) for at, box in enumerate(read)]


def _of_reply(
    labelled: LabelledBox,
    reply: CaptionReply,
    image: ImagePhrases,
    use: BoxFormUse,
    predictions: PlacedPredictions[Any],
) -> Box | None:
    own = use.form or labelled.form
    if not own:
        raise InputError(
            f"{reply.where}: boxes of 'bbox_2d' are pixels or from 0 to 1000, by the version of the model: tell the "
            "form of the boxes, xyxy or xyxy-1000."
        )
    return use.box(labelled.box, own, (image.width, image.height), f"{reply.where}: {labelled.label!r}", predictions)


def percent_of(score: float | None) -> int | None:
    """Return a score in percent; None for one that is not from 0 to 1, which only says which box is surer."""
    return None if score is None or not 0 <= score <= 1 else round(100 * score)
