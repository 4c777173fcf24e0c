"""Exports for trainers as pictures: MDETR's JSON, ODVG, and rows of hub folders and of Parquet files.

They hold phrases with boxes alone. Files from elsewhere may not name chains: phrases of an image with the very same
boxes are one then, as for imports.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path, PurePosixPath
from typing import Any

from evaluation.errors import InputError
from evaluation.optional import need
from evaluation.reading.entities import TYPES
from evaluation.reading.json_lines import listed, member, number, whole
from evaluation.reading.picture import Box, Caption, Lack, Phrase, Picture
from evaluation.reading.source import SMALL, Source

METADATA = "metadata.jsonl"
PARQUET_GROWTH = 40
"""Bytes that the rows of a Parquet file may take for each of its bytes: files with texts alone have about 4."""
LONGEST_CAPTION, LONGEST_PHRASE, MOST_PHRASES = 3_000, 500, 40
"""The characters of a caption and of a phrase, and the phrases of a caption, as imports allow them."""
Span = tuple[int, int]
"""Characters of a caption."""


@dataclass
class _Marked:
    """A phrase: its boxes in the order of the file, its chain and type where the file has them."""

    boxes: list[Box] = field(default_factory=list)
    chain: str = ""
    types: tuple[str, ...] = ()


@dataclass
class _Image:
    width: int
    height: int
    captions: list[tuple[str, dict[Span, _Marked]]] = field(default_factory=list)
    loose: list[tuple[str, Box]] = field(default_factory=list)

    def add_caption(self, value: Any, where: str) -> tuple[str, dict[Span, _Marked]]:
        if not isinstance(value, str):
            raise InputError(f"{where}: the caption is not text.")
        if len(value) > LONGEST_CAPTION:
            raise InputError(f"{where}: the caption has more than {LONGEST_CAPTION:,} characters.")
        self.captions.append((value, {}))
        return self.captions[-1]


def read_mdetr(value: Any, file: str) -> list[Picture]:
    """Return the pictures by name of the value of a file. Raises InputError, which names file and place."""
    images: dict[str, _Image] = {}
    captions: dict[Any, tuple[str, dict[Span, _Marked]]] = {}
    for place, row in enumerate(listed(value, "images", file), start=1):
        where = f"{file}, image {place}"
        image = _image(images, row, "file_name", where)
        captions[str(member(row, "id", where))] = image.add_caption(member(row, "caption", where), where)
    for place, row in enumerate(listed(value, "annotations", file), start=1):
        where = f"{file}, annotation {place}"
        if (caption := captions.get(str(member(row, "image_id", where)))) is None:
            raise InputError(f"{where}: no image has the id of its 'image_id'.")
        for span in listed(row, "tokens_positive", where):
            _add(caption, span, [_wide(member(row, "bbox", where), where)], row, where)
    return _pictures(images, Lack.UNBOXED, Lack.TYPES)


def read_odvg(lines: Iterable[tuple[str, Any]]) -> list[Picture]:
    """Return the pictures by name of lines, each with its place. Raises InputError as `read_mdetr`."""
    images: dict[str, _Image] = {}
    for where, row in lines:
        image, grounding = _image(images, row, "filename", where), member(row, "grounding", where)
        caption = image.add_caption(member(grounding, "caption", where), where)
        for place, region in enumerate(listed(grounding, "regions", where), start=1):
            own = f"{where}, region {place}"
            boxes = listed(region, "bbox", own)
            rows = boxes if boxes and isinstance(boxes[0], list) else [boxes]
            for span in listed(region, "tokens_positive", own):
                _add(caption, span, [_edges(row, own) for row in rows], region, own)
    return _pictures(images, Lack.UNBOXED, Lack.TYPES)


def read_hub(rows: Iterable[tuple[str, Any]]) -> list[Picture]:
    """Return the pictures by name of rows of a hub folder or of Parquet files. Raises InputError as `read_mdetr`."""
    images: dict[str, _Image] = {}
    for where, row in rows:
        image, objects = _image(images, row, "file_name", where), member(row, "objects", where)
        if image.captions:
            raise InputError(f"{where}: the picture {row['file_name']} stands twice.")
        captions = [image.add_caption(one, where) for one in listed(row, "captions", where)]
        columns = ("bbox", "categories", "caption", "start", "end", "chain")
        lists = [listed(objects, name, f"{where}, objects") for name in columns]
        if len({*map(len, lists)}) > 1:
            raise InputError(f"{where}, objects: the lists differ in length.")
        for bbox, category, caption, start, end, chain in zip(*lists, strict=True):
            box = _wide(bbox, where)
            if caption == -1:
                image.loose.append((str(category), box))
                continue
            if whole(caption, f"{where}: a caption") >= len(captions):
                raise InputError(f"{where}: there is no caption {caption}.")
            kind = str(category).replace(" ", "")
            types = (kind,) if kind in TYPES else ()
            _add(captions[caption], [start, end], [box], {"chain": chain, "types": types}, where)
    return _pictures(images, Lack.UNBOXED, Lack.FURTHER_TYPES)


def parquet_rows(source: Source, names: Sequence[str]) -> Iterator[tuple[str, Any]]:
    """Yield the place and the value of each row of the files, without pictures.

    Raises InputError for another file, and for one whose rows take far more than it: many may share one large text.
    """
    parquet = need("pyarrow.parquet", "reading Parquet")
    for name in names:
        try:
            file = source.path / name if source.path.is_dir() else BytesIO(source.read(name))
            most = SMALL + PARQUET_GROWTH * (file.stat().st_size if isinstance(file, Path) else len(file.getvalue()))
            table = parquet.ParquetFile(file)
            columns = [table.schema.column(place) for place in range(len(table.schema))]
            texts = [column.path for column in columns if column.physical_type == "BYTE_ARRAY"]
            wanted = [name for name in table.schema_arrow.names if name != "image"]
            size, place = _told_bytes(table.metadata), 0
            if size <= most:
                size, table = 0, parquet.ParquetFile(file, read_dictionary=texts)
            for batch in table.iter_batches(64, columns=wanted) if size <= most else ():
                if (size := size + sum(map(_whole_bytes, batch.columns))) > most:
                    break
                for row in batch.to_pylist():
                    place += 1
                    yield f"{name}, row {place}", row
            if size > most:
                raise InputError(f"{name} has more than {PARQUET_GROWTH} times its size in its rows: it is no export.")
        except (OSError, ValueError) as error:  # pyarrow's own errors are of these kinds
            raise InputError(f"{name} is not readable as Parquet: {error}.") from error


def _told_bytes(metadata: Any) -> int:
    """Return the bytes of the columns without pictures, as the end of the file tells them; a null counts a few."""
    groups = map(metadata.row_group, range(metadata.num_row_groups))
    chunks = [group.column(place) for group in groups for place in range(group.num_columns)]
    wanted = [chunk for chunk in chunks if chunk.path_in_schema.partition(".")[0] != "image"]
    return sum(max(one.total_uncompressed_size, 8 * one.num_values) for one in wanted)


def _whole_bytes(array: Any) -> int:
    """Return the bytes of an array of Arrow with each text counted wherever it is used."""
    types, compute = (need(f"pyarrow.{name}", "reading Parquet") for name in ("types", "compute"))
    if types.is_dictionary(array.type):
        lengths = compute.binary_length(array.dictionary).take(array.indices)
        return (compute.sum(lengths).as_py() or 0) + 8 * len(array)
    if types.is_struct(array.type):
        return sum(map(_whole_bytes, array.flatten()))
    if types.is_list(array.type) or types.is_large_list(array.type):
        return _whole_bytes(array.flatten()) + 8 * len(array)
    return int(array.nbytes)


def _image(images: dict[str, _Image], row: Any, key: str, where: str) -> _Image:
    path = member(row, key, where)
    if not isinstance(path, str) or not path:
        raise InputError(f"{where}: the field {key!r} is not the path of a picture.")
    width, height = (whole(member(row, side, where), f"{where}: the {side}") for side in ("width", "height"))
    found = images.setdefault(path, _Image(width, height))
    if (found.width, found.height) != (width, height):
        raise InputError(f"{where}: {path} has another size than in an earlier row.")
    return found


def _add(
    caption: tuple[str, dict[Span, _Marked]], span: Any, boxes: list[Box], row: Mapping[str, Any], where: str
) -> None:
    """Add boxes to the phrase of a caption with this span."""
    text, phrases = caption
    if not isinstance(span, list) or len(span) != 2:
        raise InputError(f"{where}: a span is {str(span)[:40]!r}, not [from, to] of characters.")
    begin, end = (whole(edge, f"{where}: an edge of a span") for edge in span)
    if not text[begin:end].strip():
        raise InputError(f"{where}: no word of the caption is from character {begin} to {end}.")
    if len(text[begin:end]) > LONGEST_PHRASE:
        raise InputError(f"{where}: the phrase has more than {LONGEST_PHRASE} characters.")
    marked = phrases.setdefault((begin, end), _Marked())
    if len(phrases) > MOST_PHRASES:
        raise InputError(f"{where}: the caption has more than {MOST_PHRASES} phrases.")
    marked.boxes += boxes
    marked.chain = str(row.get("chain") or marked.chain)
    marked.types = row.get("types", ())


def _edges(value: Any, where: str) -> Box:
    if not isinstance(value, list) or len(value) != 4:
        raise InputError(f"{where}: a box is not a list of 4 numbers.")
    x0, y0, x1, y1 = (number(edge, f"{where}: the box") for edge in value)
    return x0, y0, x1, y1


def _wide(value: Any, where: str) -> Box:
    x, y, width, height = _edges(value, where)
    return x, y, x + width, y + height


def _pictures(images: Mapping[str, _Image], *lacks: Lack) -> list[Picture]:
    short = Counter(map(_short_name, images))
    return sorted(
        (
            _picture(name if short[name := _short_name(path)] == 1 else path.replace("/", "_"), image, lacks)
            for path, image in images.items()
        ),
        key=lambda one: one.name,
    )


def _short_name(path: str) -> str:
    """Return the name of an image as exports make it: folders joined with _, without the ending."""
    return "_".join(PurePosixPath(path).with_suffix("").parts)


def _picture(name: str, image: _Image, lacks: Iterable[Lack]) -> Picture:
    same: dict[frozenset[Box], str] = {}
    boxes: dict[str, dict[Box, None]] = defaultdict(dict)
    captions = []
    for place, (text, marked) in enumerate(image.captions):
        phrases = []
        for at, ((begin, end), one) in enumerate(sorted(marked.items())):
            chain = one.chain or same.setdefault(frozenset(one.boxes), f"boxes {len(same) + 1}")
            boxes[chain] |= dict.fromkeys(one.boxes)
            start, words = len(text[:begin].split()), tuple(text[begin:end].split())
            phrases.append(Phrase(place, at, start, words, chain, one.types))
        captions.append(Caption(tuple(text.split()), tuple(phrases)))
    return Picture(
        name,
        image.width,
        image.height,
        tuple(captions),
        {chain: list(box) for chain, box in boxes.items()},
        tuple(image.loose),
        lacks=frozenset(lacks),
    )
