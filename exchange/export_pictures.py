"""Pictures of an export: as they came, or smaller, upright as the boxes are; those of a stopped export are kept.

The rows of an export are read anew whenever it runs: that takes half a minute for 31,783 images, and two states of a
project never mix. Pictures take long. The folder `.TARGET.part` holds those that are written, and a journal of them.
"""

import fcntl
import json
import os
import shutil
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import IO, BinaryIO, NamedTuple, cast
from zlib import crc32

from PIL import Image

from annotation.decode_picture import read_size, render_for_screen
from annotation.models import Project
from annotation.rules.box import Box
from annotation.storage import store
from exchange.atomic import TargetExists, check_free
from exchange.dataset import DatasetBox, DatasetImage
from exchange.export_options import AS_THEY_CAME
from exchange.formats.phrases import ExportNote
from runtime.marked_points import reach

PIECE = 1 << 18


class JournalLine(NamedTuple):
    """A line of the journal: a picture that was written whole."""

    stored: str
    """Its name in storage, where nothing is ever changed."""
    requested_path: str
    """The path in the export that the image asks for; `path` may have another ending."""
    longest_side: int
    path: str
    """Its path in the export."""
    size: tuple[int, int] | None
    """Width and height in pixels, if they or the path are not those of the image any more."""
    checksum: int | None
    """None: it was gone again."""


class PictureJournal:
    """The pictures of an export that is not finished: those that an earlier one left, and those of this one."""

    def __init__(self, place: Path, name: str) -> None:
        """Read the journal. Whatever else an earlier export left is removed."""
        self.folder = place / "export" / name
        """Becomes the target, and has its name: data cards say it."""
        self.again = self.of_no_use = 0
        """Pictures of the earlier export that did not have to be written again, and those that had to."""
        self._written = 0
        self._earlier = {earlier.path: earlier for earlier in _read(place / "journal")}
        self._paths = {earlier.requested_path: earlier.path for earlier in self._earlier.values()}
        self.folder.mkdir(parents=True, exist_ok=True)
        _remove_others(self.folder, self._earlier.keys())
        self._journal: IO[str] = (place / "journal").open("a", encoding="utf-8")
        if self._journal.tell():
            self._journal.write("\n")  # behind a line that was cut off

    @property
    def holds_any(self) -> bool:
        return bool(self._earlier or self.again or self._written)

    def find(self, stored: str, requested: Path, longest_side: int, anew: Path) -> JournalLine | None:
        """Return the picture if it is there and whole.

        `requested`: the path that the image asks for; `anew`: the path of a picture of it that is made anew.
        """
        path = self._paths.get(self._inside(requested), "")
        found = self._earlier.get(path)
        if found is None:
            return None
        is_same = path == self._inside(anew if found.size else requested)
        checksum = _checksum(self.folder / path)
        if not is_same or found != JournalLine(stored, found.requested_path, longest_side, path, found.size, checksum):
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

    def add(self, stored: str, requested: Path, longest_side: int, written: Path, size: tuple[int, int] | None) -> None:
        """Note a picture that is written whole. The arguments are as in `find` and `JournalLine`."""
        paths = self._inside(requested), longest_side, self._inside(written)
        line = JournalLine(stored, *paths, size, _checksum(written))
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
            yield f"Pictures that were there already, from an export that was stopped: {self.again:,}."
        if self.of_no_use:
            yield f"Pictures of an export that was stopped and were of no use any more: {self.of_no_use:,}."

    def _inside(self, path: Path) -> str:
        return path.relative_to(self.folder).as_posix()


@contextmanager
def earlier_pictures(target: Path) -> Iterator[PictureJournal]:
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
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise TargetExists(f"{target} is being written by another process: choose another name") from error
        kept = PictureJournal(place, target.name)
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


def _read(journal: Path) -> Iterator[JournalLine]:
    """Yield the lines of a journal. A line that was cut off, as the last one before a kill may be, is passed over."""
    if not journal.exists():
        return
    with journal.open("rb") as lines:
        for line in lines:
            with suppress(ValueError, TypeError):
                *texts, size, checksum = json.loads(line)
                yield JournalLine._make((*texts, size and tuple(size), checksum))


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


ORIENTATION = 0x0112
"""The tag of EXIF that says how a picture is turned for viewing."""
JPEG = (".jpg", ".jpeg")


def taken_names(project: Project) -> set[str]:
    """Return the file names of all images of the project, which no new picture may have."""
    return {path or f"{name}.jpg" for name, path in project.images.values_list("name", "path")}


def with_pictures(
    images: Iterable[DatasetImage],
    folder: Path,
    longest_side: int,
    counts: Counter[ExportNote],
    taken: set[str],
    journal: PictureJournal | None = None,
) -> Iterator[DatasetImage]:
    """Write the picture of each image into the folder by its file name, and yield the image in that picture's pixels.

    A picture that its camera turned, or that gets smaller, becomes an upright JPEG; others stay as they are, byte for
    byte. Images without a picture are yielded as they are, and counted. `taken`: the file names of all images of the
    project, which no new name may be; new names are added. `journal`: what an earlier export has written, in `folder`.
    """
    for image in images:
        if image.picture is None:
            counts[ExportNote.NO_PICTURE] += 1
            yield image
            continue
        asked, name = _target(folder, image.file_name), _jpeg_name(image.file_name, taken)
        found = journal.find(image.picture, asked, longest_side, _target(folder, name)) if journal else None
        if found is None:
            size = _write(image, folder, longest_side, name, journal)
            if journal:
                written = asked if size is None else _target(folder, name)
                journal.add(image.picture, asked, longest_side, written, size)
        else:
            size = found.size
        if size is None:
            yield image
        else:
            taken.add(name)
            yield scaled(replace(image, path=name), *size)


def _write(
    image: DatasetImage, folder: Path, longest_side: int, name: str, journal: PictureJournal | None
) -> tuple[int, int] | None:
    """Write the picture, by this name if it is made anew. Returns its width and height then, else None."""
    assert image.picture is not None
    with store().open(image.picture) as opened:
        source = cast(BinaryIO, opened)
        smaller = longest_side != AS_THEY_CAME and max(image.width, image.height) > longest_side
        if not smaller and not _is_turned(source):
            source.seek(0)
            _copy(source, _target(folder, image.file_name), journal)
            return None
        source.seek(0)
        side = longest_side if smaller else max(image.width, image.height)
        with render_for_screen(source, longest_side=side) as made:
            _copy(made, _target(folder, name), journal)
            made.seek(0)
            return read_size(made)


def _jpeg_name(file_name: str, taken: Collection[str]) -> str:
    """Return the name of a picture that becomes a JPEG: with another ending, or one more where that name is taken."""
    path = PurePosixPath(file_name)
    if path.suffix.lower() in JPEG:
        return file_name
    name = str(path.with_suffix(".jpg"))
    return f"{file_name}.jpg" if name in taken else name


def _is_turned(source: BinaryIO) -> bool:
    with Image.open(source) as picture:
        return picture.getexif().get(ORIENTATION, 1) != 1


def _target(folder: Path, name: str) -> Path:
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts:
        raise ValueError(f"the picture {name!r} would lie outside the export")
    return folder / path


def _copy(source: BinaryIO, target: Path, journal: PictureJournal | None) -> None:
    if journal:
        journal.make_room(target)
    if not target.parent.is_dir():
        target.parent.mkdir(parents=True)
    with target.open("xb") as file:
        shutil.copyfileobj(source, file)


def scaled(image: DatasetImage, width: int, height: int) -> DatasetImage:
    """Return the image in another size, with its boxes in whole pixels, each at least one pixel wide and high."""
    across, down = width / image.width, height / image.height
    boxes = tuple(replace(box, box=_box(box, across, down, width, height)) for box in image.boxes)
    return replace(image, width=width, height=height, boxes=boxes)


def _box(box: DatasetBox, across: float, down: float, width: int, height: int) -> Box:
    x0, x1 = _edges(box.box.x0 * across, box.box.x1 * across, width)
    y0, y1 = _edges(box.box.y0 * down, box.box.y1 * down, height)
    return Box(x0, y0, x1, y1)


def _edges(low: float, high: float, most: int) -> tuple[int, int]:
    start = min(round(low), most - 1)
    return start, min(max(round(high), start + 1), most)
