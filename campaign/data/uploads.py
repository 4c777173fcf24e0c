"""Uploaded files on disk. They come in pieces: each piece says where it begins, and is taken only if it fits there.

A file is `files/PATH` when it is complete, and `parts/PATH.SIZE.part` before; the size of the part is how far it is.
"""

import fcntl
import os
import shutil
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from django.conf import settings
from django.db.models import F

from annotation.bounds import FREE_BYTES, MAX_BYTES, MAX_MEMBERS, PICTURE_BYTES
from annotation.models import Project
from campaign.models import Upload
from exchange.picture_files import TEXTS, is_picture
from exchange.unpack import unsafe_name
from upkeep import clock

PIECE = 2 << 20
"""Bytes of a piece that the page sends; DATA_UPLOAD_MAX_MEMORY_SIZE is 2.5 MB."""
LONGEST_NAME, LONGEST_PATH = 200, 500
"""Bytes of a file's name, and of its path."""
KEPT = timedelta(days=14)
"""Uploaded files to which nothing was added for so long are deleted when somebody begins another upload."""
PART = ".part"
UNFIT = ("Cc", "Cs", "Zl", "Zp")
"""Kinds of characters that no file's name may hold: control characters, halves of characters, ends of lines."""
TURNING = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
"""Characters that turn the direction of writing: a name could be shown as another one."""


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


def files_folder(project_id: int) -> Path:
    """Return the folder of the project's complete files."""
    return Upload.folder_of(project_id) / "files"


def refusal(path: str, size: int) -> str:
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
    if reason := refusal(path, size):
        raise UploadError(path, f"{reason}.")
    if not 0 <= offset < size or not 0 < len(data) <= size - offset:
        raise UploadError(path, f"has {size} bytes: a piece of {len(data)} bytes from {offset} does not fit.")
    part, target = _part(project.pk, path, size), files_folder(project.pk) / path
    if offset == 0 and not part.exists():
        _admit(project, path, size)
    elif not part.exists():
        there = target.stat().st_size if target.is_file() else 0
        raise OutOfPlaceError(there if there == size else 0, complete=there == size)
    with _locked(part) as file:
        received = file.seek(0, os.SEEK_END)
        if received != offset:
            raise OutOfPlaceError(received, complete=False)
        file.write(data)
        file.flush()
        if received + len(data) == size:
            target.parent.mkdir(parents=True, exist_ok=True)
            part.replace(target)
    return Received(path, offset + len(data), size)


def listed(project: Project) -> list[Received]:
    """Return every file, complete or not, by path. Brings the sums of the upload up to date."""
    found = {one.path: one for one in _complete(project.pk)}
    parts = list(_begun(project.pk))
    found |= {one.path: one for one in parts if one.path not in found}
    total = sum(one.size for one in found.values())
    Upload.objects.filter(project=project).update(files=len(found), bytes=total)
    return sorted(found.values(), key=lambda one: one.path)


def remove(project: Project, path: str = "") -> None:
    """Remove one file, or everything. Raises UploadError for an unsafe path."""
    if not path:
        shutil.rmtree(Upload.folder_of(project.pk), ignore_errors=True)
        Upload.objects.filter(project=project).delete()
        return
    if unsafe := unsafe_name(path):
        raise UploadError(path, f"{unsafe}.")
    with suppress(FileNotFoundError, NotADirectoryError):
        (files_folder(project.pk) / path).unlink()
    for one in _begun(project.pk):
        if one.path == path:
            _part(project.pk, path, one.size).unlink(missing_ok=True)
    listed(project)


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
    free = shutil.disk_usage(settings.DATA).free - FREE_BYTES
    if size > free:
        raise UploadError(path, f"needs {size:,} bytes, and only {max(free, 0):,} are free on the server: make room.")
    mine = Upload.objects.filter(project=project, files__lt=MAX_MEMBERS, bytes__lte=MAX_BYTES - size)
    if not mine.update(files=F("files") + 1, bytes=F("bytes") + size, touched_at=clock.now()):
        raise UploadError(path, f"is too much: at most {MAX_MEMBERS:,} files and {MAX_BYTES:,} bytes are taken.")
    part = _part(project.pk, path, size)
    try:
        for folder in (part.parent, (files_folder(project.pk) / path).parent):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError) as error:
        raise UploadError(path, "is a file and a folder: give one of them another name.") from error
    if (files_folder(project.pk) / path).is_dir():
        raise UploadError(path, "is a file and a folder: give one of them another name.")
    part.touch()


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


def _part(project_id: int, path: str, size: int) -> Path:
    return Upload.folder_of(project_id) / "parts" / f"{path}.{size}{PART}"


def _complete(project_id: int) -> Iterator[Received]:
    root = files_folder(project_id)
    for path in root.rglob("*"):
        if path.is_file():
            size = path.stat().st_size
            yield Received(path.relative_to(root).as_posix(), size, size)


def _begun(project_id: int) -> Iterator[Received]:
    root = Upload.folder_of(project_id) / "parts"
    for part in root.rglob(f"*{PART}"):
        path, _, size = part.relative_to(root).as_posix().removesuffix(PART).rpartition(".")
        with suppress(FileNotFoundError):
            yield Received(path, part.stat().st_size, int(size))


def _forget_old() -> None:
    for upload in Upload.objects.filter(touched_at__lt=clock.now() - KEPT).select_related("project"):
        remove(upload.project)
    for folder in (Path(settings.DATA) / "uploads").glob("*"):
        if folder.name.isdigit() and not Project.objects.filter(pk=int(folder.name)).exists():
            shutil.rmtree(folder, ignore_errors=True)
