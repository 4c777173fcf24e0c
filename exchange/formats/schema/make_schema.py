"""JSON Schemas of the kinds of files, made of the types that writers build and readers name.

A field's docstring is its description, a class's docstring that of the object.
"""

import ast
import inspect
from collections.abc import Callable
from functools import cache
from itertools import pairwise
from textwrap import dedent
from typing import Any, Literal, get_type_hints

from pydantic import ConfigDict, TypeAdapter, ValidationError
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema
from typing_extensions import get_original_bases

from exchange.declared import OURS
from exchange.formats.schema.kind import FileKind

DIALECT = "https://json-schema.org/draft/2020-12/schema"
REFERENCE = "#/$defs/"


def schema_of(kind: FileKind, *, ours: bool = False) -> dict[str, Any]:
    """Return the schema of a file of this kind; of a file of lines that of each line.

    `ours`: of our own exports, which have every field that an export always has, and no others.
    """
    generator = _Ours if ours else _Open if kind.passes_over else _Closed
    made = TypeAdapter(kind.row).json_schema(ref_template=f"{REFERENCE}{{model}}", schema_generator=generator)
    definitions = made.pop("$defs", {})
    if set(made) == {"$ref"}:  # a row that holds itself
        made = definitions[made["$ref"].removeprefix(REFERENCE)]
    head = {
        "$schema": DIALECT,
        "$id": f"urn:chainbox:{kind.name}",
        "title": kind.name,
        "description": f"{kind.title}. {kind.unit}",
    }
    found = head | {key: value for key, value in _plain(made).items() if key not in head}
    return found | ({"$defs": _plain(definitions)} if definitions else {})


def is_quickly_valid(kind: FileKind) -> Callable[[Any], bool]:
    """Return a function that tells in a moment of most values that they fit the schema; of others it says nothing."""
    extra: Literal["ignore", "forbid"] = "ignore" if kind.passes_over else "forbid"
    rows: TypeAdapter[Any] = TypeAdapter(list[kind.row], config=ConfigDict(extra=extra))  # type: ignore[name-defined]

    def quick(value: Any) -> bool:
        try:
            rows.validate_python([value], strict=True)
        except ValidationError:
            return False
        return True

    return quick


class _Closed(GenerateJsonSchema):
    """Schemas that refuse fields that they do not know."""

    passes_over = False
    every = False

    def typed_dict_schema(self, schema: core_schema.TypedDictSchema) -> JsonSchemaValue:
        return self._described(super().typed_dict_schema(schema), schema["cls"])

    def dataclass_schema(self, schema: core_schema.DataclassSchema) -> JsonSchemaValue:
        return self._described(super().dataclass_schema(schema), schema["cls"])

    def _described(self, made: JsonSchemaValue, cls: Any) -> JsonSchemaValue:
        hints = get_type_hints(cls, include_extras=True)
        told = descriptions(cls)
        for name, field in made["properties"].items():
            if name in told:
                made["properties"][name] = {"description": told[name], **field}
        if not self.every:
            needed = [name for name in made.get("required", ()) if OURS not in _metadata(hints[name])]
            made = {key: value for key, value in made.items() if key != "required"}
            made |= {"required": needed} if needed else {}
        made.pop("additionalProperties", None)
        return made if self.passes_over else made | {"additionalProperties": False}


class _Open(_Closed):
    """Schemas that pass over fields that they do not know."""

    passes_over = True


class _Ours(_Closed):
    """Schemas of exports."""

    every = True


def _metadata(annotation: Any) -> tuple[Any, ...]:
    """Return what stands beside a field's type."""
    found: tuple[Any, ...] = getattr(annotation, "__metadata__", ())
    return found


@cache
def descriptions(cls: Any) -> dict[str, str]:
    """Return the docstrings of the fields of a class and of those that it extends."""
    found: dict[str, str] = {}
    for base in get_original_bases(cls):
        if isinstance(base, type) and base is not object:
            found |= descriptions(base)
    if not hasattr(cls, "__annotations__"):
        return found
    (tree,) = ast.parse(dedent(inspect.getsource(cls))).body
    body = tree.body if isinstance(tree, ast.ClassDef) else []
    for field, told in pairwise(body):
        match field, told:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(text))):
                found[name] = " ".join(text.split())
    return found


def _plain(value: Any, *, named: bool = False) -> Any:
    """Return a schema without made-up titles, and with unions of plain types as one type.

    `named`: `value` is no schema, but has schemas by names.
    """
    if isinstance(value, list):
        return [_plain(entry) for entry in value]
    if not isinstance(value, dict):
        return value
    found = {
        key: _plain(entry, named=key in ("properties", "$defs") and not named)
        for key, entry in value.items()
        if named or key != "title"
    }
    if not named and (joined := _joined(found.get("anyOf", []))):
        found = {key: entry for key, entry in found.items() if key != "anyOf"} | joined
    return found


def _joined(choices: list[Any]) -> dict[str, Any]:
    """Return plain types, of which at most one has bounds, as one schema; nothing for others."""
    if not choices or not all(isinstance(choice.get("type"), str) for choice in choices):
        return {}
    bounds = [{key: limit for key, limit in choice.items() if key != "type"} for choice in choices]
    bounded = [bound for bound in bounds if bound]
    # An enumeration, unlike other bounds, is about values of all types.
    if len(bounded) > 1 or any("enum" in bound or "const" in bound for bound in bounded):
        return {}
    return {"type": [choice["type"] for choice in choices], **(bounded[0] if bounded else {})}
