"""Fields that a schema declares, and those that values have; and the check that an export of ours fits to the last."""

from collections.abc import Iterable, Iterator
from typing import Any

from jsonschema import Draft202012Validator

from exchange.formats.schema.check_file import FaultWords
from exchange.formats.schema.make_schema import REFERENCE, schema_of
from projects.schemas import kinds

Schema = dict[str, Any]
Place = tuple[str | int, ...]


def check_ours(name: str, values: Iterable[Any]) -> None:
    """Fail if a value is not exactly as our exports of this kind are: a field too few, one too many, another type."""
    words = FaultWords(schema_of(kinds()[name], ours=True), "all")
    assert [fault for value in values for fault in words.of(value)] == []


def declared(schema: Schema) -> set[str]:
    """Return all fields of a schema, such as "CocoBox.bbox"."""
    objects = {"": schema, **schema.get("$defs", {})}
    return {f"{name}.{field}" for name, one in objects.items() for field in one.get("properties", {})}


def fields_met(value: Any, schema: Schema) -> Iterator[str]:
    """Yield the fields of a schema that a value has."""
    for _, name, _, field, _ in places(value, schema):
        yield f"{name}.{field}"


def places(value: Any, schema: Schema) -> Iterator[tuple[Place, str, Schema, str, Schema]]:
    """Yield the fields in a value: the place, name and schema of the object, and the name and schema of the field."""
    yield from _places(value, schema, schema, "", ())


def _places(
    value: Any, schema: Schema, root: Schema, name: str, at: Place
) -> Iterator[tuple[Place, str, Schema, str, Schema]]:
    if "$ref" in schema:
        name = schema["$ref"].removeprefix(REFERENCE)
        schema = root["$defs"][name]
    for one in schema.get("anyOf", ()):
        if Draft202012Validator({**one, "$defs": root.get("$defs", {})}).is_valid(value):
            yield from _places(value, one, root, name, at)
            return
    if isinstance(value, list):
        for place, entry in enumerate(value):
            yield from _places(entry, schema.get("items", {}), root, name, (*at, place))
    elif isinstance(value, dict):
        for field, own in value.items():
            if field in schema.get("properties", {}):
                yield at, name, schema, field, schema["properties"][field]
                yield from _places(own, schema["properties"][field], root, name, (*at, field))
            elif isinstance(schema.get("additionalProperties"), dict):
                yield from _places(own, schema["additionalProperties"], root, name, (*at, field))
