"""Parquet files that hold their pictures, as data sets lie on Hugging Face's hub: a row for each image."""

import io
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cached_property
from hashlib import blake2b
from importlib.util import find_spec
from itertools import accumulate
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from annotation.bounds import JSON_BYTES, MAX_MEMBERS, MOST_BAD_LINES, PARQUET_GROWTH, PARQUET_ROW, PARQUET_SMALL
from annotation.decode_picture import PictureError
from exchange.checks import Defect, source_error
from exchange.dataset import DatasetImage, Problem
from exchange.details import BoxForm
from exchange.formats.edits import EditStore, key_of_path
from exchange.formats.format import (
    EVERY_OPTION,
    PICTURE,
    Column,
    Corrector,
    ExportOption,
    Format,
    Loss,
    Packing,
    RowNeed,
    Rows,
)
from exchange.formats.hub import (
    CAPTIONS,
    CATEGORIES,
    COLUMNS,
    TO_ADD,
    HubRow,
    RowCaptions,
    RowPlace,
    add_row,
    hub_rows,
    with_objects,
    write_hub,
)
from exchange.formats.parquet_pages import page_sizes
from exchange.formats.pictures import FolderPictures, SourcePictures
from exchange.formats.spans import SourceImages, dataset_images, unnamed
from exchange.names import same_path
from runtime.installed import not_installed

FOLDER = "data"
"""`datasets` takes the parts of files in a folder of this name from the names of the files, whatever they are."""
PART = re.compile(r"(?!all$)\w+")
"""Names of parts that `datasets` takes: it ends them at a hyphen, and takes *all* for every part together."""
GROUP_ROWS, GROUP_BYTES = 100, 8 << 20
"""The most rows that are read and written together, and the bytes of pictures at which fewer are."""
SHARD_BYTES = 450_000_000
"""Bytes of pictures at which the next file begins: the hub shows files of up to 500 MB."""


TRAIN = "train"
"""The part of files without parts: `datasets` calls every image so that is in no other."""
MISSING = f"Parquet needs pyarrow, which is {not_installed('hub')}."


def is_there() -> bool:
    """Tell whether the extra of this format is installed."""
    return find_spec("pyarrow") is not None


def check_parts(parts: Iterable[str]) -> None:
    """Raise ValueError for a part that `datasets` would not find, and without the extra of this format."""
    if not is_there():
        raise ValueError(MISSING)
    if strange := [part for part in parts if not PART.fullmatch(part)]:
        raise ValueError(f"The part {strange[0]!r} has no Parquet files: use letters, digits and _, and not “all”.")


def write_rows(rows: Iterable[tuple[HubRow, bytes]], folder: Path, part: str) -> int:
    """Write rows of images, each with its picture, into files of one part, and return their number.

    They are called data/train-00000-of-00002.parquet and so on. The same rows give the same bytes, with the same
    version of pyarrow.
    """
    (folder / FOLDER).mkdir(exist_ok=True)
    count, shards = 0, _Shards(folder / FOLDER, part)
    for row, data in rows:
        count += 1
        shards.add({"image": {"bytes": data, "path": row["file_name"]}, **row}, len(data))
    shards.finish()
    return count


class _Shards:
    """The files of a part. Their names tell their number, so that they get them at the end."""

    def __init__(self, folder: Path, part: str) -> None:
        self.folder, self.part = folder, part
        self.schema = schema()
        self.files: list[Path] = []
        self.writer: Any = None
        self.rows: list[dict[str, Any]] = []
        self.group_bytes = self.shard_bytes = 0

    def add(self, row: dict[str, Any], size: int) -> None:
        """Add a row, whose picture has this size in bytes."""
        self.rows.append(row)
        self.group_bytes += size
        if len(self.rows) == GROUP_ROWS or self.group_bytes >= GROUP_BYTES:
            self._write_group()

    def finish(self) -> None:
        """Write what is left, at least one file, and name the files."""
        if self.rows or not self.files:
            self._write_group()
        self._close()
        for place, file in enumerate(self.files):
            file.rename(self.folder / f"{self.part}-{place:05}-of-{len(self.files):05}.parquet")

    def _write_group(self) -> None:
        import pyarrow as arrow
        from pyarrow.parquet import ParquetWriter

        if self.writer is None:
            self.files.append(self.folder / f"{self.part}-{len(self.files):05}.partial")
            self.writer = ParquetWriter(self.files[-1], self.schema, use_dictionary=False, compression="zstd")
        self.writer.write_table(arrow.Table.from_pylist(self.rows, self.schema), row_group_size=GROUP_ROWS)
        self.shard_bytes += self.group_bytes
        self.rows, self.group_bytes = [], 0
        if self.shard_bytes >= SHARD_BYTES:
            self._close()

    def _close(self) -> None:
        if self.writer is not None:
            self.writer.close()
        self.writer, self.shard_bytes = None, 0


def schema() -> Any:
    """Return the schema of pyarrow, with the columns as `datasets` shows them: pictures as images, lists as lists."""
    import pyarrow as arrow

    whole, texts = arrow.list_(arrow.int64()), arrow.list_(arrow.string())
    lists = {
        "bbox": arrow.list_(whole), "categories": texts, "phrase": texts, "caption": whole, "start": whole,
        "end": whole, "chain": texts, "confidence": arrow.list_(arrow.float64()),
    }  # fmt: skip
    columns = {
        "image": arrow.struct({"bytes": arrow.binary(), "path": arrow.string()}), "file_name": arrow.string(),
        "image_id": arrow.string(), "width": arrow.int64(), "height": arrow.int64(), "captions": texts,
        "objects": arrow.struct(lists),
    }  # fmt: skip
    features = {name: _feature(kind) for name, kind in columns.items()} | {"image": {"_type": "Image"}}
    return arrow.schema(columns, {"huggingface": json.dumps({"info": {"features": features}})})


def _feature(kind: Any) -> dict[str, Any]:
    """Return a type of pyarrow as `datasets` writes it in the metadata of files, also for versions before 4."""
    if hasattr(kind, "fields"):
        return {field.name: _feature(field.type) for field in kind.fields}
    if hasattr(kind, "value_type"):
        return {"feature": _feature(kind.value_type), "_type": "Sequence"}
    return {"dtype": str(kind), "_type": "Value"}


MOST_GROUP_BYTES = 4 << 30
"""Bytes of the pictures of a row group, as the file says; of its texts no more than a file of JSON may have."""
PICTURE_COLUMN = "image.bytes"
READ = frozenset({"image", "file_name", "width", "height", "image_id", *CAPTIONS, "objects"})
"""The columns that are read, with what is in them."""
LONGEST_NAME = 1_000
"""Characters of a name by which a picture is looked for; a longer one is told as the fault of its row."""
ENDINGS = {b"\xff\xd8": ".jpg", b"\x89P": ".png", b"RI": ".webp", b"GI": ".gif", b"BM": ".bmp"}
"""The first two bytes of pictures, which have no name, and the ending for it."""


class ParquetRow(NamedTuple):
    """The place of a row: the file by its place in the source, the row group, and the row in that."""

    file: int
    group: int
    row: int


def parquet_files(path: Path) -> list[Path]:
    """Return the Parquet files of the folder, in the order in which their rows are read."""
    return sorted(file for file in path.rglob("*.parquet") if file.is_file() and not file.name.startswith("."))


class ParquetPictures(SourcePictures):
    """Pictures in the column `image` of Parquet files, and those beside them that rows only name.

    Reading is fastest in the order of the rows. Raises SourceError, which names the file, for one that cannot be read,
    and without the extra of this format.
    """

    def __init__(self, folder: Path, beside: SourcePictures | None = None) -> None:
        if not is_there():
            raise source_error(folder, MISSING)
        self.folder, self.beside = folder, beside or FolderPictures(folder)
        self.paths = parquet_files(folder)
        if not self.paths:
            raise source_error(folder, "has no .parquet file")
        self.files = [self._opened(path) for path in self.paths]
        if sum(file.metadata.num_rows for file in self.files) > MAX_MEMBERS:
            raise source_error(folder, f"has more than {MAX_MEMBERS:,} rows")
        self._at: tuple[int, int] | None = None
        self._pictures: Iterator[bytes | None] = iter(())
        self._picture: bytes | None = None
        self._row = -1
        self._furthest: dict[tuple[int, int], int] = {}
        """The last row of each row group whose picture was counted."""
        self._picture_bytes = [0] * len(self.files)

    def shown(self, file: int) -> str:
        """Return the path of a file within the source."""
        return self.paths[file].relative_to(self.folder).as_posix()

    @cached_property
    def names(self) -> list[tuple[ParquetRow, str]]:
        """The place of every row, and the name of its picture: its path, if no picture before it has this path."""
        found = [name for file in range(len(self.files)) for name in self._names(file)]
        often = Counter(name for _, name in found)
        first: dict[str, bytes] = {}
        for at, (place, name) in enumerate(found):
            if often[name] > 1 and (digest := self._digest(place)) != first.setdefault(name, digest):
                found[at] = place, self._made_up(place, place.row + self._first_rows[place.file][place.group])
        return found

    @cached_property
    def _first_rows(self) -> list[list[int]]:
        """The number of the first row of each row group of each file."""
        every = [
            [file.metadata.row_group(group).num_rows for group in range(file.num_row_groups)] for file in self.files
        ]
        return [list(accumulate(rows, initial=0)) for rows in every]

    def _digest(self, place: ParquetRow) -> bytes:
        """Return what tells the picture of a row from others; empty if it has none."""
        try:
            return blake2b(self._data(place) or b"", digest_size=16).digest()
        except PictureError:
            return b""

    @cached_property
    def _rows(self) -> dict[str, ParquetRow]:
        found: dict[str, ParquetRow] = {}
        for row, name in self.names:
            if len(name) <= LONGEST_NAME:
                found.setdefault(name, row)
        return found

    def __iter__(self) -> Iterator[str]:
        yield from self._rows
        yield from (name for name in self.beside if name not in self._rows)

    def __contains__(self, name: object) -> bool:
        return name in self._rows or name in self.beside

    def head(self, name: str) -> BinaryIO:
        return self.open(name)

    def open(self, name: str) -> BinaryIO:
        data = self._data(self._rows[name]) if name in self._rows else None
        if data is not None:
            return io.BytesIO(data)
        if name not in self.beside:
            raise PictureError("is neither in its row nor beside the file")
        return self.beside.open(name)

    def _opened(self, path: Path) -> Any:
        from pyarrow import ArrowException
        from pyarrow.parquet import ParquetFile

        shown = path.relative_to(self.folder).as_posix()
        try:
            file = ParquetFile(path)
            # Of a text that many rows share, only one is made until it is known how many share it.
            file = ParquetFile(path, read_dictionary=_text_columns(file))
        except (ArrowException, OSError, ValueError) as error:
            raise source_error(shown, f"is no Parquet file that can be read: {_first_line(error)}") from error
        columns = set(file.schema_arrow.names)
        if not columns & {"image", "file_name"}:
            raise source_error(shown, f"has neither a column image nor file_name, only {', '.join(sorted(columns))}")
        for number in range(file.metadata.num_row_groups):
            group = file.metadata.row_group(number)
            chunks = [group.column(place) for place in range(group.num_columns)]
            pictures = sum(chunk.total_uncompressed_size for chunk in chunks if chunk.path_in_schema == "image.bytes")
            texts = sum(chunk.total_uncompressed_size for chunk in chunks) - pictures
            if pictures > MOST_GROUP_BYTES or texts > JSON_BYTES:
                raise source_error(shown, f"row group {number + 1} has too many bytes: write it with smaller ones")
        if PARQUET_ROW * file.metadata.num_rows + _unpacked_bytes(path, file.metadata) > _most_bytes(path):
            raise source_error(shown, _TOO_LARGE)
        return file

    def rows(self, file: int, columns: list[str]) -> Iterator[tuple[ParquetRow, dict[str, Any] | None]]:
        """Yield the place and the values of each row; None for one that cannot be read.

        Raises SourceError for a file that breaks off.
        """
        from pyarrow import ArrowException

        opened, size, most = self.files[file], 0, _most_bytes(self.paths[file])
        try:
            for group in range(opened.metadata.num_row_groups):
                place = 0
                for batch in opened.iter_batches(64, row_groups=[group], columns=columns):
                    size += sum(map(_whole_bytes, batch.columns))
                    if size > most:
                        raise source_error(self.shown(file), _TOO_LARGE)
                    for row in _values(batch):
                        yield ParquetRow(file, group, place), row
                        place += 1
        except (ArrowException, OSError) as error:
            raise source_error(self.shown(file), f"cannot be read to its end: {_first_line(error)}") from error

    def _names(self, file: int) -> Iterator[tuple[ParquetRow, str]]:
        for number, (place, row) in enumerate(self.rows(file, ["image.path", "file_name"])):
            said = (row or {}).get("file_name") or ((row or {}).get("image") or {}).get("path")
            yield place, said if isinstance(said, str) else self._made_up(place, number)

    def _made_up(self, place: ParquetRow, number: int) -> str:
        """Return a name for a picture that has none."""
        try:
            start = (self._data(place) or b"")[:2]
        except PictureError:
            start = b""
        return f"{self.paths[place.file].stem}-{number:05}{ENDINGS.get(start, '.jpg')}"

    def _data(self, place: ParquetRow) -> bytes | None:
        """Return the picture of a row; None if it has none."""
        from pyarrow import ArrowException

        try:
            if place[:2] != self._at or place.row < self._row:
                self._at, self._pictures, self._row = place[:2], self._pictures_of(*place[:2]), -1
            while place.row > self._row:
                self._picture = next(self._pictures)
                self._row += 1
                self._count_picture(place[:2])
        except (ArrowException, OSError, StopIteration, PictureError) as error:
            self._at = None
            if isinstance(error, PictureError):
                raise
            raise PictureError(f"cannot be read: {_first_line(error)}") from error
        return self._picture

    def _pictures_of(self, file: int, group: int) -> Iterator[bytes | None]:
        """Yield the picture of each row of a row group, one by one: rows may share a large one."""
        for batch in self.files[file].iter_batches(1, row_groups=[group], columns=[PICTURE_COLUMN]):
            for row in batch.to_pylist():
                data = (row.get("image") or {}).get("bytes")
                yield data if isinstance(data, bytes) else None

    def _count_picture(self, at: tuple[int, int]) -> None:
        """Count the bytes of this row's picture. Raises PictureError if those of the file are too many."""
        if self._row > self._furthest.get(at, -1):
            self._furthest[at] = self._row
            self._picture_bytes[at[0]] += len(self._picture or b"")
        if self._picture_bytes[at[0]] > _most_bytes(self.paths[at[0]]):
            raise PictureError(f"cannot be read: its file {_TOO_LARGE}")


_TOO_LARGE = (
    f"has more than {PARQUET_GROWTH} times as much in its rows as its size lets expect: write each text and picture "
    "in full, not as a reference to one"
)


def _most_bytes(path: Path) -> int:
    """Return how much the columns of a file may take."""
    return PARQUET_SMALL + PARQUET_GROWTH * path.stat().st_size


def _text_columns(file: Any) -> list[str]:
    columns = [file.schema.column(place) for place in range(len(file.schema))]
    return [column.path for column in columns if column.physical_type == "BYTE_ARRAY" and column.path != PICTURE_COLUMN]


def _unpacked_bytes(path: Path, metadata: Any) -> int:
    """Return the bytes of the columns that are read: as the end of the file says, or its pages if they say more.

    Each value counts a few, as nulls take none.
    """
    size = 0
    with path.open("rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ) as data:
        for group in map(metadata.row_group, range(metadata.num_row_groups)):
            for chunk in map(group.column, range(group.num_columns)):
                if chunk.path_in_schema.partition(".")[0] in READ:
                    start = min(filter(None, (chunk.dictionary_page_offset, chunk.data_page_offset)), default=0)
                    pages = sum(page_sizes(data, start, start + chunk.total_compressed_size))
                    size += max(pages, chunk.total_uncompressed_size, 8 * chunk.num_values)
    return size


def _whole_bytes(array: Any) -> int:
    """Return the bytes of an array of Arrow with each text counted wherever it is used."""
    from pyarrow import compute, types

    if types.is_dictionary(array.type):
        lengths = compute.binary_length(array.dictionary).take(array.indices)
        return (compute.sum(lengths).as_py() or 0) + 8 * len(array)
    if types.is_struct(array.type):
        return sum(map(_whole_bytes, array.flatten()))
    if types.is_list(array.type) or types.is_large_list(array.type) or types.is_fixed_size_list(array.type):
        return _whole_bytes(array.flatten()) + 8 * len(array)
    return int(array.nbytes)


def _values(batch: Any) -> Iterator[dict[str, Any] | None]:
    """Yield the values of each row. A text that is not UTF-8 costs its own row alone."""
    try:
        yield from batch.to_pylist()
    except UnicodeDecodeError:
        for place in range(batch.num_rows):
            try:
                yield batch.slice(place, 1).to_pylist()[0]
            except UnicodeDecodeError:
                yield None


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0][:200]


ROW_COLUMNS = ["image.path", "file_name", "width", "height", "image_id", *CAPTIONS, "objects"]


def read_parquet(
    path: Path, pictures: SourcePictures | None = None, form: BoxForm | None = None
) -> Iterator[DatasetImage | Problem]:
    """Yield the images in the order of the files and their rows, read as those of a hub folder.

    A row names its picture by `file_name` or by the path in `image`; others get a name from file and row. Categories
    are numbers or texts; numbers stand for the names that the file gives them. Raises SourceError for a folder without
    Parquet files, and for one that cannot be read.
    """
    there = pictures if isinstance(pictures, ParquetPictures) else ParquetPictures(path, pictures)
    images = SourceImages(there.shown(0), there, form, to_add=TO_ADD)
    bad = 0
    names = iter(there.names)
    for file in range(len(there.files)):
        categories = _category_names(there.files[file].schema_arrow.metadata)
        for number, (_, row) in enumerate(there.rows(file, ROW_COLUMNS), start=1):
            place = RowPlace(there.shown(file), f"row {number}")
            _, name = next(names)
            try:
                if row is None:
                    raise Defect(f"{place.where} holds a text that is not UTF-8")
                row.pop("image", None)
                add_row(images, _named(row, categories) | {"file_name": name}, place)
            except Defect as defect:
                bad += 1
                yield unnamed(defect, place.file, place.where, name)
                if bad > MOST_BAD_LINES:
                    raise source_error(place.file, f"has more than {MOST_BAD_LINES:,} bad rows") from defect
    yield from dataset_images(images.by_path.values(), there, there.shown(0), by_name=False)


def _named(row: dict[str, Any], names: list[str]) -> dict[str, Any]:
    """Return the row with names for the numbers of categories."""
    objects = row.get("objects")
    if not names or not isinstance(objects, dict):
        return row
    own = {
        column: [
            names[category] if isinstance(category, int) and 0 <= category < len(names) else category
            for category in objects[column] or ()
        ]
        for column in CATEGORIES
        if column in objects
    }
    return row | {"objects": objects | own}


def _category_names(metadata: dict[bytes, bytes] | None) -> list[str]:
    """Return the names of categories by their numbers, as `datasets` writes them into files; empty without any."""
    try:
        told: Any = json.loads((metadata or {})[b"huggingface"])
        objects = told["info"]["features"]["objects"]
        objects = objects.get("feature", objects)
        column = next(objects[name] for name in CATEGORIES if name in objects)
        return [str(name) for name in column["feature"]["names"]]
    except (KeyError, ValueError, TypeError, AttributeError, StopIteration):
        return []


def patch_parquet(source: Path, target: Path, edits: EditStore) -> None:
    """Write the files in which a row changes into `target`, with the row groups and the schema of the source."""
    there = ParquetPictures(source)
    changed: dict[int, dict[tuple[int, int], str]] = {}
    for place, name in there.names:
        if same_path(name) in edits:
            changed.setdefault(place.file, {})[place.group, place.row] = same_path(name)
    from pyarrow.parquet import ParquetFile

    captions = RowCaptions()
    for file, rows in changed.items():
        _rewrite(ParquetFile(there.paths[file]), target / there.shown(file), rows, edits, captions)


def _rewrite(
    file: Any, target: Path, rows: dict[tuple[int, int], str], edits: EditStore, captions: RowCaptions
) -> None:
    import pyarrow as arrow
    from pyarrow.parquet import ParquetWriter

    schema = file.schema_arrow
    kind = schema.field("objects").type
    compression = file.metadata.row_group(0).column(0).compression
    with ParquetWriter(target, schema, compression=compression) as writer:
        for group in range(file.metadata.num_row_groups):
            table = file.read_row_group(group)
            objects = table.column("objects").to_pylist()
            texts = table.select([name for name in CAPTIONS if name in table.column_names]).to_pylist()
            for number in range(table.num_rows):
                edit = edits.get(rows.get((group, number)))
                if edit is not None:
                    places = captions.of(rows[group, number], texts[number])
                    objects[number] = with_objects({"objects": objects[number]}, edit, places)["objects"]
            if any(place == group for place, _ in rows):
                column = schema.get_field_index("objects")
                table = table.set_column(column, schema.field(column), arrow.array(objects, kind))
            writer.write_table(table, row_group_size=max(1, table.num_rows))


PARQUET = Format(
    name="parquet",
    title="Parquet files that hold their pictures, as data sets lie on Hugging Face's hub",
    marks="a .parquet file",
    detects=lambda path: bool(parquet_files(path)),
    read=read_parquet,
    either_unit=True,
    open_pictures=ParquetPictures,
    correct=Corrector(key_of_path, patch_parquet),
    write=write_hub,
    packing=Packing(hub_rows, write_rows, TRAIN),
    needs=frozenset({RowNeed.OWN_FIELDS, RowNeed.CHANCES}),
    with_pictures=True,
    options=EVERY_OPTION - {ExportOption.PICTURES, ExportOption.NEGATIVES},
    check_parts=check_parts,
    is_installed=is_there,
    loses=frozenset({Loss.OTHER_PHRASES, Loss.TYPES, Loss.REASONS}),
    record_sets=(
        Rows(
            "images",
            "A row for each image.",
            (Column("image", "The picture.", PICTURE, "image", ("$.bytes",)), *COLUMNS),
            (".parquet",),
        ),
    ),
    data_files=lambda part, folder, pictures: [f"{FOLDER}/{part}-*.parquet"],
)
