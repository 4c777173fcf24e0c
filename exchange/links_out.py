"""Links in a folder that lead out of the places from which an import may read."""

import os
from collections.abc import Collection, Iterator
from pathlib import Path

from exchange.problems import source_error

SHOWN = 3


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
