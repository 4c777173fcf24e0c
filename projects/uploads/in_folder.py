"""Uploaded files in a folder of CHAINBOX_DATA, where the service has no bucket.

A file is `files/PATH` when it is complete, and `parts/PATH.SIZE.part` before; the size of the part is how far it is.
"""

import fcntl
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from django.conf import settings

from projects.models import Upload
from projects.uploads.received import OutOfPlaceError, Received, UploadError

PART = ".part"
TWO_KINDS = "is a file and a folder: give one of them another name."


class UploadFolder:
    """The uploaded files of one project on this machine."""

    def __init__(self, project_id: int) -> None:
        self.root = Upload.folder_of(project_id)
        self.files, self._parts = self.root / "files", self.root / "parts"

    def free(self) -> int:
        """Return the free bytes of the disk."""
        return shutil.disk_usage(settings.DATA).free

    def has_begun(self, path: str, size: int) -> bool:
        return self._part(path, size).exists()

    def size_of(self, path: str) -> int:
        """Return the bytes of a complete file; 0: there is none."""
        target = self.files / path
        return target.stat().st_size if target.is_file() else 0

    def begin(self, path: str, size: int) -> None:
        """Make the place of a file. Raises UploadError if its path is a folder, or the other way round."""
        part = self._part(path, size)
        try:
            for folder in (part.parent, (self.files / path).parent):
                folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except (FileExistsError, NotADirectoryError) as error:
            raise UploadError(path, TWO_KINDS) from error
        if (self.files / path).is_dir():
            raise UploadError(path, TWO_KINDS)
        part.touch()

    def add(self, path: str, size: int, offset: int, data: bytes) -> None:
        """Add a piece to a file that has begun. Raises OutOfPlaceError."""
        part, target = self._part(path, size), self.files / path
        with _locked(part) as file:
            received = file.seek(0, os.SEEK_END)
            if received != offset:
                raise OutOfPlaceError(received, complete=False)
            file.write(data)
            file.flush()
            if received + len(data) == size:
                target.parent.mkdir(parents=True, exist_ok=True)
                part.replace(target)

    def complete(self) -> Iterator[Received]:
        for path in self.files.rglob("*"):
            if path.is_file():
                size = path.stat().st_size
                yield Received(path.relative_to(self.files).as_posix(), size, size)

    def begun(self) -> Iterator[Received]:
        for part in self._parts.rglob(f"*{PART}"):
            path, _, size = part.relative_to(self._parts).as_posix().removesuffix(PART).rpartition(".")
            with suppress(FileNotFoundError):
                yield Received(path, part.stat().st_size, int(size))

    def remove(self, path: str) -> None:
        """Remove a file, complete or not."""
        with suppress(FileNotFoundError, NotADirectoryError):
            (self.files / path).unlink()
        for file in self.begun():
            if file.path == path:
                self._part(path, file.size).unlink(missing_ok=True)

    def remove_all(self) -> None:
        shutil.rmtree(self.root, ignore_errors=True)

    def open(self, path: str) -> BinaryIO:
        """Open a complete file."""
        return (self.files / path).open("rb")

    def bring(self, *, texts_only: bool = False, step: Callable[[], object] = lambda: None) -> None:
        """Do nothing: the files are on this machine."""

    def _part(self, path: str, size: int) -> Path:
        return self._parts / f"{path}.{size}{PART}"


@contextmanager
def _locked(part: Path) -> Iterator[BinaryIO]:
    """Open the part for one writer at a time. Raises OutOfPlaceError if another one completed the file meanwhile."""
    try:
        file = part.open("r+b")
    except FileNotFoundError:
        raise OutOfPlaceError(0, complete=False) from None
    with file:
        fcntl.flock(file, fcntl.LOCK_EX)
        try:
            same = part.stat().st_ino == os.fstat(file.fileno()).st_ino
        except FileNotFoundError:
            same = False
        if not same:
            received = file.seek(0, os.SEEK_END)
            raise OutOfPlaceError(received, complete=True)
        yield file
