"""Faults of a value in words: where it is, what is wrong, and what is expected there."""

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any, NamedTuple

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError

from exchange.checks import kind
from exchange.formats.schema.make_schema import REFERENCE

TYPES = {
    "object": "an object",
    "array": "a list",
    "string": "a text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "null": "null",
}
LONGEST = 60
"""Characters of a value that are shown."""
TAG = "kind"
"""The field that tells which of several objects one is."""


class Choice(NamedTuple):
    """One of the forms that a value may have, with the reasons for which it has not."""

    schema: dict[str, Any]
    errors: list[ValidationError]

    @property
    def is_other(self) -> bool:
        """Tell whether the value is meant as something else: it has another type, or another TAG."""
        return any(
            (error.validator == "type" and not error.relative_path)
            or (error.validator == "const" and list(error.relative_path) == [TAG])
            for error in self.errors
        )

    def shared(self, value: Any) -> int:
        """Return how many fields of the value this form knows."""
        return len(self.schema.get("properties", {}).keys() & (value.keys() if isinstance(value, dict) else ()))


class FaultWords:
    """Puts faults into words. `schema`: of the value; `whole`: how the value is called, such as "the line"."""

    def __init__(self, schema: dict[str, Any], whole: str) -> None:
        self._schema, self._definitions = schema, schema.get("$defs", {})
        self._validator = Draft202012Validator(schema)
        self._whole = whole

    def of(self, value: Any) -> Iterator[str]:
        """Yield a clause for each fault of the value."""
        for error in self._validator.iter_errors(value):
            yield from self._clauses(error)

    def _clauses(self, error: ValidationError) -> Iterator[str]:
        """Yield the words of an error; of several forms those of the one that the value is meant as."""
        choices = [self._choice(error, list(branch)) for branch in _branches(error)]
        meant = [choice for choice in choices if not choice.is_other]
        if len(meant) > 1:
            most = max(one.shared(error.instance) for one in meant)
            meant = [one for one in meant if one.shared(error.instance) == most][:1] if most else meant
        if len(meant) == 1:
            for one in meant[0].errors:
                yield from self._clauses(one)
            return
        tags = [
            choice.schema["properties"][TAG]["const"]
            for choice in choices
            if TAG in choice.schema.get("properties", {})
        ]
        place = place_of(error.absolute_path, self._whole)
        if tags and isinstance(error.instance, dict):
            tag = f"{place}.{TAG}" if error.absolute_path else TAG
            yield f"{tag} is {shown(error.instance.get(TAG))}, not one of {_list(map(repr, tags))}"
        else:
            yield f"{place} {self._words(error)}"

    def _choice(self, error: ValidationError, errors: list[ValidationError]) -> Choice:
        forms: Any = error.validator_value
        return Choice(self._followed(forms[errors[0].relative_schema_path[0]]), errors)

    def _followed(self, schema: dict[str, Any]) -> dict[str, Any]:
        name = schema.get("$ref", "").removeprefix(REFERENCE)
        found: dict[str, Any] = self._definitions[name] if name else schema
        return found

    def _told(self, error: ValidationError) -> str:
        """Return the description of the nearest field or object, in brackets."""
        node: Any = self._schema
        found = ""
        for part in error.absolute_schema_path:
            node = self._followed(node)[str(part)] if isinstance(node, dict) else node[part]
            if isinstance(node, dict) and isinstance(node.get("description"), str):
                found = node["description"]
        return f" ({found.rstrip('.')})" if found else ""

    def _words(self, error: ValidationError) -> str:
        bound: Any = error.validator_value
        value: Any = error.instance
        schema: Any = error.schema
        told = self._told(error)
        match error.validator:
            case "required":
                return f"has no {_missing(error)!r}"
            case "additionalProperties":
                known = schema.get("properties", {})
                unknown = next(name for name in value if name not in known)
                return f"has the unknown field {unknown[:LONGEST]!r}; its fields are {_list(known)}"
            case "type":
                return f"is {shown(value)}, not {either([bound] if isinstance(bound, str) else bound)}{told}"
            case "enum":
                return f"is {shown(value)}, not one of {_list(map(repr, bound))}{told}"
            case "const":
                return f"is {shown(value)}, not {bound!r}{told}"
            case "minItems" | "maxItems":
                return f"has {len(value)} entries, not {_range(schema, 'Items')}{told}"
            case "minLength" | "maxLength":
                return f"has {len(value)} characters, not {_range(schema, 'Length')}{told}"
            case "minimum" | "maximum":
                side = "below" if error.validator == "minimum" else "above"
                return f"is {shown(value)}, {side} {bound}{told}"
            case "anyOf":
                forms = [self._followed(one).get("type", []) for one in bound]
                types = [one for form in forms for one in ([form] if isinstance(form, str) else form)]
                return f"is {shown(value)}, and should be {either(dict.fromkeys(types))} of another form{told}"
        return f"is wrong: {error.message[:200]}"


def place_of(path: Iterable[str | int], whole: str) -> str:
    """Return the place of a value, such as "annotations[3].bbox"; of the whole value how it is called."""
    found = ""
    for part in path:
        found += f"[{part}]" if isinstance(part, int) else f".{part}" if found else str(part)
    return found or whole


def _branches(error: ValidationError) -> Iterator[Iterator[ValidationError]]:
    if error.validator == "anyOf":
        for _, own in groupby(error.context, key=lambda one: one.relative_schema_path[0]):
            yield own


def _missing(error: ValidationError) -> str:
    """Return the field that is missing: each has an error of its own, which names it in its message alone."""
    names: Any = error.validator_value
    return next(str(name) for name in names if error.message.startswith(f"{name!r} is"))


def _range(schema: dict[str, Any], of: str) -> str:
    least, most = schema.get(f"min{of}"), schema.get(f"max{of}")
    if most is None:
        return f"{least} or more"
    return str(most) if least == most else f"at most {most}" if least is None else f"{least} to {most}"


def _list(names: Iterable[str]) -> str:
    return ", ".join(names)


def either(types: Iterable[str]) -> str:
    """Return types in words, such as "a text or null"."""
    return " or ".join(TYPES[type_] for type_ in types)


def shown(value: Any) -> str:
    """Return what a value is, with the value itself if it is short."""
    if value is None or isinstance(value, bool | dict):
        return "null" if value is None else "an object" if isinstance(value, dict) else str(value).lower()
    text = repr(value)
    return f"{kind(value)}, {text if len(text) <= LONGEST else text[:LONGEST] + '…'}"
