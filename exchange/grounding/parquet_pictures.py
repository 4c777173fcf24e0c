"""The pictures of Parquet files, each by the path that its row gives."""

import io
from collections import Counter
from collections.abc import Iterator
from functools import cached_property
from hashlib import blake2b
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from annotation.bounds import JSON_BYTES, MAX_MEMBERS
from annotation.pictures import PictureError
from exchange.grounding.parquet import MISSING, is_there
from exchange.picture_files import FolderPictures, Pictures
from exchange.problems import source_error

PICTURES_AT_ONCE = 8
MOST_GROUP_BYTES = 4 << 30
"""Bytes of the pictures of a row group, as the file says; of its texts no more than a file of JSON may have."""
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
        self._batches: Iterator[list[Any]] = iter(())
        self._batch: list[Any] = []
        self._first = 0

    def shown(self, file: int) -> str:
        """Return the path of a file within the source."""
        return self.paths[file].relative_to(self.folder).as_posix()

    @cached_property
    def names(self) -> list[tuple[Row, str]]:
        """The place of every row, and the name of its picture: its path, if no picture before it has this path."""
        found = [one for file in range(len(self.files)) for one in self._names(file)]
        often = Counter(name for _, name in found)
        first: dict[str, bytes] = {}
        for at, (place, name) in enumerate(found):
            if often[name] > 1 and (digest := self._digest(place)) != first.setdefault(name, digest):
                number = place.row + sum(
                    self.files[place.file].metadata.row_group(group).num_rows for group in range(place.group)
                )
                found[at] = place, self._made_up(place, number)
        return found

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
        except (ArrowException, OSError, ValueError) as error:
            raise source_error(shown, f"is no Parquet file that can be read: {_first_line(error)}") from error
        columns = set(file.schema_arrow.names)
        if not columns & {"image", "file_name"}:
            raise source_error(shown, f"has neither a column image nor file_name, only {', '.join(sorted(columns))}")
        for number in range(file.metadata.num_row_groups):
            group = file.metadata.row_group(number)
            chunks = [group.column(place) for place in range(group.num_columns)]
            pictures = sum(one.total_uncompressed_size for one in chunks if one.path_in_schema == "image.bytes")
            texts = sum(one.total_uncompressed_size for one in chunks) - pictures
            if pictures > MOST_GROUP_BYTES or texts > JSON_BYTES:
                raise source_error(shown, f"row group {number + 1} has too many bytes: write it with smaller ones")
        return file

    def rows(self, file: int, columns: list[str]) -> Iterator[tuple[Row, dict[str, Any] | None]]:
        """Yield the place and the values of each row; None for one that cannot be read.

        Raises SourceError for a file that breaks off.
        """
        from pyarrow import ArrowException

        opened = self.files[file]
        try:
            for group in range(opened.metadata.num_row_groups):
                place = 0
                for batch in opened.iter_batches(64, row_groups=[group], columns=columns):
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
            if (place.file, place.group) != self._at or place.row < self._first:
                columns = self.files[place.file].iter_batches(
                    PICTURES_AT_ONCE, row_groups=[place.group], columns=["image.bytes"]
                )
                self._batches = (batch.to_pylist() for batch in columns)
                self._at, self._batch, self._first = place[:2], [], 0
            while place.row >= self._first + len(self._batch):
                self._first += len(self._batch)
                self._batch = next(self._batches)
        except (ArrowException, OSError, StopIteration) as error:
            self._at = None
            raise PictureError(f"cannot be read: {_first_line(error)}") from error
        data = (self._batch[place.row - self._first].get("image") or {}).get("bytes")
        return data if isinstance(data, bytes) else None


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
