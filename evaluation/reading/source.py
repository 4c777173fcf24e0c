"""The files of an export: a folder, or a zip archive that holds one."""

import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from zipfile import BadZipFile, ZipFile, ZipInfo, is_zipfile

from evaluation.errors import InputError
from exchange.formats.pictures import TEXTS

LARGEST = 600_000_000
"""Bytes of one file of an archive, unpacked."""
SMALL, MOST_RATIO = 1 << 18, 100
"""Bytes of a file that may grow by any factor when it is unpacked, and the most by which a larger one may: text grows
about ten times."""


@contextmanager
def export_folder(path: Path) -> Iterator[Path]:
    """Yield the folder; of an archive one with its texts, until the block ends. Of one folder in it, that one.

    Raises InputError for a file of another kind, a damaged archive, and for a path that leads out of it.
    """
    if path.is_dir():
        yield path
        return
    if not is_zipfile(path):
        raise InputError(f"{path} is neither a folder nor a zip archive: give the folder of an export.")
    with TemporaryDirectory() as name, ZipFile(path) as archive:
        for member in archive.infolist():
            target = Path(name) / member.filename
            if not target.resolve().is_relative_to(Path(name).resolve()):
                raise InputError(f"{path}: {member.filename} has a path that leaves the folder.")
            if target.suffix.lower() in TEXTS and not member.is_dir():
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(_unpacked(archive, member, path))
        inside = list(Path(name).iterdir())
        yield inside[0] if len(inside) == 1 and inside[0].is_dir() else Path(name)


def _unpacked(archive: ZipFile, member: ZipInfo, path: Path) -> bytes:
    size, packed = member.file_size, member.compress_size
    if size > LARGEST or grows_too_much(packed, size):
        raise InputError(f"{path}: {member.filename} would grow from {packed:,} to {size:,} bytes.")
    try:
        return archive.read(member)
    except (BadZipFile, zlib.error, EOFError, RuntimeError, NotImplementedError) as error:
        raise InputError(f"{path}: {member.filename} cannot be unpacked: {error}.") from error


def grows_too_much(packed: int, size: int, most: int = MOST_RATIO) -> bool:
    """Tell whether a compressed file is one that was made to fill the memory."""
    return size > max(SMALL, most * packed)


def path_of(folder: Path, name: str) -> Path | None:
    """Return the file or folder of this name in the folder, by the shortest path; None if there is none."""
    return min(folder.rglob(name), key=lambda path: (len(path.as_posix()), path), default=None)
