"""Uploaded files in the bucket, in the pieces in which they came: each may reach another host.

Rows say which pieces a file has, and how far it is. Whoever reads the files of a project brings a copy to its machine.
"""

import io
import os
import shutil
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from secrets import token_hex
from typing import Any, BinaryIO, NamedTuple, cast

from django.core.files.base import ContentFile
from django.db import transaction
from django.db.models import F, Q, QuerySet

from annotation.bucket_storage import BucketStorage
from annotation.storage import store
from exchange.formats.pictures import is_picture
from projects.models import Upload, UploadedFile, UploadedPiece
from projects.uploads.files import TWO_KINDS, OutOfPlaceError, Received, UploadError

FOLDER = "uploads"
PARALLEL_FETCHES = 8
"""Files that are fetched at the same time."""
UNLIMITED = 1 << 62


class FilePart(NamedTuple):
    """A piece: where it begins in its file, its bytes, and its name in the bucket."""

    at: int
    length: int
    stored: str


class UploadBucket:
    """The uploaded files of one project, for every host."""

    def __init__(self, project_id: int) -> None:
        self.project_id = project_id
        self.root = Upload.folder_of(project_id)
        self.files = self.root / "files"
        """The folder on this machine that `bring` fills."""
        self._rows = UploadedFile.objects.filter(project=project_id)
        self._whole = self._rows.filter(received=F("size"))
        self._partly = self._rows.filter(received__lt=F("size"))

    def free(self) -> int:
        """Return the free bytes: those of a bucket do not end."""
        return UNLIMITED

    def has_begun(self, path: str, size: int) -> bool:
        return self._partly.filter(path=path, size=size).exists()

    def size_of(self, path: str) -> int:
        """Return the bytes of a complete file; 0: there is none."""
        return self._whole.filter(path=path).values_list("size", flat=True).first() or 0

    def begin(self, path: str, size: int) -> None:
        """Make the row of a file. Raises UploadError if its path is a folder, or the other way round."""
        parts = path.split("/")
        above = ["/".join(parts[:count]) for count in range(1, len(parts))]
        if self._rows.filter(Q(path__in=above) | Q(path__startswith=f"{path}/")).exists():
            raise UploadError(path, TWO_KINDS)
        UploadedFile.objects.get_or_create(project_id=self.project_id, path=path, size=size, received=0)

    def add(self, path: str, size: int, offset: int, data: bytes) -> None:
        """Add a piece to a file that has begun. Raises OutOfPlaceError, and StorageError if the bucket fails.

        The piece is stored first: nobody waits for the bucket in a transaction. Of two that begin in the same place
        one is taken.
        """
        row = self._partly.filter(path=path, size=size).first()
        if row is None or row.received != offset:
            raise OutOfPlaceError(size if row is None else row.received, complete=row is None)
        name = f"{offset}-{token_hex(4)}"
        kept = store().save(f"{self._folder(row.pk)}{name}", ContentFile(data))
        with transaction.atomic():
            Upload.objects.select_for_update().filter(project=self.project_id).first()
            older = self._remove_rows(self._whole.filter(path=path)) if offset + len(data) == size else []
            mine = self._rows.filter(pk=row.pk, received=offset).update(received=offset + len(data))
            if mine:
                UploadedPiece.objects.create(file=row, at=offset, length=len(data), name=name)
            else:
                transaction.set_rollback(True)
        _bucket().delete_many(older if mine else [kept])
        if not mine:
            now = self._rows.filter(pk=row.pk).values_list("received", flat=True).first() or 0
            raise OutOfPlaceError(now, complete=now == size)

    def complete(self) -> Iterator[Received]:
        for path, size in self._whole.values_list("path", "size"):
            yield Received(path, size, size)

    def begun(self) -> Iterator[Received]:
        for path, received, size in self._partly.values_list("path", "received", "size"):
            yield Received(path, received, size)

    def remove(self, path: str) -> None:
        """Remove a file, complete or not."""
        _bucket().delete_many(self._remove_rows(self._rows.filter(path=path)))

    def remove_all(self) -> None:
        """Remove every file that is here now; what comes meanwhile stays."""
        _bucket().delete_many(self._remove_rows(self._rows))
        shutil.rmtree(self.root, ignore_errors=True)

    def open(self, path: str) -> BinaryIO:
        """Open a complete file; what is read of it is fetched. Raises FileNotFoundError."""
        row = self._whole.filter(path=path).first()
        if row is None:
            raise FileNotFoundError(path)
        return cast(BinaryIO, io.BufferedReader(InPieces(self._pieces([row.pk])[row.pk]), 1 << 16))

    def bring(self, *, texts_only: bool = False, step: Callable[[], object] = lambda: None) -> None:
        """Make `files` on this machine a copy of the complete files: what has changed is fetched, the rest stays.

        `texts_only`: neither pictures nor .zip files. `step` is called after each file; what it raises ends this.
        """
        rows = list(self._whole)
        self._remove_others(rows)
        wanted = [row for row in rows if not (texts_only and _is_large(row.path)) and not self._is_here(row)]
        pieces = self._pieces([row.pk for row in wanted])
        with ThreadPoolExecutor(PARALLEL_FETCHES) as pool:
            try:
                for _ in pool.map(lambda row: self._fetch(row, pieces[row.pk]), wanted):
                    step()
            except BaseException:
                pool.shutdown(cancel_futures=True)
                raise

    def _remove_rows(self, rows: QuerySet[UploadedFile]) -> list[str]:
        """Remove the rows, and return the names of their pieces in the bucket, which nobody reads any more."""
        numbers = list(rows.values_list("pk", flat=True))
        stored = [piece.stored for pieces in self._pieces(numbers).values() for piece in pieces]
        UploadedFile.objects.filter(pk__in=numbers).delete()
        return stored

    def _folder(self, number: int) -> str:
        return f"{FOLDER}/{self.project_id}/{number}/"

    def _pieces(self, numbers: Sequence[int]) -> dict[int, list[FilePart]]:
        found: dict[int, list[FilePart]] = {number: [] for number in numbers}
        rows = UploadedPiece.objects.filter(file__project=self.project_id, file__in=numbers).order_by("file", "at")
        for file, at, length, name in rows.values_list("file", "at", "length", "name"):
            found[file].append(FilePart(at, length, f"{self._folder(file)}{name}"))
        return found

    def _is_here(self, row: UploadedFile) -> bool:
        """Tell whether the copy is that of this row, whose number is the time of the copy."""
        try:
            found = (self.files / row.path).stat()
        except OSError:
            return False
        return (found.st_size, int(found.st_mtime)) == (row.size, row.pk)

    def _remove_others(self, rows: Iterable[UploadedFile]) -> None:
        known = {row.path for row in rows}
        self.files.mkdir(mode=0o700, parents=True, exist_ok=True)
        for at, folders, names in os.walk(self.files, topdown=False):
            for name in names:
                file = Path(at) / name
                if file.relative_to(self.files).as_posix() not in known:
                    file.unlink(missing_ok=True)
            for name in folders:
                if not any((Path(at) / name).iterdir()):
                    (Path(at) / name).rmdir()

    def _fetch(self, row: UploadedFile, pieces: Sequence[FilePart]) -> None:
        target, coming = self.files / row.path, self.root / f"coming-{token_hex(8)}"
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        try:
            with coming.open("xb") as file:
                for piece in pieces:
                    with store().open(piece.stored) as source:
                        shutil.copyfileobj(source, file)
            os.utime(coming, (row.pk, row.pk))
            coming.replace(target)
        finally:
            coming.unlink(missing_ok=True)


class InPieces(io.RawIOBase):
    """A file whose pieces are fetched when they are read; the last one is kept."""

    def __init__(self, pieces: Sequence[FilePart]) -> None:
        self._pieces, self._at, self._kept = pieces, 0, (-1, b"")
        self._size = pieces[-1].at + pieces[-1].length if pieces else 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        self._at = max(0, offset + (0, self._at, self._size)[whence])
        return self._at

    def readinto(self, buffer: Any) -> int:
        if self._at >= self._size:
            return 0
        number = bisect_right(self._pieces, self._at, key=lambda piece: piece.at) - 1
        if self._kept[0] != number:
            with store().open(self._pieces[number].stored) as file:
                self._kept = number, file.read()
        begin = self._at - self._pieces[number].at
        data = self._kept[1][begin : begin + len(buffer)]
        buffer[: len(data)] = data
        self._at += len(data)
        return len(data)


def stored_projects() -> set[int]:
    """Return the ids of the projects of which the bucket holds uploaded files."""
    return {int(name) for name in store().listdir(FOLDER)[0] if name.isdigit()}


def forget(project_id: int) -> None:
    """Remove what a project that is gone has left in the bucket."""
    _bucket().delete_below(f"{FOLDER}/{project_id}")


def _bucket() -> BucketStorage:
    return cast(BucketStorage, store())


def _is_large(path: str) -> bool:
    return is_picture(path) or path.lower().endswith(".zip")
