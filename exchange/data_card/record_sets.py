"""Record sets of Croissant: the columns of each format that its readers load, flat, with the place of each value."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from exchange.data_card.distribution import FileSet

TEXT, INTEGER, FLOAT, BOX, PICTURE = "sc:Text", "sc:Integer", "sc:Float", "cr:BoundingBox", "sc:ImageObject"


@dataclass(frozen=True, slots=True)
class Column:
    """A value of each row."""

    name: str
    what: str
    data_type: str = TEXT
    place: str = ""
    """The column of the file, or for JSON the key of a row; empty: the name."""
    paths: tuple[str, ...] = ()
    """JSON paths that are applied to the value one after another, to each entry of a list."""
    many: bool = False
    """Whether a row has a list of them."""
    of_file: str = ""
    """A property of the file, such as its name or its whole content, which is the value."""


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows of a kind of file."""

    name: str
    what: str
    columns: tuple[Column, ...]
    files: tuple[str, ...]
    """Endings of the names of files that hold such rows."""
    within: str = ""
    """Of a JSON file: the key of the list of rows. Empty: each line, or each file of Parquet's rows, is one."""


def _objects() -> tuple[Column, ...]:
    """Return the columns of the parallel lists of a hub row."""
    return (
        Column(
            "bbox",
            "Left, top, width and height of each box of each phrase.",
            INTEGER,
            "objects",
            ("$.bbox",),
            many=True,
        ),
        Column("phrase", "The phrase of each box.", TEXT, "objects", ("$.phrase",), many=True),
        Column("category", "The first type of its phrase.", TEXT, "objects", ("$.categories",), many=True),
        Column("caption", "The number of its phrase's caption, from 0.", INTEGER, "objects", ("$.caption",), many=True),
        Column("start", "The first character of the phrase ...", INTEGER, "objects", ("$.start",), many=True),
        Column("end", "... and the first one behind it.", INTEGER, "objects", ("$.end",), many=True),
        Column("chain", "The number of its chain.", TEXT, "objects", ("$.chain",), many=True),
        Column(
            "confidence", "Its chance of being right; -1: not known.", FLOAT, "objects", ("$.confidence",), many=True
        ),
    )


NAME = Column("file_name", "The file of the picture.")
SIZE = (Column("width", "In pixels.", INTEGER), Column("height", "In pixels.", INTEGER))
CAPTIONS = Column("captions", "The captions of the picture.", many=True)
IMAGE_ID = Column("image_id", "The id of the image.", INTEGER)
COCO_BOX = Column("bbox", "Left, top, width and height, in pixels.", BOX)
ID = Column("id", "Its id.", INTEGER)
COCO_IMAGES = (ID, NAME, *SIZE)
COCO_CAPTIONS = (ID, IMAGE_ID, Column("caption", "Its text."))
COCO_BOXES = (
    *(ID, IMAGE_ID, COCO_BOX),
    Column("category_id", "The id of its category.", INTEGER),
    Column("chains", "The numbers of its chains.", many=True),
)
COCO_FILE = "coco in one file"
REGIONS = ("$.regions",)
ROWS: dict[str, tuple[Rows, ...]] = {
    "mdetr": (
        Rows(
            "captions",
            "A row for each caption.",
            (Column("id", "The number of the row.", INTEGER), NAME, *SIZE, Column("caption", "Its text.")),
            (".json",),
            "images",
        ),
        Rows(
            "boxes",
            "A row for each box of each phrase.",
            (
                Column("id", "The number of the box.", INTEGER),
                Column("image_id", "The number of the caption's row.", INTEGER),
                COCO_BOX,
                Column("chain", "The number of the chain."),
            ),
            (".json",),
            "annotations",
        ),
    ),
    "coco": (
        Rows("images", "A row for each image.", COCO_IMAGES, ("captions.json",), "images"),
        Rows("captions", "A row for each caption.", COCO_CAPTIONS, ("captions.json",), "annotations"),
        Rows("boxes", "A row for each box.", COCO_BOXES, ("instances.json",), "annotations"),
    ),
    COCO_FILE: (
        Rows("images", "A row for each image.", COCO_IMAGES, (".json",), "images"),
        Rows("captions", "A row for each caption.", COCO_CAPTIONS, (".json",), "captions"),
        Rows("boxes", "A row for each box.", COCO_BOXES, (".json",), "annotations"),
    ),
    "odvg": (
        Rows(
            "captions",
            "A row for each caption.",
            (
                Column("filename", "The file of the picture."),
                *SIZE,
                Column("caption", "Its text.", TEXT, "grounding", ("$.caption",)),
                Column("phrase", "The phrase of each region.", TEXT, "grounding", (*REGIONS, "$.phrase"), many=True),
                Column(
                    "bbox",
                    "Edges of each region's only box, x0, y0, x1, y1; a phrase has a region for each of its boxes.",
                    INTEGER,
                    "grounding",
                    (*REGIONS, "$.bbox"),
                    many=True,
                ),
                Column("chain", "The chain of each region.", TEXT, "grounding", (*REGIONS, "$.chain"), many=True),
            ),
            (".jsonl",),
        ),
    ),
    "chat": (
        Rows(
            "conversations",
            "A row for each caption.",
            (
                Column("role", "Who speaks.", TEXT, "messages", ("$.role",), many=True),
                Column("content", "What is said.", TEXT, "messages", ("$.content",), many=True),
                Column("image", "The file of the picture.", TEXT, "images", many=True),
                Column("phrase", "The marked phrases.", TEXT, "objects", ("$.ref",), many=True),
                Column("bbox", "Edges of each box, x0, y0, x1, y1.", INTEGER, "objects", ("$.bbox",), many=True),
            ),
            (".jsonl",),
        ),
    ),
    "jsonl": (
        Rows(
            "lines",
            "A row for the project, which holds its settings, and then one for each image.",
            (
                Column("kind", "project or image."),
                Column("name", "The name of the project or of the image."),
                Column("state", "How far the image is."),
                *SIZE,
                Column("captions", "Its captions.", TEXT, "captions", ("$.text",), many=True),
                Column("phrases", "Its phrases.", TEXT, "mentions", ("$.text",), many=True),
                Column("chain_of_phrase", "The chain of each.", INTEGER, "mentions", ("$.chain",), many=True),
                Column("boxes", "Edges of each box before merging.", INTEGER, "boxes", ("$.box",), many=True),
                Column("merged_boxes", "Edges of each final box.", INTEGER, "merged_boxes", ("$.box",), many=True),
            ),
            (".jsonl",),
        ),
    ),
    "hub": (Rows("images", "A row for each image.", (NAME, *SIZE, CAPTIONS, *_objects()), ("metadata.jsonl",)),),
    "parquet": (
        Rows(
            "images",
            "A row for each image.",
            (
                Column("image", "The picture.", PICTURE, "image", ("$.bytes",)),
                NAME,
                *SIZE,
                CAPTIONS,
                *_objects(),
            ),
            (".parquet",),
        ),
    ),
    "flickr30k-entities": (
        Rows(
            "captions",
            "A row for each image: its captions, a line each, with phrases in brackets.",
            (
                Column("file", "The image's name with .txt.", of_file="filename"),
                Column("captions", "All lines of the file.", of_file="content"),
            ),
            (".txt",),
        ),
    ),
}
"""By format. Boxes of Annotations/ have none: readers of Croissant cannot read XML."""


class RecordSet(NamedTuple):
    """The rows of one source."""

    source: str
    """The id of the file, or set of files, that holds them: a file with several lists of rows has an id for each."""
    path: str
    """The path of the file; empty: a set."""
    json: dict[str, Any]


def record_sets(
    export_format: str, files: Mapping[str, str], sets: Iterable[FileSet], parts: Collection[str]
) -> Iterator[RecordSet]:
    """Yield the record sets of an export, each part's apart. `files`: the paths of files by their ids."""
    for id, path in files.items():
        name = PurePosixPath(path).name
        fitting = [rows for rows in ROWS.get(export_format, ()) if name.endswith(rows.files)]
        for place, rows in enumerate(fitting):
            source = f"{id}/{rows.within}" if place else id
            yield RecordSet(source, path, _record_set(rows, _part(path, parts), "cr:fileObject", source))
    for one in sets:
        for rows in ROWS.get(export_format, ()):
            if one.suffix in rows.files:
                yield RecordSet(one.id, "", _record_set(rows, _part(one.folder, parts), "cr:fileSet", one.id))


def _part(path: str, parts: Collection[str]) -> str:
    """Return the part that a path belongs to; empty: the export has none."""
    first = path.split("/")[0]
    return next((part for part in (first, PurePosixPath(first).stem) if part in parts), "")


def _record_set(rows: Rows, part: str, kind: str, source: str) -> dict[str, Any]:
    name = f"{part}-{rows.name}" if part else rows.name
    return {
        "@type": "cr:RecordSet",
        "@id": name,
        "name": name,
        "description": rows.what,
        "field": [_field(name, rows, column, {kind.removeprefix("cr:"): {"@id": source}}) for column in rows.columns],
    }


def _field(of: str, rows: Rows, column: Column, source: dict[str, Any]) -> dict[str, Any]:
    place = column.place or column.name
    extract = {"jsonPath": f"$.{rows.within}[*].{place}"} if rows.within else {"column": place}
    if column.of_file:
        extract = {"fileProperty": column.of_file}
    found: dict[str, Any] = {
        "@type": "cr:Field",
        "@id": f"{of}/{column.name}",
        "name": column.name,
        "description": column.what,
        "dataType": column.data_type,
        "source": {**source, "extract": extract},
    }
    if column.paths:
        found["source"]["transform"] = [{"jsonPath": path} for path in column.paths]
    if column.many:
        found["repeated"] = True
    return found
