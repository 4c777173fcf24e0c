"""Names of images: derived from file names, usable as file names, sorted as people expect, each once in a source."""

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from itertools import count, islice
from pathlib import PurePosixPath

from exchange.checks import Defect, check_characters

# A name becomes a file name with an ending; most file systems allow 255 bytes.
MAX_NAME_BYTES = 200
_LONGEST_ENDING = 50
NUMBER = re.compile(r"[0-9]{1,15}")
"""A name that is a number which every reader of JSON keeps exactly."""


def natural_key(name: str) -> tuple[tuple[tuple[int, int, str], ...], str]:
    """Return the sort key: numbers in numeric order (a2 before a10), case last. Different names have different keys."""
    parts = []
    for part in re.findall(r"[0-9]+|[^0-9]+", name.casefold()):
        digits = part.lstrip("0") if part[0] in "0123456789" else None
        parts.append((1, 0, part) if digits is None else (0, len(digits), digits))
    return tuple(parts), name


def checked_path(value: str) -> PurePosixPath:
    """Return a relative path that stays in its folder. Raises Defect for anything else."""
    check_characters(value)
    path = PurePosixPath(value)
    absolute = path.is_absolute() or re.match(r"[A-Za-z]:", value)
    if not value.strip() or absolute or "\\" in value or any(part in ("..", ".", "") for part in value.split("/")):
        raise Defect(f"picture path {value[:80]!r}: write it relative to the folder, with / and without ..")
    return path


def image_name(value: str) -> str:
    """Return the image's name for this picture path: without ending, folders joined with _. Raises Defect."""
    path = checked_path(value)
    name = "_".join(path.with_suffix("").parts)
    if name.startswith(".") or len(name.encode()) > MAX_NAME_BYTES:
        raise Defect(
            f"picture path {value[:80]!r}: give it a name of at most {MAX_NAME_BYTES} bytes that starts with no dot"
        )
    if len(path.suffix.encode()) > _LONGEST_ENDING:
        raise Defect(f"picture path {value[:80]!r}: its ending has more than {_LONGEST_ENDING} bytes")
    return name


def can_be_named(path: str) -> bool:
    """Tell whether an image can have a name by this picture path."""
    try:
        return bool(image_name(path))
    except Defect:
        return False


def same_path(path: str) -> str:
    """Return the form in which paths are compared: a Mac writes letters with accents in two parts."""
    return unicodedata.normalize("NFC", path)


def same_name(name: str) -> str:
    """Return the form in which names are compared: some systems keep one file for names that differ only in case."""
    return unicodedata.normalize("NFC", name).casefold()


def names_of(paths: Iterable[str]) -> dict[str, str]:
    """Return a name for each path: without its ending, where no other path has that name, too."""
    paths = sorted(paths, key=natural_key)
    numbers: dict[str, int] = {}
    short = Counter(same_name(image_name(path)) for path in paths)
    taken = {name for name, often in short.items() if often == 1}
    found = {}
    for path in paths:
        name = image_name(path)
        if short[same_name(name)] > 1:
            name = free_name(path, taken, numbers)
            taken.add(same_name(name))
        found[path] = name
    return found


def paths_by_name(paths: Iterable[str], names: Collection[str]) -> dict[str, str]:
    """Return the path of each name that `names_of` gives to one of the paths, or may give it beside other paths."""
    paths = [*paths] if names else []
    named = {path: name for path, name in names_of(paths).items() if name in names}
    found = {name: path for path, name in named.items()}
    may_be: dict[str, list[str]] = {}
    for path in paths:
        for name in {image_name(path), *islice(_with_ending(path, {}), 2)} if path not in named else ():
            may_be.setdefault(name, []).append(path)
    left = {name: may_be[name] for name in names if name not in found and len(may_be.get(name, ())) == 1}
    often = Counter(path for (path,) in left.values())
    return found | {name: path for name, (path,) in left.items() if often[path] == 1}


def number_of(name: str) -> int | None:
    """Return the number that the name is, as that of a picture of Flickr30k or COCO; None for another name."""
    return int(name) if NUMBER.fullmatch(name) else None


def free_name(path: str, taken: set[str], numbers: dict[str, int]) -> str:
    """Return a name with the path's ending that is not taken. `taken` holds names as `same_name` compares them.

    `numbers` is the caller's to keep: it tells for each name which number was given last, so that none is tried again.
    """
    return next(name for name in _with_ending(path, numbers) if same_name(name) not in taken)


def _with_ending(path: str, numbers: dict[str, int]) -> Iterator[str]:
    """Yield names that tell the path from others, the plainest first."""
    whole = checked_path(path)
    suffix = whole.suffix
    for stem in ("_".join(whole.with_suffix("").parts), "__".join(whole.with_suffix("").parts)):
        yield _short(stem, suffix)
    stem = "_".join(whole.with_suffix("").parts)
    same = same_name(f"{stem}{suffix}")
    for number in count(numbers.get(same, 1) + 1):
        numbers[same] = number
        yield _short(stem, f"~{number}{suffix}")


def _short(stem: str, end: str) -> str:
    """Return both together, with the stem cut where a file system could not hold the name."""
    room = MAX_NAME_BYTES - len(end.encode())
    return stem.encode()[:room].decode(errors="ignore") + end
