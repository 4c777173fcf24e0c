"""The check of a file: its kind, and all that is wrong with it by its schema and by what no schema can say."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from exchange.formats.schema.check_file import FaultWords, guess_kind
from exchange.formats.schema.kind import FileFault, FileKind, check_file, lines_of, whole
from exchange.formats.schema.make_schema import is_quickly_valid, schema_of
from projects.schemas.kinds import kinds


@dataclass
class FileCheck:
    """The result of a check."""

    kind: FileKind
    lines: int = 0
    """Lines that hold a value; 1 of a file that is one value."""
    count: int = 0
    """The number of faults."""
    faults: list[FileFault] = field(default_factory=list)
    """The first of them."""


def validate_file(path: Path, name: str = "", *, most: int, step: Callable[[], object] = lambda: None) -> FileCheck:
    """Check a file as a kind of this name; empty: as the kind that it looks like. Keeps `most` faults.

    The readers of the kind are asked only about a file that its schema has nothing against. `step` is called for each
    line. Raises Unreadable for a file that cannot be looked at, or looks like no kind.
    """
    check_file(path)
    checked = FileCheck(kinds()[name] if name else guess_kind(path, kinds()))
    for fault in _by_schema(path, checked, step):
        _add(checked, fault, most)
    if not checked.count:
        for fault in checked.kind.faults(path):
            _add(checked, fault, most)
    return checked


def _add(checked: FileCheck, fault: FileFault, most: int) -> None:
    checked.count += 1
    if checked.count <= most:
        checked.faults.append(fault)


def _by_schema(path: Path, checked: FileCheck, step: Callable[[], object]) -> Iterator[FileFault]:
    """Yield the faults by the schema, and count lines."""
    kind = checked.kind
    words = FaultWords(schema_of(kind), "the line" if kind.is_lines else "the file")
    quick = is_quickly_valid(kind)
    for read in lines_of(path) if kind.is_lines else [whole(path)]:
        checked.lines += 1
        step()
        if read.fault:
            yield FileFault(read.line, read.fault)
        elif not quick(read.value):
            yield from (FileFault(read.line if kind.is_lines else None, message) for message in words.of(read.value))
    if not checked.lines:
        yield FileFault(None, "holds nothing but white space")
