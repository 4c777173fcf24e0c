"""The picture files of a source, by their paths within it, their sizes in pixels, and links that lead out of it."""

import os
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from annotation.decode_picture import PictureError, read_size
from exchange.problems import Defect, source_error

SHOWN = 3
SUFFIXES = frozenset({".jpg", ".jpeg", ".png", ".webp", ".gif", ".bmp"})
TEXTS = frozenset({".txt", ".xml", ".json", ".jsonl", ".csv", ".p", ".parquet"})
"""The endings of the files in which the formats keep captions and boxes; .p: RefCOCO's."""


def refuse_links_out(folder: Path, within: Collection[Path]) -> None:
    """Raise SourceError, which names them, if links in the folder lead out of the places in `within`."""
    found = sorted(path.relative_to(folder).as_posix() for path in _links_out(folder, within))
    if found:
        more = f" and {len(found) - SHOWN:,} more" if len(found) > SHOWN else ""
        names = ", ".join(name[:100] for name in found[:SHOWN])
        what = "a link that leads" if len(found) == 1 else f"{len(found):,} links that lead"
        raise source_error(
            folder,
            f"holds {what} out of the allowed folders: {names}{more}. Nothing was imported: put files in their place",
        )


def is_inside(path: Path, within: Collection[Path]) -> bool:
    """Tell whether the file or folder lies in one of the places, wherever links on the way to it lead."""
    real = path.resolve()
    return any(real.is_relative_to(place) for place in within)


def _links_out(folder: Path, within: Collection[Path]) -> Iterator[Path]:
    """Yield links to elsewhere. Folders behind links that stay inside are looked at, too, each once."""
    seen = set[str]()
    for at, folders, files in os.walk(folder, followlinks=True):
        here = Path(at)
        seen.add(os.path.realpath(at))
        for name in (*folders, *files):
            path = here / name
            if path.is_symlink() and not is_inside(path, within):
                yield path
        folders[:] = [
            name for name in folders if is_inside(here / name, within) and os.path.realpath(here / name) not in seen
        ]


class Pictures(ABC):
    """A source's pictures, named by their paths within it, with /. They may be remote; none is kept in memory."""

    @abstractmethod
    def __iter__(self) -> Iterator[str]:
        """Yield every picture, in no particular order."""

    @abstractmethod
    def __contains__(self, name: object) -> bool:
        """Tell whether this file exists."""

    @abstractmethod
    def head(self, name: str) -> BinaryIO:
        """Open the file to read its beginning. Raises PictureError if it cannot be read."""

    @abstractmethod
    def open(self, name: str) -> BinaryIO:
        """Open the file to read it several times. Raises PictureError if it cannot be read."""


class FolderPictures(Pictures):
    """The pictures in a folder on this machine. `within`: no link leads to a file elsewhere; None: links may."""

    def __init__(self, folder: Path, within: Collection[Path] | None = None) -> None:
        self.folder, self.within = folder, within

    def __iter__(self) -> Iterator[str]:
        """Yield every picture, those in linked folders too; a folder that is linked into itself is read once."""
        seen = set()
        for folder, inner, files in os.walk(self.folder, followlinks=True):
            here = os.path.realpath(folder)
            if here in seen:
                inner.clear()
                continue
            seen.add(here)
            below = Path(folder).relative_to(self.folder)
            yield from ((below / name).as_posix() for name in files if is_picture(name))

    def __contains__(self, name: object) -> bool:
        return (self.folder / str(name)).is_file()

    def head(self, name: str) -> BinaryIO:
        return self.open(name)

    def open(self, name: str) -> BinaryIO:
        if self.within is not None and not is_inside(self.folder / name, self.within):
            raise PictureError("is a link that leads out of the allowed folders")
        try:
            return (self.folder / name).open("rb")
        except OSError as error:
            raise PictureError(f"cannot be read: {error.strerror}") from error


def is_picture(name: str) -> bool:
    """Tell whether the file name has the ending of a picture."""
    return PurePosixPath(name).suffix.lower() in SUFFIXES and not name.rpartition("/")[2].startswith(".")


def size_of(pictures: Pictures, name: str) -> tuple[int, int]:
    """Return the upright width and height in pixels, from the beginning of the file. Raises Defect."""
    if name not in pictures:
        raise Defect(f"the picture {name} is missing")
    try:
        with pictures.head(name) as file:
            return read_size(file)
    except PictureError as error:
        raise Defect(f"the picture {name} {error}") from error


def check_size(pictures: Pictures, name: str, width: int, height: int) -> None:
    """Raise Defect for a picture whose upright size is not the stated one: its boxes would be in other pixels."""
    actual = size_of(pictures, name)
    if actual != (width, height):
        raise Defect(f"the picture {name} is {actual[0]} x {actual[1]} pixels upright, not {width} x {height}")
