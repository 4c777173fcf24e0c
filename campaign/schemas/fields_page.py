"""The page that explains every field of every kind of file, made from the schemas."""

from collections.abc import Iterator
from typing import Any

from campaign.schemas.kinds import KINDS, Kind
from campaign.schemas.make_schema import REFERENCE, schema_of

HEAD = """# Fields of files

Written by `manage.py schemas` from the declarations that the service itself uses; [schemas/](schemas) has the same as \
JSON Schemas, and `manage.py validate FILE` says what is wrong with a file. Fields in *italics* may be missing, [X] is \
a list of X, {X} an object of X by name. [Formats](formats.md) tells what the files are for.
"""
SIMPLE = {"integer": "int", "boolean": "bool", "string": "text"}


def fields_page() -> str:
    """Return the page in Markdown. Objects of several kinds of files are explained once."""
    there: dict[str, str] = {}
    return HEAD + "".join(f"\n{_part(kind, there)}" for kind in KINDS.values())


def _part(kind: Kind, there: dict[str, str]) -> str:
    """Return the part of a kind. `there`: the kinds that explain what was explained before, by the text."""
    schema = schema_of(kind)
    rest = ", other fields are passed over" if kind.passes_over else ""
    parts = [f"## {kind.name}\n\n{kind.title}; {'an object a line' if kind.is_lines else 'one value'}{rest}.\n"]
    seen: set[str] = set()
    if "properties" in schema:
        parts.append(_fields(schema, seen))
    before: dict[str, list[str]] = {}
    for name in dict.fromkeys(_named(schema)):
        one = schema["$defs"][name]
        text = f"**{name}**: {one['description'][:1].lower()}{one['description'][1:]}\n\n{_fields(one, seen)}"
        if (first := there.setdefault(text, kind.name)) == kind.name:
            parts.append(text)
        else:
            before.setdefault(first, []).append(name)
    parts += [f"As in [{first}](#{first}): {', '.join(names)}\n" for first, names in before.items()]
    return "\n".join(parts)


def _named(schema: dict[str, Any]) -> Iterator[str]:
    """Yield the names of all objects in the order in which they are met."""
    waiting: list[Any] = [{key: own for key, own in schema.items() if key != "$defs"}]
    for value in waiting:
        found = list(_references(value))
        yield from found
        waiting += [schema["$defs"][name] for name in found if schema["$defs"][name] not in waiting]


def _references(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        if "$ref" in value:
            yield value["$ref"].removeprefix(REFERENCE)
        for own in value.values():
            yield from _references(own)
    elif isinstance(value, list):
        for own in value:
            yield from _references(own)


def _fields(schema: dict[str, Any], seen: set[str]) -> str:
    """Return a line for each field; one for all that stand above, in `seen`, already."""
    lines, again = [], []
    for name, field in schema.get("properties", {}).items():
        shown = f"`{name}`" if name in schema.get("required", ()) else f"*`{name}`*"
        told = f": {field['description']}" if "description" in field else ""
        line = f"- {shown} ({_type(field)}){told}"
        (again if line in seen else lines).append(shown if line in seen else line)
        seen.add(line)
    if again:
        lines.append(f"- {', '.join(again)}: as above")
    return "\n".join(lines) + "\n"


def _type(field: dict[str, Any]) -> str:
    """Return the type of a field in short."""
    if "$ref" in field:
        return str(field["$ref"].removeprefix(REFERENCE))
    if "anyOf" in field:
        return " or ".join(dict.fromkeys(map(_type, field["anyOf"])))
    if "const" in field:
        return f"“{field['const']}”" if isinstance(field["const"], str) else str(field["const"]).lower()
    if "enum" in field:
        return ", ".join(f"“{one}”" for one in field["enum"])
    types = field.get("type", "any")
    if isinstance(types, list):
        return " or ".join(_type({**field, "type": one}) for one in types)
    if types == "array":
        return f"[{_type(field.get('items', {}))}]"
    if types == "object" and isinstance(field.get("additionalProperties"), dict):
        return f"{{{_type(field['additionalProperties'])}}}"
    return SIMPLE.get(types, types)
