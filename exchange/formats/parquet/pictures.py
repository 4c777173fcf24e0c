"""The pictures of Parquet files, each by the path that its row gives."""

import io
from collections import Counter
from collections.abc import Iterator
from functools import cached_property
from hashlib import blake2b
from itertools import accumulate
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from annotation.bounds import JSON_BYTES, MAX_MEMBERS, PARQUET_GROWTH, PARQUET_ROW, PARQUET_SMALL
from annotation.decode_picture import PictureError
from exchange.formats.hub.read import CAPTIONS
from exchange.formats.parquet.pages import page_sizes
from exchange.formats.parquet.write import MISSING, is_there
from exchange.formats.picture_files import FolderPictures, Pictures
from exchange.problems import source_error

MOST_GROUP_BYTES = 4 << 30
"""Bytes of the pictures of a row group, as the file says; of its texts no more than a file of JSON may have."""
PICTURE = "image.bytes"
READ = frozenset({"image", "file_name", "width", "height", "image_id", *CAPTIONS, "objects"})
"""The columns that are read, with what is in them."""
LONGEST_NAME = 1_000
"""Characters of a name by which a picture is looked for; a longer one is told as the fault of its row."""
ENDINGS = {b"\xff\xd8": ".jpg", b"\x89P": ".png", b"RI": ".webp", b"GI": ".gif", b"BM": ".bmp"}
"""The first two bytes of pictures, which have no name, and the ending for it."""


class Row(NamedTuple):
    """The place of a row: the file by its place in the source, the row group, and the row in that."""

    file: int
    group: int
    row: int


def parquet_files(path: Path) -> list[Path]:
    """Return the Parquet files of the folder, in the order in which their rows are read."""
    return sorted(file for file in path.rglob("*.parquet") if file.is_file() and not file.name.startswith("."))


class ParquetPictures(Pictures):
    """Pictures in the column `image` of Parquet files, and those beside them that rows only name.

    Reading is fastest in the order of the rows. Raises SourceError, which names the file, for one that cannot be read,
    and without the extra of this format.
    """

    def __init__(self, folder: Path, beside: Pictures | None = None) -> None:
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
    def names(self) -> list[tuple[Row, str]]:
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
        every = [[one.metadata.row_group(group).num_rows for group in range(one.num_row_groups)] for one in self.files]
        return [list(accumulate(rows, initial=0)) for rows in every]

    def _digest(self, place: Row) -> bytes:
        """Return what tells the picture of a row from others; empty if it has none."""
        try:
            return blake2b(self._data(place) or b"", digest_size=16).digest()
        except PictureError:
            return b""

    @cached_property
    def _rows(self) -> dict[str, Row]:
        found: dict[str, Row] = {}
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

    def rows(self, file: int, columns: list[str]) -> Iterator[tuple[Row, dict[str, Any] | None]]:
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
                        yield Row(file, group, place), row
                        place += 1
        except (ArrowException, OSError) as error:
            raise source_error(self.shown(file), f"cannot be read to its end: {_first_line(error)}") from error

    def _names(self, file: int) -> Iterator[tuple[Row, str]]:
        for number, (place, row) in enumerate(self.rows(file, ["image.path", "file_name"])):
            said = (row or {}).get("file_name") or ((row or {}).get("image") or {}).get("path")
            yield place, said if isinstance(said, str) else self._made_up(place, number)

    def _made_up(self, place: Row, number: int) -> str:
        """Return a name for a picture that has none."""
        try:
            start = (self._data(place) or b"")[:2]
        except PictureError:
            start = b""
        return f"{self.paths[place.file].stem}-{number:05}{ENDINGS.get(start, '.jpg')}"

    def _data(self, place: Row) -> bytes | None:
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
        for batch in self.files[file].iter_batches(1, row_groups=[group], columns=[PICTURE]):
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
    """Return the columns of texts, those in lists and structures too."""
    columns = [file.schema.column(place) for place in range(len(file.schema))]
    return [column.path for column in columns if column.physical_type == "BYTE_ARRAY" and column.path != PICTURE]


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
