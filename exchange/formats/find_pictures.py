"""The pictures of a source, found for the paths that its text files give, wherever in the source they lie."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from itertools import chain
from pathlib import PurePosixPath
from typing import Protocol

from annotation.rules.comparable import comparable_name
from exchange.formats.picture_files import Pictures
from exchange.names import natural_key, same_path
from exchange.problems import Defect, source_error

_NAMED = 3


class _Key(Protocol):
    """The form in which paths are compared."""

    def __call__(self, path: str) -> str: ...


class FoundPictures:
    """A picture for each path, by its place in one of the `folders`, then by as much of the path as agrees.

    No picture is found for two paths, and none by less than what tells the paths apart. `endings`: whether the paths
    tell the endings of the pictures; otherwise any will do. `known`: pictures of paths for which nothing is looked up.
    """

    def __init__(
        self,
        pictures: Pictures,
        paths: Iterable[str],
        *,
        folders: Sequence[str] = ("images",),
        endings: bool = True,
        known: Mapping[str, str] | None = None,
    ) -> None:
        self.pictures = pictures
        self.there = sorted(pictures, key=natural_key)
        self.paths = list(dict.fromkeys(paths))
        self.used: set[str] = set()
        self._found = dict(known or {})
        self.used.update(self._found.values())
        self._several: dict[str, list[str]] = {}
        self._exact = endings
        # As the paths are written; if nothing agrees, without regard to case, invisible characters and kinds of spaces.
        self._keys: list[_Key] = [partial(_key, fold=fold, ending=endings) for fold in (False, True)]
        for folder in (*folders, ""):
            self._take_in(folder)
        self._take_anywhere()

    def __bool__(self) -> bool:
        """Tell whether the source has any picture."""
        return bool(self.there or self.used)

    def of(self, path: str) -> str:
        """Return the picture's path within the source. Raises Defect if there is none, or more than one."""
        if path in self._found:
            return self._found[path]
        if path in self._several:
            raise Defect(f"the picture {path} is there several times: {', '.join(self._several[path][:_NAMED])}")
        raise Defect(f"the picture {path} is missing")

    def check(self, named_by: str) -> None:
        """Raise SourceError if the source has pictures, and none is that of a path."""
        if self.there and self.paths and not self.used and not self._several:
            raise source_error(
                named_by,
                f"names {_counted(self.paths)}, and the source has {_counted(self.there)}, but no two names agree: "
                "nothing was imported",
            )

    def unused(self) -> list[str]:
        """Return the pictures that are those of no path."""
        mentioned = self.used.union(*self._several.values())
        return [one for one in self.there if one not in mentioned]

    def _left(self) -> list[str]:
        return [path for path in self.paths if path not in self._found and path not in self._several]

    def _take_in(self, folder: str) -> None:
        """Find pictures that lie in this folder just as the paths say."""
        inside = f"{folder}/" if folder else ""
        if self._exact:
            # Asked for one by one: a file with another ending than pictures have is found, and its fault told.
            for path in self._left():
                if (one := f"{inside}{path}") in self.pictures:
                    self._take(path, [one])
        for key in self._keys:
            by_key: dict[str, list[str]] = {}
            for one in self.there:
                if one.startswith(inside):
                    by_key.setdefault(key(one.removeprefix(inside)), []).append(one)
            self._take_by_key(key, {path: path for path in self._left()}, by_key)

    def _take_anywhere(self) -> None:
        """Find pictures by their whole paths below any folder, then without the first folders of the paths."""
        for key in self._keys:
            self._take_below_any(key)
        for dropped in range(1, max((path.count("/") for path in self._left()), default=0) + 1):
            for key in self._keys:
                rests = {path: path.split("/", dropped)[-1] for path in self._left() if path.count("/") >= dropped}
                if rests:
                    tails = _by_tail((one for one in self.there if one not in self.used), key)
                    self._take_by_key(key, rests, {rest: list(chain(*found.values())) for rest, found in tails.items()})

    def _take_below_any(self, key: _Key) -> None:
        """Find pictures by whole paths: where several folders have one, in that which has most of the paths."""
        left = {path: key(path) for path in self._left()}
        often = Counter(left.values())
        tails = _by_tail((one for one in self.there if one not in self.used), key)
        has = Counter(folder for one in left.values() for folder in tails.get(one, ()))
        # The longest first: a path with folders tells more than one without, and may end alike.
        for path in sorted(left, key=lambda one: -one.count("/")):
            there = {
                picture: has[folder]
                for folder, pictures in tails.get(left[path], {}).items()
                for picture in pictures
                if picture not in self.used
            }
            if often[left[path]] == 1:
                self._take(path, [one for one, number in there.items() if number == max(there.values())])

    def _take_by_key(self, key: _Key, wanted: dict[str, str], there: dict[str, list[str]]) -> None:
        """Find pictures by the key of what is wanted of each path; none where two paths want the same."""
        keys = {path: key(rest) for path, rest in wanted.items()}
        often = Counter(keys.values())
        for path, one in keys.items():
            if often[one] == 1:
                self._take(path, [picture for picture in there.get(one, ()) if picture not in self.used])

    def _take(self, path: str, candidates: list[str]) -> None:
        if len(candidates) == 1 and candidates[0] not in self.used:
            self._found[path] = candidates[0]
            self.used.add(candidates[0])
        elif len(candidates) > 1:
            self._several[path] = candidates


def _key(path: str, *, fold: bool, ending: bool) -> str:
    compared = path if ending else str(PurePosixPath(path).with_suffix(""))
    return comparable_name(compared) if fold else same_path(compared)


def _by_tail(paths: Iterable[str], key: _Key) -> dict[str, dict[str, list[str]]]:
    """Return the paths by what is left of each below each of its folders, and by that folder."""
    found: dict[str, dict[str, list[str]]] = {}
    for path in paths:
        for dropped in range(path.count("/") + 1):
            tail = path.split("/", dropped)[-1]
            found.setdefault(key(tail), {}).setdefault(path.removesuffix(tail), []).append(path)
    return found


def _counted(paths: Sequence[str]) -> str:
    number = "1 picture" if len(paths) == 1 else f"{len(paths):,} pictures"
    return f"{number} ({', '.join(paths[:_NAMED])}{', …' if len(paths) > _NAMED else ''})"
