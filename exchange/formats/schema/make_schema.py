"""JSON Schemas of the kinds of files, made of the types that writers build and readers name, and the page of fields.

A field's docstring is its description, a class's docstring that of the object.
"""

import ast
import inspect
from collections.abc import Callable, Iterable, Iterator
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


HEAD = """# Fields of files

Written by `manage.py schemas` from the declarations that the service itself uses; [schemas/](schemas) has the same as \
JSON Schemas, and `manage.py validate FILE` says what is wrong with a file. Fields in *italics* may be missing, [X] is \
a list of X, {X} an object of X by name. [Formats](formats.md) tells what the files are for.
"""
LONG = 150
"""Characters from which the explanation of a field is not repeated in other parts."""
SIMPLE = {"integer": "int", "boolean": "bool", "string": "text"}


def fields_page(kinds: Iterable[FileKind]) -> str:
    """Return the page of these kinds in Markdown. Objects of several kinds of files are explained once."""
    there: dict[str, str] = {}
    return HEAD + "".join(f"\n{_part(kind, there)}" for kind in kinds)


def _part(kind: FileKind, there: dict[str, str]) -> str:
    """Return the part of a kind. `there`: the kind that explains an object or a field first, by the text."""
    schema = schema_of(kind)
    rest = ", other fields are passed over" if kind.passes_over else ""
    parts = [f"## {kind.name}\n\n{kind.title}; {'an object a line' if kind.is_lines else 'one value'}{rest}."]
    told = dict[str, str]()
    if "properties" in schema:
        parts.append(_fields(schema, kind.name, told, there))
    before: dict[str, list[str]] = {}
    for name in dict.fromkeys(_named(schema)):
        one = schema["$defs"][name]
        if (first := there.setdefault(repr(one), kind.name)) != kind.name:
            before.setdefault(first, []).append(name)
            continue
        fields = _fields(one, kind.name, told, there)
        head = f"**{name}**: {one['description'][:1].lower()}{one['description'][1:]}"
        parts.append(f"{head}\n\n{fields}" if "\n" in fields else f"{head} {fields.removeprefix('- ')}")
    parts += [f"As in [{first}](#{first}): {', '.join(names)}" for first, names in before.items()]
    return "\n\n".join(parts) + "\n"


def _named(schema: dict[str, Any]) -> Iterator[str]:
    """Yield the names of all objects in the order in which they are met."""
    waiting: list[Any] = [{key: child for key, child in schema.items() if key != "$defs"}]
    for value in waiting:
        found = list(_references(value))
        yield from found
        waiting += [schema["$defs"][name] for name in found if schema["$defs"][name] not in waiting]


def _references(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        if "$ref" in value:
            yield value["$ref"].removeprefix(REFERENCE)
        for child in value.values():
            yield from _references(child)
    elif isinstance(value, list):
        for child in value:
            yield from _references(child)


def _fields(schema: dict[str, Any], kind: str, described: dict[str, str], there: dict[str, str]) -> str:
    """Return a line for each field; one for those without a description, and for those that were explained before.

    `described`: fields that this part has explained; `there`: fields with long explanations in other parts.
    """
    lines, bare, again = [], [], dict[str, list[str]]()
    for name, field in schema.get("properties", {}).items():
        shown = f"`{name}`" if name in schema.get("required", ()) else f"*`{name}`*"
        line = f"- {shown} ({_type(field)})" + (f": {field['description']}" if "description" in field else "")
        if line in described:
            again.setdefault("above", []).append(shown)
        elif len(line) > LONG and there.setdefault(line, kind) != kind:
            again.setdefault(f"in {there[line]}", []).append(shown)
        elif "description" in field:
            lines.append(line)
        else:
            bare.append(line.removeprefix("- "))
        described[line] = kind
    lines += [f"- {', '.join(bare)}"] * bool(bare)
    told_before = "; ".join(f"{', '.join(names)} as {where}" for where, names in again.items())
    if told_before:
        lines = [f"{line}; {told_before}" if len(lines) == 1 and bare else line for line in lines]
        lines += [f"- {told_before}"] * (not (len(lines) == 1 and bare))
    return "\n".join(lines)


def _type(field: dict[str, Any]) -> str:
    if "$ref" in field:
        return str(field["$ref"].removeprefix(REFERENCE))
    if "anyOf" in field:
        return " or ".join(dict.fromkeys(map(_type, field["anyOf"])))
    if "const" in field:
        return f"“{field['const']}”" if isinstance(field["const"], str) else str(field["const"]).lower()
    if "enum" in field:
        return ", ".join(f"“{allowed}”" for allowed in field["enum"])
    types = field.get("type", "any")
    if isinstance(types, list):
        return " or ".join(_type({**field, "type": type_}) for type_ in types)
    if types == "array":
        return f"[{_type(field.get('items', {}))}]"
    if types == "object" and isinstance(field.get("additionalProperties"), dict):
        return f"{{{_type(field['additionalProperties'])}}}"
    return SIMPLE.get(types, types)
