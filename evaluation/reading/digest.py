"""Digests of inputs: SHA-256 of a file, or of a folder's names and contents in order."""

import hashlib
from pathlib import Path


def digest_of(path: Path) -> str:
    """Return the SHA-256 of the file, or of all files of the folder. Hidden files count as well."""
    total = hashlib.sha256()
    if not path.is_dir():
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    for name in sorted(one.relative_to(path).as_posix() for one in path.rglob("*") if one.is_file()):
        contents = hashlib.sha256((path / name).read_bytes()).hexdigest()
        total.update(f"{contents}  {name}\n".encode())
    return total.hexdigest()
