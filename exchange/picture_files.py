"""The picture files of a source, by their paths within it, and their sizes in pixels."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from annotation.pictures import PictureError, read_size
from exchange.problems import Defect

SUFFIXES = frozenset({".jpg", ".jpeg", ".png", ".webp", ".gif", ".bmp"})
TEXTS = frozenset({".txt", ".xml", ".json", ".jsonl", ".csv"})
"""The endings of the files in which the formats keep captions and boxes."""


class Pictures(ABC):
    """A source's pictures, named by their paths within it, with /. They may be remote; none is kept in memory."""

    @abstractmethod
    def __iter__(self) -> Iterator[str]:
        """Yield every picture, in no particular order."""

    @abstractmethod
    def __contains__(self, name: object) -> bool:
        """Tell whether this file exists."""

    @abstractmethod
    def has_folder(self, folder: str) -> bool:
        """Tell whether the source has this folder."""

    @abstractmethod
    def head(self, name: str) -> BinaryIO:
        """Open the file to read its beginning. Raises PictureError if it cannot be read."""

    @abstractmethod
    def open(self, name: str) -> BinaryIO:
        """Open the file to read it several times. Raises PictureError if it cannot be read."""

    def by_stem(self, folder: str) -> dict[str, list[str]]:
        """Return the pictures in the folder itself, by their name without ending, case folded."""
        found: dict[str, list[str]] = {}
        for name in sorted(self.right_in(folder)):
            found.setdefault(PurePosixPath(name).stem.casefold(), []).append(name)
        return found

    def right_in(self, folder: str) -> Iterator[str]:
        """Yield the pictures in the folder itself, without those in its subfolders."""
        return (name for name in self if name.rpartition("/")[0] == folder)


class FolderPictures(Pictures):
    """The pictures in a folder on this machine."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def __iter__(self) -> Iterator[str]:
        return (path.relative_to(self._folder).as_posix() for path in self._folder.rglob("*") if is_picture(path.name))

    def __contains__(self, name: object) -> bool:
        return (self._folder / str(name)).is_file()

    def has_folder(self, folder: str) -> bool:
        return (self._folder / folder).is_dir()

    def right_in(self, folder: str) -> Iterator[str]:
        return (f"{folder}/{path.name}" for path in (self._folder / folder).iterdir() if is_picture(path.name))

    def head(self, name: str) -> BinaryIO:
        return self.open(name)

    def open(self, name: str) -> BinaryIO:
        try:
            return (self._folder / name).open("rb")
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
