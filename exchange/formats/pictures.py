"""The pictures of a source: their files and sizes, and where in the source the one of each path lies."""

import os
import re
from abc import ABC, abstractmethod
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from pathlib import Path, PurePosixPath
from typing import BinaryIO, Protocol
from urllib.parse import parse_qs, unquote, urlsplit

from annotation.decode_picture import PictureError, read_size
from annotation.rules.comparable import comparable_name
from exchange.checks import Defect, source_error
from exchange.names import natural_key, same_path

MAX_PICTURES_NAMED = 3
SUFFIXES = frozenset({".jpg", ".jpeg", ".png", ".webp", ".gif", ".bmp"})
TEXTS = frozenset({".txt", ".xml", ".json", ".jsonl", ".csv", ".p", ".parquet"})
"""The endings of the files in which the formats keep captions and boxes; .p: RefCOCO's."""


def refuse_links_out(folder: Path, within: Collection[Path]) -> None:
    """Raise SourceError, which names them, if links in the folder lead out of the places in `within`."""
    found = sorted(path.relative_to(folder).as_posix() for path in _links_out(folder, within))
    if found:
        more = f" and {len(found) - MAX_PICTURES_NAMED:,} more" if len(found) > MAX_PICTURES_NAMED else ""
        names = ", ".join(name[:100] for name in found[:MAX_PICTURES_NAMED])
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


class SourcePictures(ABC):
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


class FolderPictures(SourcePictures):
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


def size_of(pictures: SourcePictures, name: str) -> tuple[int, int]:
    """Return the upright width and height in pixels, from the beginning of the file. Raises Defect."""
    if name not in pictures:
        raise Defect(f"the picture {name} is missing")
    try:
        with pictures.head(name) as file:
            return read_size(file)
    except PictureError as error:
        raise Defect(f"the picture {name} {error}") from error


def check_size(pictures: SourcePictures, name: str, width: int, height: int) -> None:
    """Raise Defect for a picture whose upright size is not the stated one: its boxes would be in other pixels."""
    actual = size_of(pictures, name)
    if actual != (width, height):
        raise Defect(f"the picture {name} is {actual[0]} x {actual[1]} pixels upright, not {width} x {height}")


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
        pictures: SourcePictures,
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
        self._keys: list[_Key] = [partial(_key, any_case=fold, ending=endings) for fold in (False, True)]
        for folder in (*folders, ""):
            self._take_in(folder)
        # Then by their whole paths below any folder, and at last without the first folders of the paths.
        for key in self._keys:
            self._take_below_any(key)
        for dropped in range(1, max((path.count("/") for path in self._left()), default=0) + 1):
            for key in self._keys:
                rests = {path: path.split("/", dropped)[-1] for path in self._left() if path.count("/") >= dropped}
                if rests:
                    tails = _by_tail((picture for picture in self.there if picture not in self.used), key)
                    self._take_by_key(key, rests, {rest: list(chain(*found.values())) for rest, found in tails.items()})

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
        return [picture for picture in self.there if picture not in mentioned]

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
            for picture in self.there:
                if picture.startswith(inside):
                    by_key.setdefault(key(picture.removeprefix(inside)), []).append(picture)
            self._take_by_key(key, {path: path for path in self._left()}, by_key)

    def _take_below_any(self, key: _Key) -> None:
        """Find pictures by whole paths: where several folders have one, in that which has most of the paths."""
        left = {path: key(path) for path in self._left()}
        often = Counter(left.values())
        tails = _by_tail((picture for picture in self.there if picture not in self.used), key)
        has = Counter(folder for path_key in left.values() for folder in tails.get(path_key, ()))
        # The longest first: a path with folders tells more than one without, and may end alike.
        for path in sorted(left, key=lambda one: -one.count("/")):
            there = {
                picture: has[folder]
                for folder, pictures in tails.get(left[path], {}).items()
                for picture in pictures
                if picture not in self.used
            }
            if often[left[path]] == 1:
                self._take(path, [picture for picture, number in there.items() if number == max(there.values())])

    def _take_by_key(self, key: _Key, rests: dict[str, str], there: dict[str, list[str]]) -> None:
        """Find pictures by the key of what is wanted of each path; none where two paths want the same."""
        keys = {path: key(rest) for path, rest in rests.items()}
        often = Counter(keys.values())
        for path, path_key in keys.items():
            if often[path_key] == 1:
                self._take(path, [picture for picture in there.get(path_key, ()) if picture not in self.used])

    def _take(self, path: str, candidates: list[str]) -> None:
        if len(candidates) == 1 and candidates[0] not in self.used:
            self._found[path] = candidates[0]
            self.used.add(candidates[0])
        elif len(candidates) > 1:
            self._several[path] = candidates


def _key(path: str, *, any_case: bool, ending: bool) -> str:
    compared = path if ending else str(PurePosixPath(path).with_suffix(""))
    return comparable_name(compared) if any_case else same_path(compared)


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


_UPLOADED = re.compile(r"[0-9a-f]{8}-(?=.)")
"""The beginning that Label Studio gives the names of uploaded files."""
_STORAGES = frozenset({"s3", "gs", "azure-blob", "http", "https"})


class PictureAddresses:
    """The paths of pictures, by their addresses. `pictures`: the paths of those that the source has."""

    def __init__(self, pictures: Iterable[str]) -> None:
        self._by_name: dict[str, list[str]] = defaultdict(list)
        for picture in pictures:
            self._by_name[PurePosixPath(picture).name].append(picture)

    def path(self, address: str, where: str) -> str:
        """Return the path within the storage, the bucket or the upload. Raises Defect for an address without one.

        An uploaded file is found by the name that it has in the tool, and else by the one that it came with.
        """
        if address.startswith("data:"):
            raise Defect(f"{where} holds the picture itself: give files of pictures, and their names here")
        parts = urlsplit(address.replace("\\", "/"))
        if local := parse_qs(parts.query).get("d"):
            path = local[0]
        elif parts.scheme in _STORAGES:
            path = unquote(parts.path)
        elif parts.scheme and not re.fullmatch("[a-z]", parts.scheme):
            raise Defect(f"{where} {address[:80]!r} is no address of a picture that is known here")
        else:
            path = unquote(address.replace("\\", "/").partition("?")[0])
        path = re.sub(r"^[A-Za-z]:", "", path).strip("/")
        if path.startswith("data/upload/"):
            name = PurePosixPath(path).name
            plain = _UPLOADED.sub("", name, count=1)
            return plain if name not in self._by_name and plain in self._by_name else name
        return path

    def place(self, path: str) -> str:
        """Return where the picture lies in the source, if only one can be meant; else the path as it is."""
        same = self._by_name.get(PurePosixPath(path).name, [])
        ends = [picture for picture in same if f"/{picture}".endswith(f"/{path}") or f"/{path}".endswith(f"/{picture}")]
        return ends[0] if len(ends) == 1 else path
