"""The page that explains every field of every kind of file, made from the schemas."""

from collections.abc import Iterable, Iterator
from typing import Any

from exchange.formats.schema.kind import FileKind
from exchange.formats.schema.make_schema import REFERENCE, schema_of

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
