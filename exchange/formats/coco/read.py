"""The reader for COCO: captions*.json, and if they are there instances*.json and pictures in images/."""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from annotation.bounds import JSON_BYTES, LONGEST_DOUBT, MOST_BOXES, MOST_CAPTIONS
from annotation.rules.mention_type import MentionType
from exchange.checks import (
    BadRows,
    Defect,
    SourceError,
    as_id,
    as_list,
    as_pixels,
    as_text,
    decode,
    kind,
    member,
    parse_json,
    read_bytes,
    same_id,
    source_error,
)
from exchange.dataset import DatasetBox, DatasetCaption, DatasetChain, DatasetImage, DatasetMention, Detail, Problem
from exchange.details import BoxForm, Details, four_numbers
from exchange.formats.pictures import FolderPictures, FoundPictures, SourcePictures, size_of
from exchange.formats.spans import BOXES_ALONE, caption_text
from exchange.names import image_name, names_of, natural_key, same_path
from exchange.split_captions import tokenized_caption, words_at

Id = int | str

_CAPTIONS = re.compile(rb'"captions"\s*:\s*\[')
_KIND = re.compile("^(captions|instances)")
_PIECE, _OVERLAP = 1 << 20, 100


@dataclass(slots=True)
class CocoEntry:
    """An entry of a list in a JSON file, with its file and its place."""

    value: Any
    file: str
    where: str
    split: str = ""
    """The part of the data set that the file's name tells: train of captions_train.json."""


@dataclass(slots=True)
class Tables:
    """The contents of the files by image id. `problems` are about entries that have no usable id."""

    images: dict[Id, list[CocoEntry]] = field(default_factory=dict)
    listed: dict[Id, list[CocoEntry]] = field(default_factory=dict)
    """The images of the files of boxes beside those of captions."""
    captions: dict[Id, list[CocoEntry]] = field(default_factory=dict)
    boxes: dict[Id, list[CocoEntry]] = field(default_factory=dict)
    chains: dict[Id, list[CocoEntry]] = field(default_factory=dict)
    """The chains of an image, in files that exports wrote."""
    categories: dict[Id, str] = field(default_factory=dict)
    twice: dict[Id, str] = field(default_factory=dict)
    """Captions or boxes whose id is that of another one, with the place of that."""
    problems: list[Problem] = field(default_factory=BadRows)
    repeated: list[Problem] = field(default_factory=list)
    """Captions and boxes whose id occurs twice, and whether they are read."""
    several: set[Id] = field(default_factory=set)
    """Ids of an image in each of several splits."""

    def key(self, image: Id, split: str) -> Id:
        """Return what tells the image of a file from others: its id, with the split where several have this id."""
        return f"{split}: {image}" if same_id(image) in self.several else same_id(image)


def caption_files(path: Path, *, whole: bool = True) -> list[Path]:
    """Return the caption files of a COCO folder, in it or in `annotations/`, by name.

    With `whole`, a folder without captions*.json may have one .json file with boxes under `annotations` and captions
    under `captions`, as exports into one file have them.
    """
    return _json_files(path, "captions") or (one_file(path) if whole else [])


def one_file(path: Path) -> list[Path]:
    """Return the only .json file of the folder, if it has both lists in itself."""
    files = [file for file in sorted(path.glob("*.json")) if file.is_file()]
    return files if len(files) == 1 and _holds_captions(files[0]) else []


def _holds_captions(file: Path) -> bool:
    """Tell whether the file begins like an object with the key `captions`, which may stand far behind."""
    overlap = b""
    with file.open("rb") as source:
        while data := source.read(_PIECE):
            if _CAPTIONS.search(overlap + data):
                return True
            overlap = data[-_OVERLAP:]
    return False


def read_tables(path: Path) -> Tables:
    """Read every captions*.json and instances*.json. Takes about six times their size in memory.

    Raises SourceError for a file that is not JSON or has not COCO's lists.
    """
    tables = Tables()
    if files := _json_files(path, "captions"):
        contents = [_content(path, file) for file in files]
        tables.several = _in_several_splits(contents)
        for content in contents:
            _read_lists(tables, content, tables.images, {"annotations": tables.captions}, tables.chains)
        for file in instance_files(path):
            _read_lists(tables, _content(path, file), tables.listed, {"annotations": tables.boxes})
    else:
        for file in one_file(path):
            lists = {"captions": tables.captions, "annotations": tables.boxes}
            _read_lists(tables, _content(path, file), tables.images, lists, tables.chains)
    _report_unknown(tables, tables.captions, tables.images, "captions")
    _report_unknown(tables, tables.boxes, {**tables.images, **tables.listed}, "boxes")
    return tables


def instance_files(path: Path) -> list[Path]:
    """Return the files of boxes of a COCO folder, in it or in `annotations/`, by name."""
    return _json_files(path, "instances")


def read_instances(path: Path) -> Tables:
    """Read every instances*.json alone: images, boxes and categories. Memory and errors are those of `read_tables`."""
    tables = Tables()
    for file in instance_files(path):
        _read_lists(tables, _content(path, file), tables.images, {"annotations": tables.boxes})
    _report_unknown(tables, tables.boxes, tables.images, "boxes")
    return tables


def _json_files(path: Path, kind: str) -> list[Path]:
    folders = (path, path / "annotations")
    return [file for folder in folders for file in sorted(folder.glob(f"{kind}*.json")) if file.is_file()]


class _Content(NamedTuple):
    """The content of a file."""

    shown: str
    split: str
    value: Any


def _content(path: Path, file: Path) -> _Content:
    """Read a file. Raises SourceError for one that is not JSON."""
    shown = file.relative_to(path).as_posix()
    split = _KIND.sub("", file.stem).strip("_-. ")
    try:
        return _Content(shown, split, parse_json(decode(read_bytes(file, most=JSON_BYTES))))
    except Defect as defect:
        raise SourceError(defect.problem(shown)) from defect


def _in_several_splits(contents: list[_Content]) -> set[Id]:
    """Return the ids that images of several splits have."""
    splits: dict[Id, set[str]] = {}
    for content in contents:
        rows = content.value.get("images") if isinstance(content.value, dict) else None
        for entry in rows if isinstance(rows, list) else ():
            with suppress(Defect):
                number = same_id(as_id(member(entry, "id", ""), ""))
                splits.setdefault(number, set()).add(content.split)
    return {number for number, its_splits in splits.items() if len(its_splits) > 1}


def _read_lists(
    tables: Tables,
    content: _Content,
    images: dict[Id, list[CocoEntry]],
    lists: dict[str, dict[Id, list[CocoEntry]]],
    chains: dict[Id, list[CocoEntry]] | None = None,
) -> None:
    """Read the images of a file, and the lists that belong to them; `chains`, too, if it has such a list."""
    try:
        rows = {key: as_list(member(content.value, key, "the file"), key) for key in ("images", *lists)}
        categories = as_list(content.value.get("categories", []), "categories")
        listed_chains = as_list(content.value.get("chains", []), "chains")
    except Defect as defect:
        raise SourceError(defect.problem(content.shown)) from defect
    _collect_images(tables, content, rows["images"], images)
    for key, into in lists.items():
        _collect_annotations(tables, content, rows[key], key, into)
    if chains is not None:
        _collect_annotations(tables, content, listed_chains, "chains", chains)
    for place, entry in _numbered(categories, "categories"):
        try:
            name = as_text(member(entry, "name", place), f"{place}.name")
            tables.categories[same_id(as_id(member(entry, "id", place), f"{place}.id"))] = name
        except Defect as defect:
            tables.problems.append(Detail(content.shown, None, "", defect.message))


def _collect_images(tables: Tables, content: _Content, entries: list[Any], into: dict[Id, list[CocoEntry]]) -> None:
    for place, entry in _numbered(entries, "images"):
        try:
            number = as_id(member(entry, "id", place), f"{place}.id")
        except Defect as defect:
            if into is not tables.listed:  # an image all the same: it is left out by the name that it has
                name = entry.get("file_name") if isinstance(entry, dict) else None
                image = name if isinstance(name, str) and name else place
                tables.problems.append(defect.problem(content.shown, image, key=f"{content.shown}:{place}"))
        else:
            row = CocoEntry(entry, content.shown, place, content.split)
            into.setdefault(tables.key(number, content.split), []).append(row)


def _collect_annotations(
    tables: Tables, content: _Content, entries: list[Any], name: str, into: dict[Id, list[CocoEntry]]
) -> None:
    first: dict[Id, tuple[str, Any]] = {}
    for place, entry in _numbered(entries, name):
        try:
            image = as_id(member(entry, "image_id", place), f"{place}.image_id")
        except Defect as defect:
            tables.problems.append(Detail(content.shown, None, "", f"{defect.message}: it is left out"))
            continue
        with suppress(Defect):  # readers pass over an id: little refers to an annotation by it
            number = same_id(as_id(entry.get("id"), place))
            there, same = first.setdefault(number, (place, entry))
            if there != place:
                tables.twice[number] = there
                again = f"{place}: the annotation id {number!r} occurs twice, in {there}, too"
                what = "it is left out" if same == entry else "both are read"
                tables.repeated.append(Detail(content.shown, None, "", f"{again}: {what}"))
                if same == entry:
                    continue
        into.setdefault(tables.key(image, content.split), []).append(
            CocoEntry(entry, content.shown, place, content.split)
        )


def _numbered(entries: list[Any], name: str) -> Iterator[tuple[str, Any]]:
    return ((f"{name}[{index}]", entry) for index, entry in enumerate(entries))


def _report_unknown(
    tables: Tables, annotations: dict[Id, list[CocoEntry]], images: dict[Id, list[CocoEntry]], name: str
) -> None:
    for image, rows in annotations.items():
        if image not in images:
            message = f"{rows[0].where}: image_id {image!r} is in no list of images; its {name} are left out"
            tables.problems.append(Detail(rows[0].file, None, "", message))


_TYPES = frozenset(map(str, MentionType))


def marked_caption(text: str, row: CocoEntry, number: int) -> tuple[DatasetCaption, list[DatasetMention]]:
    """Return the caption with its phrases, if the entry has any marked. Raises Defect for phrases that do not fit."""
    if "phrases" not in row.value:
        return tokenized_caption(text), []
    where = f"{row.where}.phrases"
    rows = as_list(row.value["phrases"], where)
    spans = [_span(member(row, "tokens_positive", where), where) for row in rows]
    hidden_at = f"{row.where}.not_visual"
    hidden = [_span(span, hidden_at) for span in as_list(row.value.get("not_visual", []), hidden_at)]
    caption, found, wrong = words_at(text, [*spans, *hidden])
    for why in wrong.values():
        raise Defect(f"{where}: {why}")
    mentions = [
        DatasetMention(
            number, *found[span], _types(row, where), as_text(member(row, "chain", where), f"{where}: chain")
        )
        for row, span in zip(rows, spans, strict=True)
    ]
    caption = DatasetCaption(caption.text, caption.words, caption.offsets, tuple(found[span] for span in hidden))
    return caption, sorted(mentions, key=lambda one: one.start)


def chains_of(rows: Iterable[CocoEntry], mentions: Sequence[DatasetMention]) -> tuple[DatasetChain, ...]:
    """Return the chains that the mentions name, in their order, with what the rows say of them."""
    said = {}
    for row in rows:
        name = as_text(member(row.value, "name", row.where), f"{row.where}.name")
        scene, no_box = (_flag(row.value.get(flag, False), f"{row.where}.{flag}") for flag in ("scene", "no_box"))
        doubted = as_text(row.value.get("doubted", ""), f"{row.where}.doubted")[:LONGEST_DOUBT]
        said[name] = DatasetChain(name, scene=scene, no_box=no_box, doubted=doubted)
    names = dict.fromkeys(mention.chain for mention in mentions if mention.chain is not None)
    return tuple(said.get(name, DatasetChain(name)) for name in names)


def chains_of_box(row: CocoEntry, chains: Collection[str | None]) -> tuple[str, ...]:
    """Return the names of the box's chains. Raises Defect for one that is not `there`: no phrase names it."""
    where = f"{row.file} {row.where}.chains"
    names = tuple(as_text(name, where) for name in as_list(row.value.get("chains", []), where))
    for name in names:
        if name not in chains:
            raise Defect(f"{where}: no phrase of the image is in chain {name!r}")
    return tuple(dict.fromkeys(names))


def _span(value: object, where: str) -> tuple[int, int]:
    rows = as_list(value, f"{where}: tokens_positive")
    edges = as_list(rows[0], f"{where}: tokens_positive") if len(rows) == 1 else []
    if len(edges) != 2 or any(isinstance(edge, bool) or not isinstance(edge, int) for edge in edges):
        raise Defect(f"{where}: tokens_positive is not one pair [from, to) of characters")
    return edges[0], edges[1]


def _types(value: object, where: str) -> tuple[str, ...]:
    types = tuple(
        as_text(type_, f"{where}: types") for type_ in as_list(member(value, "types", where), f"{where}: types")
    )
    for type_ in types:
        if type_ not in _TYPES:
            raise Defect(f"{where}: {type_[:40]!r} is not a type of phrases")
    return types


def _flag(value: object, where: str) -> bool:
    if not isinstance(value, bool):
        raise Defect(f"{where} is {kind(value)}, not true or false")
    return value


PICTURE_FOLDER = "images"
SIDES = ("width", "height")
_SHOWN = 3


def read_coco(
    path: Path, pictures: SourcePictures | None = None, form: BoxForm | None = None
) -> Iterator[DatasetImage | Problem]:
    """Yield the images in the order of their names, with captions in the order of the file.

    They are not chunked, unless the file is an export with phrases, whose chains are read, too.

    Boxes become the smallest whole-pixel boxes around them, crowd boxes too. `pictures` are the source's pictures if
    they are not in its folder; they are found wherever they lie. Raises SourceError without captions*.json, for a file
    that is not COCO's, and for pictures of which no image names one.
    """
    files = caption_files(path)
    if not files:
        raise source_error(path, "has no captions*.json, neither in it nor in annotations/")
    tables = read_tables(path)
    by_path, problems = _by_path(tables)
    found = FoundPictures(pictures or FolderPictures(path), by_path, folders=(PICTURE_FOLDER,))
    found.check(files[0].relative_to(path).as_posix())
    form = _form_of(tables, form or BoxForm())
    form.check(next(iter(instance_files(path) or files)).relative_to(path).as_posix())
    yield from tables.problems
    yield from tables.repeated
    yield from problems
    names = names_of(by_path)
    for file_name in sorted(by_path, key=lambda one: natural_key(names[one])):
        image, row = by_path[file_name]
        try:
            details = Details(row.file, file_name, form=form)
            read = _image(found, tables, names[file_name], file_name, image, row, details)
            yield from details.found
            yield read
        except Defect as defect:
            yield defect.problem(row.file, file_name)


def _by_path(tables: Tables) -> tuple[dict[str, tuple[Id, CocoEntry]], list[Problem]]:
    """Return the images by path, and a problem for each that has no usable path, or an id or path of another."""
    found: dict[str, list[tuple[str, Id, CocoEntry]]] = {}
    problems = []
    for image, rows in tables.images.items():
        for row in rows:
            try:
                file = _path_of(row)
                if len(rows) > 1:
                    raise Defect(f"{row.where}: the image id {image!r} occurs {_times(len(rows))}")
                found.setdefault(same_path(file), []).append((file, image, row))
            except Defect as defect:
                problems.append(defect.problem(row.file, _name_of(row, image), key=f"{row.file}:{row.where}"))
    for same in [files for files in found.values() if len(files) > 1]:
        if all(len({row.split for _, _, row in same}) == len(same) and row.split for _, _, row in same):
            for file, image, row in found.pop(same_path(same[0][0])):
                inside = f"{row.split}/{file}"
                found.setdefault(same_path(inside), []).append((inside, image, row))
    for same in found.values():
        for file, _, row in same if len(same) > 1 else ():
            others = [other.where for _, _, other in same[: _SHOWN + 1] if other is not row][:_SHOWN]
            more = f" and {len(same) - 1 - len(others):,} more" if len(same) > len(others) + 1 else ""
            message = f"{row.where}: the file_name {file!r} is that of {', '.join(others)}{more}, too"
            problems.append(Problem(row.file, None, file, message, key=f"{row.file}:{row.where}"))
    return {file: (image, row) for ((file, image, row), *others) in found.values() if not others}, problems


def _path_of(row: CocoEntry) -> str:
    file = as_text(member(row.value, "file_name", row.where), f"{row.where}.file_name")
    image_name(file)
    return file


def _name_of(row: CocoEntry, image: Id) -> str:
    """Return what an image that is left out is called: its file_name if it has one, otherwise its id."""
    file = row.value.get("file_name")
    return file if isinstance(file, str) and file else str(image)


def _times(number: int) -> str:
    return "twice" if number == 2 else f"{number} times"


def _form_of(tables: Tables, form: BoxForm) -> BoxForm:
    """Return the form, with all edges of the boxes noted."""
    for rows in tables.boxes.values():
        for row in rows:
            with suppress(Defect):
                x, y, w, h = four_numbers(row.value.get("bbox"), "")
                form.note(x + w, y + h)
    return form


def _image(
    pictures: FoundPictures, tables: Tables, name: str, path: str, image: Id, row: CocoEntry, details: Details
) -> DatasetImage:
    listed = tables.captions.get(image, []), tables.boxes.get(image, [])
    for rows, what, most in zip(listed, ("captions", "boxes"), (MOST_CAPTIONS, MOST_BOXES), strict=True):
        if len(rows) > most:
            raise Defect(f"{row.where} has {len(rows):,} {what}: at most {most:,} are allowed")
    picture = pictures.of(path) if pictures else None
    size = _size(pictures, picture, [row, *tables.listed.get(image, [])], details, boxed=bool(listed[1]))
    captions: list[DatasetCaption] = []
    mentions: list[DatasetMention] = []
    for entry in listed[0]:
        with details.left_out("the caption"):
            caption, marked = _caption(entry, len(captions))
            captions.append(caption)
            mentions += marked
    if not captions:
        why = [detail.message for detail in details.found if not detail.cut]
        missing = f": {BOXES_ALONE}: add captions to captions*.json" if listed[1] else " has no captions"
        raise Defect("; ".join([f"{row.where}{missing}", *why[:1]]))
    boxes = []
    named = {mention.chain for mention in mentions}
    for entry in listed[1]:
        with details.left_out("the box"):
            boxes.append(_box(tables, entry, size, named, details))
    return DatasetImage(
        name=name,
        width=size[0],
        height=size[1],
        captions=tuple(captions),
        mentions=tuple(mentions),
        chains=chains_of(tables.chains.get(image, ()), mentions),
        boxes=tuple(boxes),
        picture=picture,
        source=f"{row.file}:{row.where}",
        path=path,
        coco_id=as_id(row.value["id"], row.where),
    )


def _size(
    pictures: FoundPictures, picture: str | None, rows: list[CocoEntry], details: Details, *, boxed: bool
) -> tuple[int, int]:
    """Return the width and the height in pixels: of the picture, if there is one, and else as the files say.

    Raises Defect where nobody tells it, where two files differ, and where boxes have the pixels of another size.
    """
    said: dict[tuple[int, int], str] = {}
    wrong: list[Defect] = []
    for row in rows:
        try:
            width, height = (as_pixels(member(row.value, side, row.where), f"{row.where}.{side}") for side in SIDES)
            said.setdefault((width, height), row.where)
        except Defect as defect:
            if any(row.value.get(side) is not None for side in SIDES):
                wrong.append(defect)
            elif picture is None:
                wrong.insert(0, defect)
    if picture is not None:
        actual = size_of(pictures.pictures, picture)
    elif len(said) == 1:
        actual = next(iter(said))
    elif said:
        raise Defect(f"the files give two sizes, {' and '.join(f'{w} x {h} in {at}' for (w, h), at in said.items())}")
    else:
        raise wrong[0]
    for wrong_size in wrong:
        details.add(f"{wrong_size.message}: the size is left out")
    for (width, height), where in said.items():
        if (width, height) != actual:
            told = f"the picture {picture} is {actual[0]} x {actual[1]} pixels upright, not {width} x {height}"
            if boxed and actual not in said:
                raise Defect(told)
            details.add(f"{where}: {told}: the picture's size counts")
    return actual


def _caption(row: CocoEntry, number: int) -> tuple[DatasetCaption, list[DatasetMention]]:
    return marked_caption(caption_text(member(row.value, "caption", row.where), f"{row.where}.caption"), row, number)


def _box(
    tables: Tables, row: CocoEntry, size: tuple[int, int], named: Collection[str | None], details: Details
) -> DatasetBox:
    where = f"{row.file} {row.where}"
    category = category_of(tables, row)
    box = details.box(member(row.value, "bbox", where), *size, f"{where}.bbox")
    if chains := chains_of_box(row, named):
        return DatasetBox(box, chains)
    return DatasetBox(box, category=category)


def category_of(tables: Tables, row: CocoEntry) -> str:
    """Return the name of a box's category. Raises Defect for one that is in no list."""
    where = f"{row.file} {row.where}"
    category = as_id(member(row.value, "category_id", where), f"{where}.category_id")
    if same_id(category) not in tables.categories:
        raise Defect(f"{where}.category_id {category!r} is in no list of categories")
    return tables.categories[same_id(category)]
