"""Images as files of grounding say them: captions with phrases by characters, their boxes and, rarely, their chains."""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from annotation.bounds import (
    JSON_BYTES,
    LONGEST_CAPTION,
    MOST_BAD_LINES,
    MOST_BOXES,
    MOST_CAPTIONS,
    MOST_PHRASES_OF_CAPTION,
    TABLE_BYTES,
)
from annotation.rules.box import Box
from annotation.rules.dictionaries import load_dictionaries, plain_words, types_of
from exchange.checks import (
    BadRows,
    Defect,
    as_list,
    as_pixels,
    as_text,
    decode,
    member,
    parse_json,
    read_bytes,
    source_error,
)
from exchange.chunk_captions import trimmed
from exchange.dataset import DatasetBox, DatasetCaption, DatasetChain, DatasetImage, DatasetMention, Problem, Remark
from exchange.details import BoxForm, Details, whole_box
from exchange.formats.edits import PhraseEdit
from exchange.formats.pictures import FoundPictures, PictureAddresses, SourcePictures, check_size, size_of
from exchange.formats.text_streams import Lines, Position
from exchange.names import image_name, names_of, natural_key, same_path
from exchange.split_captions import Span, character_span, same_words, tokenized_caption, words_at

SIDES = ("width", "height")
BOXES_ALONE = "boxes found, captions missing"
TURNED = "Turned boxes, read as the smallest upright ones around them"
POLYGONS = "Polygons, read as the smallest boxes around them"
Point = tuple[float, float]
PATHS = ("file_name", "filename")
"""The fields in which rows have the path of their picture."""


@dataclass(slots=True)
class SourceCaption:
    """A caption. `boxes`: of each span of characters, in the order of the file; a phrase may have none.

    In an image with any chain or box, a phrase that has neither is a chain of its own.
    """

    text: str
    where: str
    boxes: dict[Span, list[Box]] = field(default_factory=dict)
    chains: dict[Span, str] = field(default_factory=dict)
    """The chain of a span, if the file names it, as our own exports do."""
    types: dict[Span, tuple[str, ...]] = field(default_factory=dict)
    """The types of a span, if the file has them; else the dictionaries decide."""
    negatives: set[Span] = field(default_factory=set)
    """The spans among those of `boxes` of which nothing in the picture can be boxed."""
    is_phrase: bool = False
    """Whether the caption as a whole is a phrase: it does not tell whether phrases of others are marked."""

    @property
    def has_chains(self) -> bool:
        return bool(self.chains or self.negatives or any(self.boxes.values()))

    def add_negative(self, span: Span) -> None:
        self.boxes.setdefault(span, [])
        self.negatives.add(span)


@dataclass(slots=True)
class SourceImage:
    """An image by the path of its picture."""

    path: str
    width: int
    height: int
    file: str
    where: str
    line: int | None = None
    coco_id: int | str | None = None
    captions: list[SourceCaption] = field(default_factory=list)
    loose: list[tuple[Box, str]] = field(default_factory=list)
    """Boxes of no phrase, each with its category."""
    bad: list[Defect] = field(default_factory=list)
    """Faults of the image itself: one leaves it out."""
    form: BoxForm = field(default_factory=BoxForm)
    """The form of the source's boxes."""
    to_add: str = "give it one"
    """The way out for an image without a caption."""
    counts: Counter[str] = field(default_factory=Counter)
    """Of what is read in another way than it was drawn, in the whole source."""
    details: Details = field(init=False)

    def __post_init__(self) -> None:
        self.details = Details(self.file, self.path, self.line, self.form)

    def check_same(self, width: int, height: int, where: str) -> None:
        """Raise Defect if another row of the file gives the image another size."""
        if (width, height) != (self.width, self.height):
            raise Defect(
                f"{where}: {self.path} has {width} x {height} pixels here and {self.width} x {self.height} in "
                f"{self.where}"
            )

    def box(self, value: object, where: str, line: int | None = None) -> Box:
        """Return the box [x, y, width, height], cut at the edge of the picture. Raises Defect for one without area."""
        return self.details.box(value, self.width, self.height, where, line)

    def turned_box(self, box: Sequence[float], degrees: float, around: Point, where: str, line: int | None) -> Box:
        """Return the box, or the upright one around what it is after a turn, as `turned` says. Raises Defect."""
        if not degrees % 360:
            return self.box(box, where, line)
        self.counts[TURNED] += 1
        return box_around(turned(box, degrees, around), self.width, self.height, where)

    def polygon(self, points: Iterable[Point], where: str) -> Box:
        """Return the box around a polygon in pixels. Raises Defect for one without area."""
        self.counts[POLYGONS] += 1
        return box_around(points, self.width, self.height, where)

    def has_room(self, captions: int) -> bool:
        """Tell whether the image may have so many more captions. An image without room is left out."""
        if (count := len(self.captions) + captions) > MOST_CAPTIONS:
            told = f"{self.where} has {count:,} captions: at most {MOST_CAPTIONS:,} are allowed"
            self.bad = [Defect(told, self.line)]
        return count <= MOST_CAPTIONS

    def check_captions(self) -> None:
        """Raise Defect for an image without a caption."""
        if not self.captions:
            why = [detail.message for detail in self.details.found if not detail.cut]
            missing = f"{BOXES_ALONE if self.loose else 'no caption is there'}: {self.to_add}"
            raise Defect("; ".join([f"{self.where}: {missing}", *why[:1]]))


class SourceImages:
    """The images of a source by the paths of their pictures, as its rows name them."""

    def __init__(self, shown: str, pictures: SourcePictures, form: BoxForm | None = None, *, to_add: str = "") -> None:
        self.shown, self.pictures, self.form = shown, pictures, form or BoxForm()
        self.to_add = to_add or "give it one"
        self.by_path: dict[str, SourceImage] = {}
        self.bad = BadRows[Problem]()
        """Problems of rows that are left out."""
        self.counts = Counter[str]()
        self._addresses: PictureAddresses | None = None

    def add_rows(
        self, rows: Iterable[Any], where: str, path: str, add: Callable[[Any, str], None]
    ) -> Iterator[Problem]:
        """Give each row of the list `where` and its place to `add`, and yield a problem for each that is bad.

        `path`: the field with the path of the picture. `add` raises Defect for a bad row.
        """
        for number, row in enumerate(rows):
            place = f"{where}[{number}]"
            try:
                add(row, place)
            except Defect as defect:
                self.bad.append(unnamed(defect, self.shown, place, row.get(path) if isinstance(row, dict) else None))
                yield self.bad[-1]

    def read(self) -> Iterator[DatasetImage | Problem]:
        """Yield the images of the rows, as `dataset_images` does, then remarks on what was read in another way."""
        yield from dataset_images(self.by_path.values(), self.pictures, self.shown)
        for what, count in self.counts.items():
            if count:
                yield Remark(self.shown, None, "", f"{what}: {count:,}")

    def of_row(
        self, row: Any, path: str, where: str, line: int | None = None, file: str = "", *, key: str = ""
    ) -> tuple[SourceImage, bool]:
        """Return the image of a row, made if there is none, and whether the row's boxes have its pixels.

        `key`: what tells the image from others, if its path does not. The size is that of the row; without one, or with
        one that cannot be used, that of the picture. Raises Defect if neither tells it.
        """
        unusable: Defect | None = None
        try:
            sides = (f"{where}{'.' if where.endswith(']') else ': '}{side}" for side in SIDES)
            width, height = (
                as_pixels(member(row, side, where), side_name) for side, side_name in zip(SIDES, sides, strict=True)
            )
        except Defect as defect:
            if any(row.get(side) is not None for side in SIDES):
                unusable = defect
            try:
                width, height = self.size_of_picture(path)
            except Defect as missing:
                raise unusable or missing from defect
        made = SourceImage(path, width, height, file or self.shown, where, line, form=self.form, to_add=self.to_add)
        made.counts = self.counts
        image = self.by_path.setdefault(key or same_path(path), made)
        same = False
        with image.details.left_out("the size", line):
            if unusable:
                raise unusable
        with image.details.left_out("what is in its boxes", line):
            image.check_same(width, height, where)
            same = True
        return image, same

    def size_of_picture(self, path: str) -> tuple[int, int]:
        """Return the width and the height of the picture, if only one of the source can be meant. Raises Defect."""
        image_name(path)  # a path that leads out of the source is not even looked at
        if self._addresses is None:
            self._addresses = PictureAddresses(self.pictures)
        return size_of(self.pictures, self._addresses.place(path))


def lists_of(file: Path, *names: str) -> list[list[Any]]:
    """Return these lists of an object in a JSON file. Raises SourceError for a file without them."""
    try:
        content = parse_json(decode(read_bytes(file, most=JSON_BYTES)))
        return [as_list(member(content, name, "the file"), name) for name in names]
    except Defect as defect:
        raise source_error(file.name, defect.message, defect.line) from defect


def bad_lines(file: Path, shown: str, add: Callable[[Any, int], None]) -> list[Problem]:
    """Give the value of each JSON line and its number to `add`, and return a problem for each that is no JSON or bad.

    `add` raises Defect for a bad one. Raises SourceError for a file that is too large or has too many bad lines.
    """
    if (size := file.stat().st_size) > TABLE_BYTES:
        raise source_error(shown, f"has {size:,} bytes: at most {TABLE_BYTES:,} are read")
    problems: list[Problem] = []
    with file.open("rb") as source:
        lines = Lines(source, Position(0, 1))
        while True:
            number, lines.row_bytes, row = lines.place.line, 0, None
            try:
                if (text := next(lines, None)) is None:
                    return problems
                if text.strip():
                    row = parse_json(text)
                    add(row, number)
            except Defect as defect:
                name = next((row[key] for key in PATHS if key in row), None) if isinstance(row, dict) else None
                problems.append(unnamed(Defect(defect.message, number), shown, f"line {number}", name))
                if len(problems) > MOST_BAD_LINES:
                    raise source_error(shown, f"has more than {MOST_BAD_LINES:,} lines that cannot be read") from defect


def unnamed(defect: Defect, file: str, where: str, name: object = None) -> Problem:
    """Return the problem of a row that is left out; it counts as an image, under its place if it has no `name`."""
    if isinstance(name, str) and name:
        return defect.problem(file, name)
    return defect.problem(file, where, key=f"{file}:{where}")


def dataset_images(
    source_images: Iterable[SourceImage], pictures: SourcePictures, file: str, *, by_name: bool = True
) -> Iterator[DatasetImage | Problem]:
    """Yield the images in the order of their names, with their pictures, wherever these lie in the source.

    `by_name`: whether they are sorted; else they keep the order of the file, in which their pictures lie. Raises
    SourceError for pictures of which no image names one.
    """
    usable: dict[str, SourceImage] = {}
    source_images = list(source_images)
    for form in {id(listed.form): listed.form for listed in source_images}.values():
        form.check(file)
    for listed in source_images:
        try:
            image_name(listed.path)
        except Defect as defect:
            yield unnamed(
                Defect(f"{listed.where}: {defect.message}", listed.line), listed.file, listed.where, listed.path
            )
        else:
            usable[listed.path] = listed
    found = FoundPictures(pictures, usable)
    found.check(file)
    names = names_of(usable)
    for path in sorted(usable, key=lambda listed: natural_key(names[listed])) if by_name else usable:
        listed = usable[path]
        defects = list(listed.bad)
        if not defects:
            try:
                image = one_image(listed, names[path], found)
                yield from listed.details.found
                yield image
            except Defect as defect:
                defects.append(Defect(defect.message, defect.line or listed.line))
        yield from (defect.problem(listed.file, path) for defect in defects)


def one_image(source_image: SourceImage, name: str, pictures: FoundPictures) -> DatasetImage:
    """Return the image with its picture. Raises Defect, as for phrases that share a word."""
    if len(source_image.captions) > MOST_CAPTIONS:
        raise Defect(
            f"{source_image.where} has {len(source_image.captions):,} captions: at most {MOST_CAPTIONS:,} are allowed"
        )
    source_image.check_captions()
    captions: list[DatasetCaption] = []
    mentions: list[DatasetMention] = []
    boxes: dict[Box, dict[str, None]] = defaultdict(dict)
    same: dict[frozenset[Box], str] = {}
    marked = any(caption.boxes for caption in source_image.captions if not caption.is_phrase)
    chained = any(caption.has_chains for caption in source_image.captions)
    absent = set[str | None]()
    for number, source_caption in enumerate(source_image.captions):
        caption, words, wrong = words_at(source_caption.text, list(source_caption.boxes))
        captions.append(replace(caption, chunked=marked or source_caption.is_phrase))
        for (first, last), why in wrong.items():
            source_image.details.add(
                f"{source_caption.where}: {why}: {source_caption.text[first:last][:60]!r} is left out"
            )
        for span, (start, end) in sorted(words.items()):
            own = dict.fromkeys(source_caption.boxes[span])
            chain = (
                source_caption.chains.get(span)
                or _by_boxes(same, own)
                or (f"alone {len(mentions) + 1}" if chained else None)
            )
            if span in source_caption.negatives and own:
                words_there = source_caption.text[slice(*span)][:60]
                source_image.details.add(f"{source_caption.where}: {words_there!r} has boxes: it is no negative")
            elif span in source_caption.negatives:
                absent.add(chain)
            mentions.append(DatasetMention(number, start, end, source_caption.types.get(span, ()), chain))
            for box in own:
                if chain is not None:
                    boxes[box][chain] = None
    every = [DatasetBox(box, tuple(chains)) for box, chains in boxes.items()]
    every += [DatasetBox(box, category=category) for box, category in source_image.loose]
    if len(every) > MOST_BOXES:
        raise Defect(f"{source_image.where} has {len(every):,} boxes: at most {MOST_BOXES:,} are allowed")
    picture, (width, height) = None, (source_image.width, source_image.height)
    if pictures:
        picture = pictures.of(source_image.path)
        width, height = _size_in(pictures.pictures, picture, source_image, has_boxes=bool(every))
    chains = dict.fromkeys(mention.chain for mention in mentions if mention.chain is not None)
    return DatasetImage(
        name=name,
        width=width,
        height=height,
        captions=tuple(captions),
        mentions=tuple(mentions),
        chains=tuple(DatasetChain(chain, no_box=chain in absent) for chain in chains),
        boxes=tuple(every),
        picture=picture,
        source=f"{source_image.file}:{source_image.where if source_image.line is None else source_image.line}",
        path=source_image.path,
        coco_id=source_image.coco_id,
    )


def _size_in(pictures: SourcePictures, picture: str, image: SourceImage, *, has_boxes: bool) -> tuple[int, int]:
    """Return the size of the picture. Raises Defect if the image has boxes and another size."""
    if has_boxes:
        check_size(pictures, picture, image.width, image.height)
    width, height = size_of(pictures, picture)
    if (width, height) != (image.width, image.height):
        stated = f"{image.width} x {image.height}"
        image.details.add(f"{image.where}: the picture is {width} x {height} pixels upright, {stated} is left out")
    return width, height


def _by_boxes(same: dict[frozenset[Box], str], boxes: Iterable[Box]) -> str | None:
    """Return the chain of a phrase with exactly these boxes, or None for one without boxes."""
    key = frozenset(boxes)
    return same.setdefault(key, f"boxes {len(same) + 1}") if key else None


def caption_text(value: object, where: str) -> str:
    """Return the text of a caption. Raises Defect for an empty or a very long one."""
    text = as_text(value, where)
    if not text.strip():
        raise Defect(f"{where} is empty")
    if len(text) > LONGEST_CAPTION:
        raise Defect(f"{where} has {len(text):,} characters: at most {LONGEST_CAPTION:,} are allowed")
    return text


def spans_of(value: object, text: str, where: str, apart: Collection[Span] = ()) -> list[Span]:
    """Return spans of characters, without white space at their ends. Raises Defect for others.

    Spans with only white space between are one phrase: some files have a span for each word. `apart`: spans that are
    phrases of their own.
    """
    found = []
    rows = as_list(value, where)
    if len(rows) > MOST_PHRASES_OF_CAPTION:
        raise Defect(f"{where} has {len(rows):,} phrases: at most {MOST_PHRASES_OF_CAPTION} are allowed")
    for row in rows:
        edges: list[Any] = as_list(row, where)
        if len(edges) != 2 or any(isinstance(edge, bool) or not isinstance(edge, int) for edge in edges):
            raise Defect(f"{where} is not a list of pairs [from, to) of characters")
        start, end = edges
        if not 0 <= start < end <= len(text) or not text[start:end].strip():
            raise Defect(f"{where}: [{start}, {end}) is no part of a caption of {len(text)} characters")
        own = text[start:end]
        found.append((start + len(own) - len(own.lstrip()), end - len(own) + len(own.rstrip())))
    if not found:
        raise Defect(f"{where} is empty: it names no phrase")
    joined: list[Span] = []
    for span in sorted(dict.fromkeys(found)):
        last = joined[-1] if joined else None
        beside = last and last[1] <= span[0] and not text[last[1] : span[0]].strip()
        if last and beside and not (last in apart and span in apart):
            joined[-1] = last[0], span[1]
        else:
            joined.append(span)
    return joined


def add_negatives(row: Any, caption: SourceCaption, image: SourceImage, where: str, line: int | None = None) -> None:
    """Add the negative phrases that a row may have to its caption; those that cannot be used are details."""
    if "negatives" not in row:
        return
    with image.details.left_out("what is in its negatives", line):
        for number, negative in enumerate(as_list(row["negatives"], f"{where}.negatives")):
            place = f"{where}.negatives[{number}]"
            with image.details.left_out("the negative", line):
                spans = spans_of(member(negative, "tokens_negative", place), caption.text, f"{place}.tokens_negative")
                if negative.get("phrase") is not None:
                    check_phrase(spans, negative["phrase"], caption.text, place)
                for span in spans:
                    caption.add_negative(span)


def negatives_left(rows: Any, changed: Mapping[Span, PhraseEdit]) -> Any:
    """Return the negatives of a caption without those that have boxes now."""
    boxed = [[list(span)] for span, edit in changed.items() if edit.after and edit.after.boxes]
    if not isinstance(rows, list):
        return rows
    return [row for row in rows if not isinstance(row, dict) or row.get("tokens_negative") not in boxed]


def check_phrase(spans: Sequence[Span], phrase: object, text: str, where: str) -> None:
    """Raise Defect if the spans are not those of the phrase, a text or a list of texts, of the same region."""
    there = [text[start:end] for start, end in spans]
    said = phrase if isinstance(phrase, list) else [phrase]
    texts = [text_part for text_part in said if isinstance(text_part, str)]
    if len(texts) < len(said) or not same_words(" ".join(texts), " ".join(there)):
        raise Defect(f"{where}.phrase is {str(phrase)[:60]!r}, but the caption has {there[0][:60]!r} there")
    if len(there) > 1 and not isinstance(phrase, list):
        raise Defect(f"{where}.phrase {str(phrase)[:60]!r} is not in one piece in the caption")


_GOES_ON = frozenset(
    (
        "about", "above", "across", "against", "along", "among", "and", "are", "around", "as", "at", "behind",
        "below", "beside", "between", "beyond", "by", "can", "down", "during", "for", "from", "had", "has",
        "have", "in", "inside", "into", "is", "near", "next", "off", "on", "onto", "out", "outside", "over",
        "past", "that", "through", "to", "toward", "towards", "under", "underneath", "up", "upon", "was",
        "were", "which", "while", "who", "whose", "with", "within", "without",
    )
)  # fmt: skip
"""Words that follow the head of a description: prepositions, verbs of state, and what begins a clause."""
_NOUNS_IN_ING = frozenset(
    (
        "awning", "building", "ceiling", "clothing", "dressing", "earring", "evening", "frosting", "icing",
        "king", "lettering", "lightning", "lining", "morning", "painting", "paneling", "parking", "piping",
        "railing", "ring", "sibling", "siding", "spring", "string", "swing", "topping", "wedding", "wing",
        "wiring", "writing",
    )
)  # fmt: skip


def whole_phrase(
    text: object, where: str, boxes: Iterable[Box], chain: str | None = None, category: str = ""
) -> SourceCaption:
    """Return the caption. Punctuation at its ends is no part of the phrase. Raises Defect for one without a word.

    Without a `chain` the boxes tell it. The phrase has the types of the category; without one, those of its head:
    dictionaries read the end of a phrase, which in a sentence often names another thing.
    """
    own = caption_text(text, where)
    caption = tokenized_caption(own)
    spans = trimmed(caption.words, [(0, len(caption.words))])
    if not spans:
        raise Defect(f"{where} has no word")
    span = character_span(caption, *spans[0])
    words = category.split() or head_of(caption.words[slice(*spans[0])])
    types = tuple(map(str, types_of(words, load_dictionaries())))
    return SourceCaption(
        own, where, {span: list(boxes)}, {} if chain is None else {span: chain}, {span: types}, is_phrase=True
    )


def head_of(words: Sequence[str]) -> Sequence[str]:
    """Return the beginning of a description that names its thing: "a man" of "a man wearing a blue shirt"."""
    plain = [" ".join(plain_words([word])) for word in words]
    for place, word in enumerate(plain):
        is_verb = word.endswith("ing") and word not in _NOUNS_IN_ING
        if place and any(plain[:place]) and (not word or word in _GOES_ON or is_verb):
            return words[:place]
    return words


def turned(box: Sequence[float], degrees: float, around: Point) -> list[Point]:
    """Return the corners of [x, y, width, height] after a turn to the right, as one sees it, around a point."""
    x, y, width, height = box
    sine, cosine = math.sin(math.radians(degrees)), math.cos(math.radians(degrees))
    corners = [(x, y), (x + width, y), (x + width, y + height), (x, y + height)]
    offsets = [(dx - around[0], dy - around[1]) for dx, dy in corners]
    return [(around[0] + dx * cosine - dy * sine, around[1] + dx * sine + dy * cosine) for dx, dy in offsets]


def box_around(points: Iterable[Point], width: int, height: int, where: str) -> Box:
    """Return the smallest whole-pixel box around the points, cut at the edges of the image. Sizes in pixels.

    Raises Defect for one that has no area in the image.
    """
    columns, rows = zip(*points, strict=True)
    x0, x1 = (min(max(edge, 0.0), width) for edge in (min(columns), max(columns)))
    y0, y1 = (min(max(edge, 0.0), height) for edge in (min(rows), max(rows)))
    return whole_box([x0, y0, x1 - x0, y1 - y0], width, height, where)
