"""The files of an export: a folder, or a zip archive that holds one."""

import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from zipfile import BadZipFile, ZipFile, is_zipfile

from evaluation.errors import InputError
from exchange.formats.pictures import TEXTS

LARGEST = 600_000_000
"""Bytes of one file of an archive, unpacked."""
SMALL, MOST_RATIO = 1 << 18, 100
"""Bytes of a file that may grow by any factor when it is unpacked, and the most by which a larger one may: text grows
about ten times."""


class ReportSource:
    """The files below a folder, or in an archive, by their paths with /."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._archive: ZipFile | None = None
        if path.is_dir():
            return
        if not is_zipfile(path):
            raise InputError(f"{path} is neither a folder nor a zip archive: give the folder of an export.")
        self._archive = ZipFile(path)

    def names(self) -> list[str]:
        """Return the paths of all files, sorted."""
        if self._archive is not None:
            return sorted(entry.filename for entry in self._archive.infolist() if not entry.is_dir())
        return sorted(file.relative_to(self.path).as_posix() for file in self.path.rglob("*") if file.is_file())

    def read(self, name: str) -> bytes:
        """Return the contents of a file. Raises InputError for a damaged archive."""
        if self._archive is None:
            return (self.path / name).read_bytes()
        try:
            size, packed = self._archive.getinfo(name).file_size, self._archive.getinfo(name).compress_size
            if size > LARGEST or grows_too_much(packed, size):
                raise InputError(f"{self.path}: {name} would grow from {packed:,} to {size:,} bytes.")
            return self._archive.read(name)
        except (BadZipFile, zlib.error, EOFError, RuntimeError, NotImplementedError) as error:
            raise InputError(f"{self.path}: {name} cannot be unpacked: {error}.") from error

    @contextmanager
    def folder(self) -> Iterator[Path]:
        """Yield the folder, or one with the texts of the archive until the block ends; of one folder in it, that one.

        Raises InputError for a path that leads out of it.
        """
        if self._archive is None:
            yield self.path
            return
        with TemporaryDirectory() as name:
            for member in self.names():
                target = Path(name) / member
                if not target.resolve().is_relative_to(Path(name).resolve()):
                    raise InputError(f"{self.path}: {member} has a path that leaves the folder.")
                if target.suffix.lower() in TEXTS:
                    target.parent.mkdir(parents=True, exist_ok=True)
                    target.write_bytes(self.read(member))
            inside = list(Path(name).iterdir())
            yield inside[0] if len(inside) == 1 and inside[0].is_dir() else Path(name)

    def text(self, name: str) -> str:
        """Return a file's text. Raises InputError if it is not UTF-8."""
        try:
            return self.read(name).decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise InputError(f"{name} is not UTF-8: byte {error.start} does not fit.") from error


def grows_too_much(packed: int, size: int, most: int = MOST_RATIO) -> bool:
    """Tell whether a compressed file is one that was made to fill the memory."""
    return size > max(SMALL, most * packed)


def folder_of(names: Iterable[str], kind: str) -> str | None:
    """Return the path, with / at its end, of the folder in which a folder or file `kind` lies; the shortest one.

    None if there is no such folder.
    """
    found = {
        "".join(f"{part}/" for part in parts[: parts.index(kind)])
        for name in names
        if kind in (parts := PurePosixPath(name).parts)
    }
    return min(found, key=lambda one: (len(one), one), default=None)
