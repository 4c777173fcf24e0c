"""The pictures of an export that was stopped: kept beside its target, so that the next export to it goes on there.

The rows of an export are read anew whenever it runs: that takes half a minute for 31,783 images, and two states of a
project never mix. Pictures take long. The folder `.TARGET.part` holds those that are written, and a journal of them.
"""

import fcntl
import json
import os
import shutil
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, NamedTuple
from zlib import crc32

from exchange.atomic import TargetExists, check_free
from runtime.marked_points import reach

PIECE = 1 << 18


class KeptPicture(NamedTuple):
    """A line of the journal: a picture that was written whole."""

    stored: str
    """Its name in storage, where nothing is ever changed."""
    asked: str
    """The path in the export that the image asks for; `path` may have another ending."""
    longest_side: int
    path: str
    """Its path in the export."""
    size: tuple[int, int] | None
    """Width and height in pixels, if they or the path are not those of the image any more."""
    checksum: int | None
    """None: it was gone again."""


class KeptPictures:
    """The pictures of an export that is not finished: those that an earlier one left, and those of this one."""

    def __init__(self, place: Path, name: str) -> None:
        """Read the journal. Whatever else an earlier export left is removed."""
        self.folder = place / "export" / name
        """Becomes the target, and has its name: data cards say it."""
        self.again = self.of_no_use = 0
        """Pictures of the earlier export that did not have to be written again, and those that had to."""
        self._written = 0
        self._earlier = {one.path: one for one in _read(place / "journal")}
        self._paths = {one.asked: one.path for one in self._earlier.values()}
        self.folder.mkdir(parents=True, exist_ok=True)
        _remove_others(self.folder, self._earlier.keys())
        self._journal: IO[str] = (place / "journal").open("a", encoding="utf-8")
        if self._journal.tell():
            self._journal.write("\n")  # behind a line that was cut off

    @property
    def holds_any(self) -> bool:
        return bool(self._earlier or self.again or self._written)

    def find(self, stored: str, asked: Path, longest_side: int, anew: Path) -> KeptPicture | None:
        """Return the picture if it is there and whole.

        `asked`: the path that the image asks for; `anew`: the path of a picture of it that is made anew.
        """
        path = self._paths.get(self._inside(asked), "")
        found = self._earlier.get(path)
        if found is None:
            return None
        is_same = path == self._inside(anew if found.size else asked)
        checksum = _checksum(self.folder / path)
        if not is_same or found != KeptPicture(stored, found.asked, longest_side, path, found.size, checksum):
            self.make_room(self.folder / path)
            return None
        del self._earlier[path]
        self.again += 1
        return found

    def make_room(self, file: Path) -> None:
        """Remove an earlier picture of another image, or in another size, where one is to be written."""
        if self._earlier.pop(self._inside(file), None):
            file.unlink(missing_ok=True)
            self.of_no_use += 1

    def add(self, stored: str, asked: Path, longest_side: int, written: Path, size: tuple[int, int] | None) -> None:
        """Note a picture that is written whole. The arguments are as in `find` and `KeptPicture`."""
        paths = self._inside(asked), longest_side, self._inside(written)
        line = KeptPicture(stored, *paths, size, _checksum(written))
        self._journal.write(json.dumps(line) + "\n")
        self._journal.flush()
        self._written += 1
        reach("export: picture written")

    def finish(self) -> None:
        """Remove the earlier pictures that the export did not ask for: the project has changed, or the choice."""
        self._journal.close()
        for path in list(self._earlier):
            self.make_room(self.folder / path)
        _remove_empty(self.folder)

    def close(self) -> None:
        self._journal.close()

    def sentences(self) -> Iterator[str]:
        """Yield what a reader should know of the earlier export."""
        if self.again:
            yield f"{self.again:,} pictures were there already, from an export that was stopped."
        if self.of_no_use:
            yield f"{self.of_no_use:,} pictures of an export that was stopped were of no use any more."

    def _inside(self, path: Path) -> str:
        return path.relative_to(self.folder).as_posix()


@contextmanager
def kept_pictures(target: Path) -> Iterator[KeptPictures]:
    """Yield a folder to write an export with pictures in, which is renamed to `target` when the block ends.

    If the block ends by a stop, or because a disk or a network fails, its pictures stay for the next export to the
    target; any other error removes them. Raises TargetExists if the target is not empty, or is being written.
    """
    place = target.with_name(f".{target.name}.part")
    if place.is_dir() and not (place / "export" / target.name).exists():
        shutil.rmtree(place, ignore_errors=True)  # it was finished, and killed before this
    check_free(target)
    place.mkdir(exist_ok=True)
    descriptor = os.open(place, os.O_RDONLY)
    try:
        _hold(descriptor, target)
        kept = KeptPictures(place, target.name)
        try:
            yield kept
            kept.finish()
            check_free(target)
            kept.folder.rename(target)
            shutil.rmtree(place)
        except BaseException as error:
            kept.close()
            stopped = isinstance(error, KeyboardInterrupt | SystemExit | OSError)
            if not stopped or isinstance(error, FileExistsError) or not kept.holds_any:
                shutil.rmtree(place, ignore_errors=True)
            raise
    finally:
        os.close(descriptor)


def _hold(descriptor: int, target: Path) -> None:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise TargetExists(f"{target} is being written by another process: choose another name") from error


def _read(journal: Path) -> Iterator[KeptPicture]:
    """Yield the lines of a journal. A line that was cut off, as the last one before a kill may be, is passed over."""
    if not journal.exists():
        return
    with journal.open("rb") as lines:
        for line in lines:
            with suppress(ValueError, TypeError):
                *texts, size, checksum = json.loads(line)
                yield KeptPicture._make((*texts, size and tuple(size), checksum))


def _remove_others(folder: Path, paths: Collection[str]) -> None:
    for file in list(folder.rglob("*")):
        if (file.is_file() or file.is_symlink()) and file.relative_to(folder).as_posix() not in paths:
            file.unlink()
    _remove_empty(folder)


def _remove_empty(folder: Path) -> None:
    for at, folders, files in os.walk(folder, topdown=False):
        if Path(at) != folder and not files and not any((Path(at) / folder).exists() for folder in folders):
            Path(at).rmdir()


def _checksum(file: Path) -> int | None:
    """Return the checksum of the file; None: there is none. A machine that lost its power may keep a torn file."""
    found = 0
    try:
        with file.open("rb") as source:
            while piece := source.read(PIECE):
                found = crc32(piece, found)
    except FileNotFoundError:
        return None
    return found
