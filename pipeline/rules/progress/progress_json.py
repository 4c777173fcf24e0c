"""Progress of one image [paper 3], to JSON and back: what `Progress.state` holds in the database.

The classes of the progress declare the JSON, and this file holds how each kind of type is written:

- the progress of an image is an object with the names of its fields;
- any other class of ours is a row: a list of its fields in their order;
- a dictionary of rows is a list of rows, because each begins with its key;
- any other dictionary by numbers, or by pairs of them, is a list of lists: the key, then the value;
- a box or a pair is a list, and an enumeration its text; everything else is JSON already.

See `marks.py` for fields that are left out. The version of the service before an update reads what the one after it
writes, so a new field has the mark `Later` and comes last in its class.
"""

from collections.abc import Callable
from dataclasses import is_dataclass
from enum import Enum
from functools import cache
from operator import attrgetter
from types import UnionType
from typing import Any, NamedTuple, get_args, get_origin

from pydantic import TypeAdapter, ValidationError
from pydantic_core import CoreSchema, SchemaValidator, core_schema

from pipeline.rules.linking.transitivity import Pair
from pipeline.rules.progress.marks import Declared, Mark, declared
from pipeline.rules.progress.progress import ImageProgress

Write = Callable[[Any], Any]


class ProgressError(Exception):
    """The JSON is not the progress of an image."""


class Form(NamedTuple):
    """How values of one type are read, and how they are written."""

    read: CoreSchema
    write: Write | None = None
    """None: they are JSON already."""


def to_json(progress: ImageProgress) -> dict[str, Any]:
    """Return values for JSON in a fixed order, so that equal progress gives equal JSON."""
    kept = {}
    for name, write, left_out in WRITTEN:
        value = getattr(progress, name)
        if value or not left_out:
            kept[name] = write(value) if write else value
    return kept


def from_json(data: dict[str, Any]) -> ImageProgress:
    """Return the progress that `to_json` wrote. Raises ProgressError if the data has another shape."""
    try:
        return ImageProgress(**READER.validate_python(data))
    except ValidationError as error:
        raise ProgressError(f"This is not the progress of an image: {error}") from error


@cache
def form_of(kind: Any) -> Form:
    """Return the form of a type; see the list above."""
    origin, parts = get_origin(kind), get_args(kind)
    if _is_row(kind):
        return _row(kind)
    if origin is dict and parts[0] is not str:
        return _dictionary(*parts)
    if origin is list and (write := form_of(parts[0]).write):
        return Form(core_schema.list_schema(form_of(parts[0]).read), lambda values: [write(one) for one in values])
    plain = TypeAdapter(kind).core_schema
    if origin is UnionType and (some := form_of(parts[0]).write):
        return Form(plain, lambda value: None if value is None else some(value))
    if origin is tuple:
        return Form(plain, list)
    return Form(plain, attrgetter("value") if isinstance(kind, type) and issubclass(kind, Enum) else None)


def _is_row(kind: Any) -> bool:
    return is_dataclass(kind) or hasattr(kind, "_fields")


def _row(kind: Any) -> Form:
    """Return the form of a class of ours: a list from whose end later fields are left out while they say nothing."""
    fields = list(declared(kind))
    names = [one.name for one in fields]
    forms = [form_of(one.kind) for one in fields]
    read = [
        core_schema.arguments_parameter(name, _with_default(one, form.read))
        for name, one, form in zip(names, fields, forms, strict=True)
    ]
    values: Write = list if issubclass(kind, tuple) else attrgetter(*names)
    writers = [(place, form.write) for place, form in enumerate(forms) if form.write]
    always = sum(Mark.LATER not in one.marks for one in fields)
    defaults = [one.default.get("default", []) for one in fields]

    def write(value: Any) -> list[Any]:
        row = [*values(value)]
        for place, change in writers:
            row[place] = change(row[place])
        while len(row) > always and row[-1] == defaults[len(row) - 1]:
            del row[-1]
        return row

    return Form(core_schema.call_schema(core_schema.arguments_schema(read), kind), write)


def _with_default(one: Declared, read: CoreSchema) -> CoreSchema:
    return core_schema.with_default_schema(read, **one.default) if Mark.LATER in one.marks else read


def _dictionary(key: Any, kind: Any) -> Form:
    read, write = form_of(kind)
    change = write or (lambda value: value)
    if _is_row(kind):
        name = attrgetter(next(declared(kind)).name)
        rows = core_schema.list_schema(read)
        return Form(_then(rows, lambda found: {name(row): row for row in found}), lambda d: [*map(change, d.values())])
    number = core_schema.int_schema()
    if key is Pair:
        triples = core_schema.list_schema(core_schema.tuple_schema([number, number, read]))
        return Form(
            _then(triples, lambda found: {(one, other): value for one, other, value in found}),
            lambda d: [[*pair, change(value)] for pair, value in d.items()],
        )
    pairs = core_schema.list_schema(core_schema.tuple_schema([number, read]))
    return Form(_then(pairs, dict), lambda d: [[one, change(value)] for one, value in d.items()])


def _then(read: CoreSchema, change: Write) -> CoreSchema:
    return core_schema.no_info_after_validator_function(change, read)


def _in_order(write: Write) -> Write:
    return lambda d: write(dict(sorted(d.items())))


STORED = [one for one in declared(ImageProgress) if Mark.UNSTORED not in one.marks]
READER = SchemaValidator(
    core_schema.typed_dict_schema(
        {
            one.name: core_schema.typed_dict_field(
                form_of(one.kind).read, required=not {Mark.LATER, Mark.ADDED}.intersection(one.marks)
            )
            for one in STORED
        }
    )
)
WRITTEN = [
    (
        one.name,
        _in_order(form_of(one.kind).write) if Mark.SORTED in one.marks else form_of(one.kind).write,
        Mark.LATER in one.marks,
    )
    for one in STORED
]
"""The name of each stored field, how it is written, and whether it is left out while it is empty."""
