"""The files of an export: a folder, or a zip archive that holds one; and the JSON in them, as strangers write it.

NaN, infinities and doubled fields are refused.
"""

import json
import math
import zlib
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Any, NoReturn
from zipfile import BadZipFile, ZipFile, ZipInfo, is_zipfile

from evaluation.errors import InputError
from exchange.formats.pictures import TEXTS

LARGEST = 600_000_000
"""Bytes of one file of an archive, unpacked."""
SMALL, MOST_RATIO = 1 << 18, 100
"""Bytes of a file that may grow by any factor when it is unpacked, and the most by which a larger one may: text grows
about ten times."""


@contextmanager
def export_folder(path: Path) -> Iterator[Path]:
    """Yield the folder; of an archive one with its texts, until the block ends. Of one folder in it, that one.

    Raises InputError for a file of another kind, a damaged archive, and for a path that leads out of it.
    """
    if path.is_dir():
        yield path
        return
    if not is_zipfile(path):
        raise InputError(f"{path} is neither a folder nor a zip archive: give the folder of an export.")
    with TemporaryDirectory() as name, ZipFile(path) as archive:
        for member in archive.infolist():
            target = Path(name) / member.filename
            if not target.resolve().is_relative_to(Path(name).resolve()):
                raise InputError(f"{path}: {member.filename} has a path that leaves the folder.")
            if target.suffix.lower() in TEXTS and not member.is_dir():
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(_unpacked(archive, member, path))
        inside = list(Path(name).iterdir())
        yield inside[0] if len(inside) == 1 and inside[0].is_dir() else Path(name)


def _unpacked(archive: ZipFile, member: ZipInfo, path: Path) -> bytes:
    size, packed = member.file_size, member.compress_size
    if size > LARGEST or grows_too_much(packed, size):
        raise InputError(f"{path}: {member.filename} would grow from {packed:,} to {size:,} bytes.")
    try:
        return archive.read(member)
    except (BadZipFile, zlib.error, EOFError, RuntimeError, NotImplementedError) as error:
        raise InputError(f"{path}: {member.filename} cannot be unpacked: {error}.") from error


def grows_too_much(packed: int, size: int, most: int = MOST_RATIO) -> bool:
    """Tell whether a compressed file is one that was made to fill the memory."""
    return size > max(SMALL, most * packed)


def path_of(folder: Path, name: str) -> Path | None:
    """Return the file or folder of this name in the folder, by the shortest path; None if there is none."""
    return min(folder.rglob(name), key=lambda path: (len(path.as_posix()), path), default=None)


Id = int | str
"""An id in a file of COCO's."""


def json_lines(path: Path) -> Iterator[tuple[str, Any]]:
    """Yield the place, such as "predictions.jsonl, line 3", and the value of each line. Blank lines are skipped.

    Raises InputError for the first line that is no JSON.
    """
    try:
        with path.open(encoding="utf-8-sig", newline="\n") as file:
            for number, line in enumerate(file, start=1):
                if line.strip():
                    where = f"{path.name}, line {number}"
                    yield where, parse(line, where)
    except UnicodeDecodeError as error:
        raise InputError(f"{path.name} is not UTF-8 (near byte {error.start}).") from error
    except IsADirectoryError as error:
        raise InputError(f"{path} is a folder: give a file.") from error


def json_file(path: Path) -> Any:
    """Return the value of a whole file. Raises InputError."""
    try:
        return parse(path.read_text(encoding="utf-8-sig"), path.name)
    except UnicodeDecodeError as error:
        raise InputError(f"{path.name} is not UTF-8 (byte {error.start}).") from error
    except IsADirectoryError as error:
        raise InputError(f"{path} is a folder: give a file.") from error


def parse(text: str, where: str) -> Any:
    """Return the value. Raises InputError, which begins with the place."""

    def no_number(name: str) -> NoReturn:
        raise InputError(f"{where}: {name} is not a number.")

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            often = Counter(name for name, _ in pairs)
            twice = next(name for name, count in often.items() if count > 1)
            raise InputError(f"{where}: the field {twice!r} stands twice.")
        return found

    try:
        return json.loads(text, parse_constant=no_number, object_pairs_hook=once)
    except (json.JSONDecodeError, RecursionError, ValueError) as error:
        what = error.msg if isinstance(error, json.JSONDecodeError) else str(error)
        raise InputError(f"{where} is no JSON: {what}.") from error


def member(value: Any, name: str, where: str) -> Any:
    """Return a field of an object. Raises InputError if there is none."""
    if not isinstance(value, dict):
        raise InputError(f"{where} is not an object with fields.")
    if name not in value:
        raise InputError(f"{where}: the field {name!r} is missing.")
    return value[name]


def listed(value: Any, name: str, where: str, advice: str = "") -> list[Any]:
    """Return a field of an object that is a list. Raises InputError, which ends with the advice, if it is none."""
    found = member(value, name, where)
    if not isinstance(found, list):
        raise InputError(f"{where}: the field {name!r} is not a list{advice}.")
    return found


def whole(value: Any, what: str) -> int:
    """Return a whole number from 0. Raises InputError, which begins with `what`."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise InputError(f"{what} is {str(value)[:40]!r}, not a whole number from 0.")
    return _of_64_bits(value, what)


def coco_id(value: Any, what: str) -> Id:
    """Return an id of COCO's: a whole number, which may be written 1.0, or a text. Raises InputError."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise InputError(f"{what} is {str(value)[:40]!r}, not a whole number or a text.")
    return value if isinstance(value, str) else _of_64_bits(value, what)


def _of_64_bits(value: int, what: str) -> int:
    """Return the number. All multiples of 2 ** 61 - 1 have one hash: a dict of many of them would take forever."""
    if value.bit_length() > 64:
        raise InputError(f"{what} is {str(value)[:40]}…, a whole number of more than 64 bits.")
    return value


def coco_name(image: Any, where: str) -> str:
    """Return the name of an image of a COCO file: `name` as exports have it, otherwise `file_name` without ending."""
    file = str(member(image, "file_name", where))
    return str(image.get("name") or PurePosixPath(file).stem)


def number(value: Any, what: str) -> float:
    """Return a finite number. Raises InputError, which begins with `what`."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InputError(f"{what} is {str(value)[:40]!r}, not a number.")
    try:
        found = float(value)
    except OverflowError:
        found = math.inf
    if not math.isfinite(found):
        raise InputError(f"{what} is not a finite number.")
    return found
