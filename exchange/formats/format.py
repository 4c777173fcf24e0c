"""A file format, declared once: how files of it are recognised, read, written and corrected, and what it cannot hold.

Imports, exports, corrections, data cards, pages and commands ask the object, and know no format by its name. No Django
stands below `exchange.formats`; a format that needs tables joins in `exchange.registry`.
"""

import re
import shutil
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any, NamedTuple, Protocol

from annotation.bounds import TABLE_BYTES
from exchange.atomic import atomic_file, atomic_folder
from exchange.checks import source_error
from exchange.dataset import DatasetImage, Problem
from exchange.details import BoxForm, BoxUnit
from exchange.formats.edits import EditStore
from exchange.formats.parts import ExportPart, Layout, PartText
from exchange.formats.phrases import ExportNote
from exchange.formats.pictures import SourcePictures
from exchange.formats.schema.kind import FileKind

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


NAME = Column("file_name", "The file of the picture.")
SIZE = (Column("width", "In pixels.", INTEGER), Column("height", "In pixels.", INTEGER))
BBOX = Column("bbox", "Left, top, width and height, in pixels.", BOX)


_CHUNK = 1 << 20


class RowNeed(StrEnum):
    """Rows of a project that only some formats hold, and that are loaded for these alone."""

    OWN_FIELDS = "boxes of the import that have a category and no chain"
    CATEGORIES = "categories of boxes of imports, in the order of their numbers"
    CHANCES = "confidences, and what is part of what"
    ANSWERS = "who answered"


class Loss(StrEnum):
    """Things of an image that come back differently, or not at all, from files of a format."""

    PATHS = "paths"
    IDS = "ids"
    CAPTIONS = "captions"
    OTHER_PHRASES = "other phrases"
    """Phrases without a box."""
    TYPES = "types"
    FIRST_TYPES = "first types"
    CHAINS = "chains"
    REASONS = "reasons"
    """The reasons why chains have no box."""
    OTHER_BOXES = "other boxes"
    """Boxes with a category and no chain."""


class ExportOption(StrEnum):
    """Options of exports that not every format takes, by their names everywhere."""

    PICTURES = "pictures"
    LONGEST_SIDE = "longest_side"
    MIN_CONFIDENCE = "min_confidence"
    PEOPLE_ONLY = "people_only"
    NEGATIVES = "negatives"


EVERY_OPTION = frozenset(ExportOption)


class Reader(Protocol):
    """Yields the images of an unpacked source, and the problems of what is left out. Raises SourceError.

    A reader of boxes in either unit takes a `BoxForm`, too.
    """

    def __call__(self, path: Path, pictures: SourcePictures, /) -> Iterator[DatasetImage | Problem]: ...


class Corrector(NamedTuple):
    """The way to write corrections into the files of a source."""

    key_of: Callable[[DatasetImage], int | str]
    """Returns what tells an image from others in the files of the format."""
    patch: Callable[[Path, Path, EditStore], None]
    """Writes what changes of the files of one folder into another one, which has copies of them all.

    Raises Defect for a file in which the edits have no place.
    """


class Packing(NamedTuple):
    """Files that are made of rows and their pictures together, and cut by their size."""

    rows: Callable[[Iterable[DatasetImage], ExportPart], Iterator[Mapping[str, Any]]]
    """Yields the row of each image; `file_name` is its picture."""
    pack: Callable[[Iterable[tuple[Any, bytes]], Path, str], int]
    """Writes rows and pictures into the folder as files of a part, and returns their number."""
    whole: str
    """The part of an export without parts."""


DataFiles = Callable[[str, str, Sequence[str]], list[str]]


@dataclass(frozen=True, kw_only=True, repr=False)
class Format:
    """A file format. One without `read` is only exported, one without `write` only imported."""

    name: str
    """Of options, addresses and files: letters, digits and hyphens."""
    title: str

    # Imports
    marks: str = ""
    """Files by which a source of the format is known, as messages name them: "a folder Sentences/"."""
    detects: Callable[[Path], bool] | None = None
    """Tells by the names of files, and their beginnings, whether an unpacked source is in the format."""
    detects_late: Callable[[Path], bool] = lambda path: False
    """Tells the same of a source that no format recognises."""
    lacks: Callable[[Path], str] = lambda path: ""
    """Describes what a source that no format recognises lacks to be in this one; empty: it is not like it."""
    read: Reader | None = None
    either_unit: bool = False
    """Whether boxes may be in pixels or shares of the picture: `read` takes a BoxForm."""
    count: Callable[[Path], int] | None = None
    """Estimates the number of images of a source quickly, for a progress bar; None: its pictures are counted."""
    open_pictures: Callable[[Path, SourcePictures], SourcePictures] = lambda path, pictures: pictures
    """Returns the pictures of a source, given those beside its files."""
    describe_columns: Callable[[Path], str] = lambda path: ""
    """Describes how the columns of a source are read. Raises SourceError."""
    correct: Corrector | None = None

    # Exports
    write: Callable[[Any, ExportPart], int] | None = None
    """Writes an iterable of `DatasetImage`, or what `load` returns, into a part. Returns the number of images."""
    load: Callable[..., Iterable[Any]] | None = None
    """Returns what `write` takes in place of images, of a project's tables."""
    layout: Layout = field(default_factory=dict)
    """The files that are made of texts."""
    file_layout: Layout = field(default_factory=dict)
    """The same of an export into one file, where the format is else a folder."""
    ending: str = ""
    """Of the name of the export; empty: it is a folder."""
    file_ending: str = ""
    """Of names by which the export of a format of folders becomes one file."""
    needs: frozenset[RowNeed] = frozenset()
    numbered: bool = True
    """Whether texts say numbers that depend on the images before."""
    with_pictures: bool = False
    """Whether exports always have pictures, and only the images that have one."""
    packing: Packing | None = None
    check_parts: Callable[[Collection[str]], None] = lambda parts: None
    """Raises ValueError for names of parts that the format cannot have, and if what it needs is not installed."""
    is_installed: Callable[[], bool] = lambda: True
    options: frozenset[ExportOption] = EVERY_OPTION - {ExportOption.NEGATIVES}
    """The options of exports in it. One that always has pictures need not be asked for them."""
    record: bool = False
    """Whether it holds the whole record, with each worker's answers."""
    loses: frozenset[Loss] = frozenset()
    kinds: tuple[FileKind, ...] = ()
    """Its kinds of JSON files, each with a schema, a part of the page of fields, and a check."""
    record_sets: tuple[Rows, ...] = ()
    """The rows that readers of Croissant load."""
    data_files: DataFiles | None = None
    """Returns the patterns of files of a part, given its name, its folder and the patterns of pictures there.

    Only of formats that `datasets` loads by themselves.
    """

    def __repr__(self) -> str:
        return f"<Format {self.name}>"

    def images(self, path: Path, pictures: SourcePictures, boxes: str = "") -> Iterator[DatasetImage | Problem]:
        """Read a source. `boxes`: their unit, one of `BoxUnit`; empty: nobody said. Raises SourceError."""
        assert self.read is not None
        if self.either_unit:
            form = BoxForm(BoxUnit(boxes) if boxes else None)
            return self.read(path, pictures, form)  # type: ignore[call-arg]
        if boxes:
            raise source_error(path, f"is in the format {self.name}, whose boxes have one unit: leave the choice out")
        return self.read(path, pictures)

    def estimate(self, path: Path, pictures: SourcePictures) -> int:
        """Estimate the number of images of a source, for a progress bar."""
        return sum(1 for _ in pictures) if self.count is None else self.count(path)

    def is_file(self, target: Path) -> bool:
        return bool(self.ending) or (bool(self.file_ending) and target.suffix == self.file_ending)


@dataclass(frozen=True)
class SourceFiles:
    """The files of a folder by whose names and beginnings a source is known to be in a format."""

    title: str
    """The name for several of them in messages: ".json files of Label Studio"."""
    pattern: str
    """Of their names."""
    matches: Callable[[bytes], object]
    """Tells by the beginning of a file whether it is one."""
    head_bytes: int = 1 << 20
    """That are looked at."""

    def all_in(self, folder: Path) -> list[Path]:
        """Return the files, by name."""
        return [file for file in sorted(folder.glob(self.pattern)) if file.is_file() and self._matches(file)]

    def _matches(self, file: Path) -> bool:
        with file.open("rb") as source:
            return bool(self.matches(source.read(self.head_bytes)))

    def only_in(self, folder: Path) -> Path:
        """Return the only one of them. Raises SourceError for none, for several, and for one that is too large."""
        files = self.all_in(folder)
        if len(files) != 1:
            raise source_error(folder, f"has {len(files)} {self.title}: it needs one")
        if (size := files[0].stat().st_size) > TABLE_BYTES:
            raise source_error(files[0].name, f"has {size:,} bytes: at most {TABLE_BYTES:,} are read")
        return files[0]


def count_matches(files: Iterable[Path], pattern: bytes) -> int:
    """Count the pattern in the files, read in chunks. A match across two chunks is missed."""
    return sum(_count(file, pattern) for file in files)


def _count(file: Path, pattern: bytes) -> int:
    with file.open("rb") as source:
        return sum(len(re.findall(pattern, data)) for data in iter(lambda: source.read(_CHUNK), b""))


def write_files(data_format: Format, images: Iterable[DatasetImage], target: Path) -> int:
    """Write the images to `target`, which appears when everything is written, and return their number.

    The target is a folder, or a file if the format has one or the target ends like one. Raises TargetExists if it is
    not empty, and ValueError for data that the format cannot hold.
    """
    as_file = data_format.is_file(target)
    with (atomic_file if as_file else atomic_folder)(target) as place:
        return write_in_place(data_format, images, place, as_file=as_file)


def write_in_place(
    data_format: Format,
    images: Iterable[Any],
    root: Path,
    *,
    as_file: bool,
    categories: Sequence[str] = (),
    notes: Counter[ExportNote] | None = None,
    pictures: str = "",
) -> int:
    """Write the images to `root`, a file or a folder that is there, and return their number.

    Arguments: see `ExportPart`.
    """
    assert data_format.write is not None
    layout = (as_file and data_format.file_layout) or data_format.layout
    files = {root / path if path else root: pieces for path, pieces in layout.items()}
    alone = {
        pieces[0].name: file for file, pieces in files.items() if len(pieces) == 1 and isinstance(pieces[0], PartText)
    }

    def open_text(name: str) -> IO[bytes]:
        return alone[name].open("wb") if name in alone else TemporaryFile()

    notes = Counter() if notes is None else notes
    with ExportPart(root, open_text, categories=categories, pictures=pictures, notes=notes) as part:
        for name in alone:
            part.text(name)  # the file of an export of nothing is empty
        count = data_format.write(images, part)
        for file, pieces in files.items():
            if file not in alone.values():
                with file.open("wb") as target:
                    for piece in pieces:
                        if isinstance(piece, bytes):
                            target.write(piece)
                            continue
                        text = part.text(piece.name)
                        text.seek(0)
                        shutil.copyfileobj(text, target)
    return count


def pack_files(
    data_format: Format,
    images: Iterable[DatasetImage],
    folder: Path,
    pictures: Path,
    *,
    part: str = "",
    notes: Counter[ExportNote] | None = None,
) -> int:
    """Write rows and pictures together into the folder as files of a part, and return the number of images.

    `pictures`: a folder with the picture of each image once it is asked for; those that were written are removed.
    `part`: empty: the export has no parts.
    """
    packing = data_format.packing
    assert packing is not None
    with ExportPart(folder, notes=Counter() if notes is None else notes) as texts:
        rows = ((row, _take(pictures / row["file_name"])) for row in packing.rows(images, texts))
        return packing.pack(rows, folder, part or packing.whole)


def _take(picture: Path) -> bytes:
    data = picture.read_bytes()
    picture.unlink()
    return data
