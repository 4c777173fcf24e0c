"""A kind of file that people meet: the type of its rows, its values, and the faults that no schema can say."""

import json
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

from annotation.bounds import JSON_BYTES
from exchange.checks import Defect, SourceError, decode, describe_excess, read_bytes
from exchange.dataset import DatasetImage, Problem
from exchange.formats.pictures import FolderPictures, SourcePictures

LINE_BYTES = 64 << 20
"""Bytes of a line. The largest one of an export, an image with its whole record, has some megabytes."""
GZIP, ZIP, UTF16 = b"\x1f\x8b", b"PK\x03\x04", (b"\xff\xfe", b"\xfe\xff")


class Unreadable(Exception):
    """The file is none that can be looked at; the message says why and what to do."""


class FileFault(NamedTuple):
    """Something that is wrong in a file."""

    line: int | None
    """None: the place says enough, or no line does."""
    words: str

    def at(self, file: object) -> str:
        """Return the fault with its file and line."""
        return f"{file}: {self.words}" if self.line is None else f"{file}:{self.line}: {self.words}"


class Read(NamedTuple):
    """A value of a file, or the fault by which it is none."""

    line: int
    value: Any
    fault: str = ""


def check_file(path: Path) -> None:
    """Refuse what is no plain file with something in it. Raises Unreadable."""
    try:
        if path.is_dir():
            raise Unreadable(f"{path} is a folder: name one of its files.")
        with path.open("rb") as file:
            head = file.read(4)
    except FileNotFoundError as error:
        raise Unreadable(f"There is no file {path}.") from error
    except OSError as error:
        raise Unreadable(f"{path} cannot be read: {error.strerror}.") from error
    if not head:
        raise Unreadable(f"{path} is empty.")
    if head.startswith((GZIP, ZIP)):
        raise Unreadable(f"{path} is compressed: unpack it first.")
    if head.startswith(UTF16):
        raise Unreadable(f"{path} is UTF-16: save it as UTF-8.")


def lines_of(path: Path) -> Iterator[Read]:
    """Yield the value of each line that is not blank. One line is kept in memory at a time."""
    with path.open("rb") as file:
        number = 0
        while data := file.readline(LINE_BYTES + 1):
            number += 1
            if len(data) > LINE_BYTES and not data.endswith(b"\n"):
                while (rest := file.readline(LINE_BYTES)) and not rest.endswith(b"\n"):
                    pass
                yield Read(number, None, f"has more than {LINE_BYTES:,} bytes: one object a line is expected")
            elif data.strip():
                yield _read(data.rstrip(), number)


def whole(path: Path) -> Read:
    """Return the value of a whole file; `line` is that of the fault, or 1."""
    try:
        data = read_bytes(path, most=JSON_BYTES)
    except Defect as defect:
        return Read(1, None, defect.message)
    return _read(data, 1)


def _read(data: bytes, first: int) -> Read:
    try:
        return Read(first, _parsed(decode(data, first), first))
    except Defect as defect:
        return Read(defect.line or first, None, defect.message)


def _parsed(text: str, first: int) -> Any:
    def no_number(name: str) -> NoReturn:
        raise Defect(f"holds {name}, which is no number in JSON: write a number or null")

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            names = [name for name, _ in pairs]
            raise Defect(f"has the field {next(name for name in names if names.count(name) > 1)!r} twice in one object")
        return found

    try:
        return json.loads(text, parse_constant=no_number, object_pairs_hook=once)
    except json.JSONDecodeError as error:
        place = f"column {error.colno}"
        raise Defect(
            f"is not JSON: {error.msg[:1].lower()}{error.msg[1:]} ({place})", first + error.lineno - 1
        ) from error
    except (RecursionError, ValueError) as error:
        raise Defect(f"is not JSON that can be read: {error}") from error


class FileKind(NamedTuple):
    name: str
    title: str
    row: Any
    """The type of each line, or of the whole file."""
    is_lines: bool = True
    """Whether each line is an object; else the whole file is one value."""
    passes_over: bool = False
    """Whether readers pass over fields that they do not know; else they are refused."""
    faults: Callable[[Path], Iterable[FileFault]] = lambda path: ()
    """Yields the faults that no schema can tell: references, spans, boxes outside. The file fits its schema."""

    @property
    def unit(self) -> str:
        return (
            "Each line is a JSON object, in UTF-8." if self.is_lines else "The whole file is one JSON value, in UTF-8."
        )


Reader = Callable[[Path, SourcePictures], Iterator[DatasetImage | Problem]]


def imported(path: Path, reader: Reader, name: str, others: Mapping[str, str] | None = None) -> Iterator[FileFault]:
    """Read the file as an import does, without pictures, and yield what it complains of.

    `name`: by which the reader finds it. `others`: files beside it that belong to it, by the names for the reader.
    """
    with tempfile.TemporaryDirectory() as folder:
        for other, file in {**{name: path.name}, **(others or {})}.items():
            if (path.parent / file).is_file():
                (Path(folder) / other).symlink_to((path.parent / file).resolve())
        try:
            for read in reader(Path(folder), FolderPictures(Path(folder))):
                if isinstance(read, Problem):
                    yield _fault(read, name)
                elif message := describe_excess(read):
                    yield _fault(Problem(name, None, read.path or read.name, message), name)
        except SourceError as error:
            yield _fault(error.problem, name)


def _fault(problem: Problem, name: str) -> FileFault:
    where = "" if problem.file in (name, "") or problem.file.startswith("/") else f"{problem.file}: "
    left_out = f" (image {problem.image} would be left out)" if problem.image else ""
    return FileFault(problem.line, f"{where}{problem.message}{left_out}")
