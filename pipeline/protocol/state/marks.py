"""Marks of fields [paper 3]: what a field of the progress says about its place in the JSON and in the tables."""

from collections.abc import Callable, Iterator
from dataclasses import MISSING, fields
from enum import Enum
from typing import Annotated, Any, NamedTuple, TypeVar, get_type_hints

T = TypeVar("T")


class StorageMark(Enum):
    """The way in which a field is stored, where its type does not tell. Fields of rows know `LATER` only."""

    LATER = "left out of the JSON where it has its default"
    SORTED = "by its keys in the JSON, so that equal progress gives equal JSON"
    UNSTORED = "not in the JSON"


class TableColumn(NamedTuple):
    """Mark of a field that the table of its class shows, too."""

    name: str = ""
    """The name of the column, where it is another one."""
    shows: Callable[[Any], Any] | None = None
    """The content of the column for a value, where it is not the value."""


UnlessDefault = Annotated[T, StorageMark.LATER]
SortedByKey = Annotated[T, StorageMark.SORTED]
Unstored = Annotated[T, StorageMark.UNSTORED]
InTable = Annotated[T, TableColumn()]


class Declared(NamedTuple):
    """One field as its class declares it."""

    name: str
    kind: Any
    """Its type, without the marks."""
    marks: tuple[Any, ...]
    default: Any
    """MISSING: it has none."""

    @property
    def column(self) -> TableColumn | None:
        return next((mark for mark in self.marks if isinstance(mark, TableColumn)), None)


def declared(owner: Any) -> Iterator[Declared]:
    """Yield the fields of a dataclass or named tuple in their order."""
    hints = get_type_hints(owner, include_extras=True)
    for name, default in _defaults(owner).items():
        marks = getattr(hints[name], "__metadata__", ())
        yield Declared(name, hints[name].__origin__ if marks else hints[name], marks, default)


def _defaults(owner: Any) -> dict[str, Any]:
    if issubclass(owner, tuple):
        return {name: owner._field_defaults.get(name, MISSING) for name in owner._fields}
    return {
        field.name: field.default if field.default_factory is MISSING else field.default_factory()
        for field in fields(owner)
    }
