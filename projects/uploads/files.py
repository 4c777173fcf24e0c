"""Uploaded files. They come in pieces: each piece says where it begins, and is taken only if it fits there."""

import fcntl
import os
import shutil
import unicodedata
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, BinaryIO

from django.conf import settings
from django.db.models import F

from annotation.bounds import FREE_BYTES, MAX_BYTES, MAX_MEMBERS, PICTURE_BYTES
from annotation.models import Project
from annotation.storage import FolderStorage, store
from exchange.formats.pictures import TEXTS, is_picture
from exchange.source import unsafe_name
from projects.models import Upload
from runtime import clock


class UploadError(Exception):
    """A file or a piece of it is not taken. `why` completes the sentence that begins with its path."""

    def __init__(self, path: str, why: str) -> None:
        super().__init__(f"{path[:200]!r} {why}")
        self.why = why


class OutOfPlaceError(Exception):
    """The piece begins in another place than the file has come to."""

    def __init__(self, received: int, *, complete: bool) -> None:
        super().__init__(f"The next piece begins at byte {received}.")
        self.received, self.complete = received, complete


@dataclass(frozen=True, slots=True)
class Received:
    """A file: the bytes that are here, and the bytes that it will have."""

    path: str
    received: int
    size: int


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
        for path, size in _files_in(self.files):
            yield Received(path, size, size)

    def begun(self) -> Iterator[Received]:
        for part, received in _files_in(self._parts):
            path, _, size = part.removesuffix(PART).rpartition(".")
            yield Received(path, received, int(size))

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


def _files_in(folder: Path) -> Iterator[tuple[str, int]]:
    """Yield the path in the folder and the bytes of every file that an import or a person does not remove meanwhile."""
    for at, _, names in os.walk(folder):
        for path in (Path(at, name) for name in names):
            with suppress(FileNotFoundError):
                yield path.relative_to(folder).as_posix(), path.stat().st_size


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


if TYPE_CHECKING:  # a service with a folder does not load boto3
    from projects.uploads.in_bucket import UploadBucket

PIECE = 2 << 20
"""Bytes of a piece that the page sends; DATA_UPLOAD_MAX_MEMORY_SIZE is 2.5 MB."""
LONGEST_NAME, LONGEST_PATH = 200, 500
"""Bytes of a file's name, and of its path."""
UNFINISHED_KEPT_FOR = timedelta(days=14)
"""Uploaded files to which nothing was added for so long are deleted when somebody begins another upload."""
UNFIT = ("Cc", "Cs", "Zl", "Zp")
"""Kinds of characters that no file's name may hold: control characters, halves of characters, ends of lines."""
TURNING = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
"""Characters that turn the direction of writing: a name could be shown as another one."""


def place_of(project_id: int) -> "UploadFolder | UploadBucket":
    """Return the place of a project's files: the bucket, or a folder of this machine if the service has none."""
    if not isinstance(store(), FolderStorage):
        from projects.uploads.in_bucket import UploadBucket  # loads boto3

        return UploadBucket(project_id)
    return UploadFolder(project_id)


def files_folder(project_id: int) -> Path:
    """Return the folder of the project's complete files; of a service with a bucket, what `bring` made of it."""
    return Upload.folder_of(project_id) / "files"


def why_refused(path: str, size: int) -> str:
    """Return why a file of this path and size is not taken; empty if it is."""
    parts = path.split("/")
    if unsafe := unsafe_name(path):
        return unsafe
    if any(map(_is_unfit, path)) or any(part.startswith(".") for part in parts):
        return "has a name that begins with a dot, or characters that cannot be shown"
    if any(part.endswith(PART) for part in parts[:-1]):
        return f"lies in a folder whose name ends with {PART}, as those of unfinished uploads do"
    if len(path.encode()) > LONGEST_PATH or any(len(part.encode()) > LONGEST_NAME for part in parts):
        return f"has a longer name than {LONGEST_NAME} bytes, or a longer path than {LONGEST_PATH}"
    if not is_picture(path) and PurePosixPath(path).suffix.lower() not in {*TEXTS, ".zip"}:
        return f"is neither a picture nor one of {', '.join(sorted({*TEXTS, '.zip'}))}"
    if size < 1:
        return "is empty"
    most = PICTURE_BYTES if is_picture(path) else MAX_BYTES
    return f"has {size:,} bytes: at most {most:,} are taken" if size > most else ""


def _is_unfit(character: str) -> bool:
    """Tell whether no name may hold it. Spaces of each kind, joiners and soft hyphens are in names of many people."""
    return unicodedata.category(character) in UNFIT or character in TURNING


def take_piece(project: Project, path: str, *, offset: int, size: int, data: bytes) -> Received:
    """Add a piece to a file of `size` bytes, and return how far the file is.

    Raises OutOfPlaceError if the file has come to another place than `offset`, and UploadError for what is not taken.
    A file that begins anew replaces a complete one of the same name.
    """
    if reason := why_refused(path, size):
        raise UploadError(path, f"{reason}.")
    if not 0 <= offset < size or not 0 < len(data) <= size - offset:
        raise UploadError(path, f"has {size} bytes: a piece of {len(data)} bytes from {offset} does not fit.")
    place = place_of(project.pk)
    has_begun = place.has_begun(path, size)
    if offset == 0 and not has_begun:
        _admit(project, path, size)
    elif not has_begun:
        there = place.size_of(path)
        raise OutOfPlaceError(there if there == size else 0, complete=there == size)
    place.add(path, size, offset, data)
    return Received(path, offset + len(data), size)


def list_files(project: Project) -> list[Received]:
    """Return every file, complete or not, by path. Brings the sums of the upload up to date."""
    place = place_of(project.pk)
    found = {file.path: file for file in place.complete()}
    found |= {file.path: file for file in place.begun() if file.path not in found}
    total = sum(file.size for file in found.values())
    Upload.objects.filter(project=project).update(files=len(found), bytes=total)
    return sorted(found.values(), key=lambda one: one.path)


def remove(project: Project, path: str = "") -> None:
    """Remove one file, or everything. Raises UploadError for an unsafe path."""
    if not path:
        place_of(project.pk).remove_all()
        Upload.objects.filter(project=project).delete()
        return
    if unsafe := unsafe_name(path):
        raise UploadError(path, f"{unsafe}.")
    place_of(project.pk).remove(path)
    list_files(project)


def keep_text(project: Project, path: str, text: str) -> None:
    """Write a text that was typed in, as if it had been uploaded."""
    data = text.encode()
    remove(project, path)
    for start in range(0, len(data), PIECE):
        take_piece(project, path, offset=start, size=len(data), data=data[start : start + PIECE])


def _admit(project: Project, path: str, size: int) -> None:
    """Count the file as begun, and make its place. Raises UploadError if it is one too many."""
    if not Upload.objects.filter(project=project).exists():
        _forget_old()
        Upload.objects.get_or_create(project=project)
    place = place_of(project.pk)
    free = place.free() - FREE_BYTES
    if size > free:
        raise UploadError(path, f"needs {size:,} bytes, and only {max(free, 0):,} are free on the server: make room.")
    mine = Upload.objects.filter(project=project, files__lt=MAX_MEMBERS, bytes__lte=MAX_BYTES - size)
    if not mine.update(files=F("files") + 1, bytes=F("bytes") + size, touched_at=clock.now()):
        raise UploadError(path, f"is too much: at most {MAX_MEMBERS:,} files and {MAX_BYTES:,} bytes are taken.")
    place.begin(path, size)


def _forget_old() -> None:
    for upload in Upload.objects.filter(touched_at__lt=clock.now() - UNFINISHED_KEPT_FOR).select_related("project"):
        remove(upload.project)
    forget_gone()


def forget_gone() -> None:
    """Remove the files of projects that are gone; copies and the bucket's files also of those without an upload."""
    in_folder = isinstance(store(), FolderStorage)
    # Looked at before the rows: whoever begins an upload meanwhile makes the row first.
    here = [folder for folder in (Path(settings.DATA) / "uploads").glob("*") if folder.name.isdigit()]
    stored: set[int] = set()
    if not in_folder:
        from projects.uploads.in_bucket import forget, stored_projects

        stored = stored_projects()
    rows = Project.objects.values_list("pk") if in_folder else Upload.objects.values_list("project")
    there = {number for (number,) in rows}
    for folder in here:
        if int(folder.name) not in there:
            shutil.rmtree(folder, ignore_errors=True)
    for project_id in stored - there:
        forget(project_id)
