"""Addresses of pictures in annotation tools, and the paths by which their files are found in a source."""

import re
from collections import defaultdict
from collections.abc import Iterable
from pathlib import PurePosixPath
from urllib.parse import parse_qs, unquote, urlsplit

from exchange.problems import Defect

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
        ends = [one for one in same if f"/{one}".endswith(f"/{path}") or f"/{path}".endswith(f"/{one}")]
        return ends[0] if len(ends) == 1 else path
