"""Progress of one image [paper 3], to JSON and back: what `Progress.state` holds in the database.

The classes of the progress declare the JSON. This file holds how each kind of type is stored:

- the progress of an image is an object with the names of its fields;
- any other class of ours is a row: a list of its fields in their order;
- a dictionary of rows is a list of rows, because each begins with its key;
- any other dictionary by numbers or by pairs of them is a list of lists, each of a key and a value;
- a class with `packed` and `unpacked` says itself how it is a list;
- a pair is a list; everything else is JSON already, as are our enumerations, which are texts.

See `marks.py` for fields that are left out. While an update runs, the version of the service before it reads what the
new one writes. So a new field has the mark `Later` and comes last in its class.
"""

from collections.abc import Callable, Iterator
from dataclasses import is_dataclass
from functools import cache
from operator import attrgetter
from types import GenericAlias, UnionType
from typing import Annotated, Any, NamedTuple, get_args, get_origin

from pydantic import AfterValidator, Field, TypeAdapter, ValidationError
from pydantic_core import SchemaValidator, core_schema

from annotation.rules.transitivity import Pair
from pipeline.protocol.state.mention_progress import Declared, StorageMark, declared
from pipeline.protocol.state.progress import ImageProgress

Change = Callable[[Any], Any]


class ProgressError(Exception):
    """The JSON is not the progress of an image."""


class StoredForm(NamedTuple):
    """The stored form of values of one type."""

    read: Any
    """The type by which pydantic reads them."""
    write: Change | None
    """None: they are JSON already."""


def to_json(progress: ImageProgress) -> dict[str, Any]:
    """Return values for JSON in a fixed order, so that equal progress gives equal JSON."""
    kept = {}
    for name, write, always in WRITERS:
        value = getattr(progress, name)
        if always or value:
            kept[name] = write(value) if write else value
    return kept


def from_json(data: dict[str, Any]) -> ImageProgress:
    """Return the progress that `to_json` wrote. Raises ProgressError if the data has another shape."""
    try:
        return ImageProgress(**READER.validate_python(data))
    except ValidationError as error:
        raise ProgressError(f"This is not the progress of an image: {error}") from error


def from_text(text: str, *parts: str) -> ImageProgress:
    """Return the progress that is stored as this text; with `parts`, these of its fields alone, and no others.

    Raises ProgressError as `from_json` does, which takes much longer with the JSON read before.
    """
    try:
        return ImageProgress(**_reader(parts or ALL).validate_json(text))
    except ValidationError as error:
        raise ProgressError(f"This is not the progress of an image: {error}") from error


@cache
def form_of(kind: Any) -> StoredForm:
    """Return the form of a type; see the list above."""
    origin, parts = get_origin(kind), get_args(kind)
    if origin is dict and parts[0] is not str:
        return _dictionary(*parts)
    if origin is list:
        return _list(parts[0])
    if origin is UnionType:  # with None, which is JSON already
        return StoredForm(kind, form_of(parts[0]).write)
    if hasattr(kind, "packed"):
        return StoredForm(Annotated[list[Any], AfterValidator(kind.unpacked)], kind.packed)
    if hasattr(kind, "_fields"):
        return StoredForm(kind, _row_writer(kind))
    if origin is tuple:
        return StoredForm(kind, list)
    return StoredForm(kind, None)


def _is_row(kind: Any) -> bool:
    return is_dataclass(kind)


def _list(kind: Any) -> StoredForm:
    if _is_row(kind):
        rows, write_rows = _rows(kind)
        return StoredForm(Annotated[rows, AfterValidator(lambda found: [kind(*row) for row in found])], write_rows)
    read, write = form_of(kind)
    return StoredForm(GenericAlias(list, read), write and _each(write))


def _dictionary(key: Any, kind: Any) -> StoredForm:
    if _is_row(kind):
        rows, write_rows = _rows(kind)
        by_first = AfterValidator(lambda found: {row[0]: kind(*row) for row in found})
        return StoredForm(Annotated[rows, by_first], lambda values: write_rows(values.values()))
    read, write = form_of(kind)
    change = write or (lambda value: value)
    if key is Pair:
        pairs: Any = GenericAlias(list, GenericAlias(tuple, (int, int, read)))
        by_pair = AfterValidator(lambda found: {(first, second): value for first, second, value in found})
        return StoredForm(
            Annotated[pairs, by_pair], lambda values: [[*pair, change(value)] for pair, value in values.items()]
        )
    lines: Any = GenericAlias(list, GenericAlias(tuple, (int, read)))
    return StoredForm(
        Annotated[lines, AfterValidator(dict)], lambda values: [[n, change(value)] for n, value in values.items()]
    )


def _rows(kind: Any) -> tuple[Any, Change]:
    """Return the type by which a list of rows of a dataclass is read, and what writes one."""
    row = NamedTuple(kind.__name__, [(field.name, _cell(field)) for field in declared(kind)])  # type: ignore[misc]
    return GenericAlias(list, row), _each(_row_writer(kind))


def _cell(field: Declared) -> Any:
    """Return the type by which a field of a row is read."""
    read = form_of(field.kind).read
    if StorageMark.LATER not in field.marks:
        return read
    empty = isinstance(field.default, list | dict)
    made = Field(default_factory=type(field.default)) if empty else Field(default=field.default)
    return Annotated[read, made]


def _row_writer(kind: Any) -> Change:
    """Return what makes a list of a value, without those later fields at its end that hold their defaults."""
    fields = list(declared(kind))
    cells: Change = tuple if issubclass(kind, tuple) else attrgetter(*(field.name for field in fields))
    changes = [(place, change) for place, field in enumerate(fields) if (change := form_of(field.kind).write)]
    last_first = [field.default for field in reversed(fields) if StorageMark.LATER in field.marks]
    if cells is tuple and not changes and not last_first:
        return list

    def row_of(value: Any) -> list[Any]:
        row = [*cells(value)]
        for place, change in changes:
            if held := row[place]:  # None and an empty list are JSON already
                row[place] = change(held)
        for default in last_first:
            if row[-1] != default:
                break
            del row[-1]
        return row

    return row_of


def _each(write: Change) -> Change:
    return lambda values: list(map(write, values))


def _in_order(write: Change) -> Change:
    return lambda values: write(dict(sorted(values.items())))


@cache
def _reader(parts: tuple[str, ...]) -> SchemaValidator:
    """Return what reads these fields of the progress, as a dictionary by their names."""
    stored: dict[str, core_schema.TypedDictField] = {}
    for field in STORED:
        if field.name not in parts:
            continue
        is_missing = StorageMark.LATER in field.marks
        read = TypeAdapter(form_of(field.kind).read).core_schema
        stored[field.name] = core_schema.typed_dict_field(read, required=not is_missing)
    return SchemaValidator(core_schema.typed_dict_schema(stored))


def _writers() -> Iterator[tuple[str, Change | None, bool]]:
    """Yield for each field its name, what writes it, and whether it is there even if it is empty."""
    for field in STORED:
        write = form_of(field.kind).write
        if write and StorageMark.SORTED in field.marks:
            write = _in_order(write)
        yield field.name, write, StorageMark.LATER not in field.marks


STORED = [field for field in declared(ImageProgress) if StorageMark.UNSTORED not in field.marks]
ALL = tuple(field.name for field in STORED)
READER = _reader(ALL)
WRITERS = list(_writers())
