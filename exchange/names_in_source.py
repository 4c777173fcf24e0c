"""Names for the images of a source: each path gets a name of its own, with the ending only where two would clash."""

import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import count

from exchange.names import LONGEST, checked_path, image_name, natural_key


def same_path(path: str) -> str:
    """Return the form in which paths are compared: a Mac writes letters with accents in two parts."""
    return unicodedata.normalize("NFC", path)


def same_name(name: str) -> str:
    """Return the form in which names are compared: some systems keep one file for names that differ only in case."""
    return unicodedata.normalize("NFC", name).casefold()


def names_of(paths: Iterable[str]) -> dict[str, str]:
    """Return a name for each path: without its ending, where no other path has that name, too."""
    paths = sorted(paths, key=natural_key)
    short = Counter(same_name(image_name(path)) for path in paths)
    taken = {name for name, often in short.items() if often == 1}
    found = {}
    for path in paths:
        name = image_name(path)
        if short[same_name(name)] > 1:
            name = free_name(path, taken)
            taken.add(same_name(name))
        found[path] = name
    return found


def free_name(path: str, taken: set[str]) -> str:
    """Return a name with the path's ending that is not taken. `taken` holds names as `same_name` compares them."""
    return next(name for name in _with_ending(path) if same_name(name) not in taken)


def _with_ending(path: str) -> Iterator[str]:
    """Yield names that tell the path from others, the plainest first."""
    whole = checked_path(path)
    suffix = whole.suffix
    for stem in ("_".join(whole.with_suffix("").parts), "__".join(whole.with_suffix("").parts)):
        yield _short(stem, suffix)
    for number in count(2):
        yield _short("_".join(whole.with_suffix("").parts), f"~{number}{suffix}")


def _short(stem: str, end: str) -> str:
    """Return both together, with the stem cut where a file system could not hold the name."""
    room = LONGEST - len(end.encode())
    return stem.encode()[:room].decode(errors="ignore") + end
