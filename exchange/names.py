"""Names of images: derived from file names, usable as file names, sorted as people expect."""

import re
from pathlib import PurePosixPath

from exchange.problems import Defect
from exchange.read_text import check_characters

# A name becomes a file name with an ending; most file systems allow 255 bytes.
LONGEST = 200
_LONGEST_ENDING = 50


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
    if name.startswith(".") or len(name.encode()) > LONGEST:
        raise Defect(f"picture path {value[:80]!r}: give it a name of at most {LONGEST} bytes that starts with no dot")
    if len(path.suffix.encode()) > _LONGEST_ENDING:
        raise Defect(f"picture path {value[:80]!r}: its ending has more than {_LONGEST_ENDING} bytes")
    return name
