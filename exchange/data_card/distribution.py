"""Files of an export, as Croissant names them: one by one with their digests, or in sets where there are many."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from hashlib import file_digest
from itertools import chain
from mimetypes import guess_type
from pathlib import Path, PurePosixPath
from typing import Any

ENCODINGS = {
    ".json": "application/json",
    ".jsonl": "application/jsonlines",
    ".parquet": "application/x-parquet",
    ".txt": "text/plain",
    ".xml": "text/xml",
}
SINGLE = (".json", ".jsonl")
"""Endings of files that are named one by one."""


KNOWN = ("Annotations", "Sentences", "data", "images")
"""Folders of formats: whatever lies below one belongs together."""


@dataclass(frozen=True, slots=True)
class FileSet:
    """The files below a folder with the same ending."""

    folder: str
    """Its path below the export; empty: the export itself."""
    suffix: str
    """The ending, in lower case."""
    endings: tuple[str, ...]
    """The ending as the files have it: some have .JPG and others .jpg."""
    count: int
    is_deep: bool
    """Whether some lie in folders of the folder."""

    @property
    def id(self) -> str:
        return f"{self.folder or 'files'}-{self.suffix.lstrip('.')}"

    @property
    def includes(self) -> list[str]:
        """The patterns of the paths of its files."""
        prefix = f"{self.folder}/" if self.folder else ""
        depths = ("*", "**/*") if self.is_deep else ("*",)
        return [f"{prefix}{depth}{ending}" for depth in depths for ending in self.endings]

    def as_json(self) -> dict[str, Any]:
        return {
            "@type": "cr:FileSet",
            "@id": self.id,
            "name": self.id,
            "description": f"{self.count:,} files.",
            "encodingFormat": encoding(self.suffix),
            "includes": self.includes,
        }


def encoding(suffix: str) -> str:
    """Return the media type of files with this ending."""
    return ENCODINGS.get(suffix) or guess_type(f"x{suffix}", strict=False)[0] or "application/octet-stream"


def single_files(root: Path) -> list[str]:
    """Return the paths of the files that are named one by one: below the export or, of a file, its name."""
    if root.is_file():
        return [root.name]
    return sorted(one.relative_to(root).as_posix() for one in root.rglob("*") if one.is_file() and one.suffix in SINGLE)


def file_sets(root: Path, parts: Collection[str], packed: Iterable[str] = ()) -> list[FileSet]:
    """Return the sets of all other files, by the folder in which they lie and their ending.

    `packed`: the paths of files that are not on disk any more.
    """
    found: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    deep = set()
    there = (PurePosixPath(one.relative_to(root)) for one in root.rglob("*") if one.is_file()) if root.is_dir() else ()
    for path in chain(there, map(PurePosixPath, packed)):
        if path.suffix not in SINGLE:
            key = _folder(path, parts), path.suffix.lower()
            found[key][path.suffix] += 1
            if path.parent.as_posix() != (key[0] or "."):
                deep.add(key)
    return [
        FileSet(*key, tuple(sorted(endings)), endings.total(), key in deep) for key, endings in sorted(found.items())
    ]


def _folder(path: PurePosixPath, parts: Collection[str]) -> str:
    """Return the folder of a file's set: that of its part, and in it that of its kind of files."""
    folders = path.parts[:-1]
    first = 1 if folders and folders[0] in parts else 0
    kind = 1 if len(folders) > first and folders[first] in KNOWN else 0
    return "/".join(folders[: first + kind])


def file_object(file: Path, id: str, url: str) -> dict[str, Any]:
    """Return the entry of a file, with its digest. `url`: its place as seen from the card."""
    with file.open("rb") as opened:
        digest = file_digest(opened, "sha256").hexdigest()
    return {
        "@type": "cr:FileObject",
        "@id": id,
        "name": PurePosixPath(url).name,
        "contentUrl": url,
        "contentSize": f"{file.stat().st_size} B",
        "encodingFormat": encoding(file.suffix),
        "sha256": digest,
    }
