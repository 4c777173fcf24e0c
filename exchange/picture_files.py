"""The picture files of a source: where they are, and which size they say they have."""

from collections.abc import Iterator
from pathlib import Path

from annotation.pictures import PictureError, read_size
from exchange.problems import Defect

SUFFIXES = frozenset({".jpg", ".jpeg", ".png", ".webp", ".gif", ".bmp"})


def is_picture(path: Path) -> bool:
    """Whether the file name looks like a picture's."""
    return path.suffix.lower() in SUFFIXES and not path.name.startswith(".")


def pictures_below(folder: Path) -> Iterator[Path]:
    """Every picture file in the folder and in those below it, in no particular order."""
    return (path for path in folder.rglob("*") if is_picture(path))


def pictures_by_stem(folder: Path) -> dict[str, list[Path]]:
    """The pictures right in the folder by their name without ending, case folded."""
    found: dict[str, list[Path]] = {}
    for path in sorted(folder.iterdir()):
        if is_picture(path):
            found.setdefault(path.stem.casefold(), []).append(path)
    return found


def size_of(picture: Path, shown: str) -> tuple[int, int]:
    """Upright width and height in pixels, from the file's head only. `shown` is the file's name in a Defect."""
    if not picture.is_file():
        raise Defect(f"the picture {shown} is missing")
    try:
        return read_size(picture)
    except PictureError as error:
        raise Defect(f"the picture {shown} {error}") from error


def check_size(picture: Path, shown: str, width: int, height: int) -> None:
    """Refuse a picture whose upright size is not the stated one: the boxes would be in other pixels."""
    actual = size_of(picture, shown)
    if actual != (width, height):
        raise Defect(f"the picture {shown} is {actual[0]} x {actual[1]} pixels upright, not {width} x {height}")
