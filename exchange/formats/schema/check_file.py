"""The check of a file: the kind that it looks like, and the faults of its values in words."""

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError

from exchange.checks import kind
from exchange.formats.schema.kind import FileKind, Unreadable, lines_of, whole
from exchange.formats.schema.make_schema import REFERENCE, schema_of

LOOKED_AT = 20
"""Lines of which the first object tells the kind."""
MIN_SHARE_OF_FIELDS = 0.4
"""The fit, as `_fit` has it, below which a file is of no kind."""


def guess_kind(path: Path, kinds: Mapping[str, FileKind]) -> FileKind:
    """Return the one of these kinds that a file looks like. Raises Unreadable, with all of them, for none."""
    first = next(lines_of(path), None)
    if first is None:
        raise Unreadable(f"{path} holds nothing but white space.")
    is_lines = first.value is not None or path.suffix == ".jsonl"
    shares: dict[str, float] = {}
    if is_lines:
        for first_object in _objects(path):
            shares = _shares(first_object, kinds, is_lines=True)
            break
    if not is_lines or path.suffix != ".jsonl":
        read = whole(path)
        if read.fault and not shares:
            raise Unreadable(f"{path}:{read.line}: {read.fault}.")
        shares |= _shares(read.value, kinds, is_lines=False) if not read.fault else {}
    best = max(shares, key=lambda name: shares[name], default="")
    if not best or shares[best] < MIN_SHARE_OF_FIELDS:
        names = ", ".join(kinds)
        raise Unreadable(f"{path} looks like no kind of file that is known: choose one by --as. There are {names}.")
    return kinds[best]


def _objects(path: Path) -> Iterator[Any]:
    for number, read in enumerate(lines_of(path)):
        if number == LOOKED_AT:
            return
        if isinstance(read.value, dict):
            yield read.value


def _shares(value: Any, kinds: Mapping[str, FileKind], *, is_lines: bool) -> dict[str, float]:
    """Return how well the fields of the value and those of each kind fit each other, from 0 to 1."""
    own = set(_fields(value))
    return {
        name: max(_fit(own, form) for form in _forms(kind))
        for name, kind in kinds.items()
        if kind.is_lines is is_lines and own
    }


def _fit(own: set[str], form: Mapping[str, bool]) -> float:
    """Return the share of own fields that are known, times that of the needed ones that are there.

    Whichever form has fewer fields that are not there comes first among equals.
    """
    objects = {"", *(path.rpartition(".")[0] for path in own)}
    needed = {path for path, is_needed in form.items() if is_needed and path.rpartition(".")[0] in objects}
    return len(own & form.keys()) / len(own) * len(own & needed) / max(1, len(needed)) - len(form) / 10_000


def _fields(value: Any, before: str = "", depth: int = 2) -> Iterator[str]:
    """Yield the paths of the fields of a value; of a list those of its first entry."""
    if isinstance(value, list):
        yield from _fields(value[0] if value else None, f"{before}[]", depth)
    elif isinstance(value, dict) and depth:
        for name, child in value.items():
            yield f"{before}.{name}"
            yield from _fields(child, f"{before}.{name}", depth - 1)


@cache
def _forms(kind: FileKind) -> list[dict[str, bool]]:
    """Return the paths of the fields of each form of a kind, as `_fields` does, and whether they are needed."""
    schema = schema_of(kind)
    return [dict(_declared(form, schema)) for form in schema.get("anyOf", [schema])]


def _declared(
    schema: Mapping[str, Any], root: Mapping[str, Any], before: str = "", depth: int = 2
) -> Iterator[tuple[str, bool]]:
    if "$ref" in schema:
        schema = root["$defs"][schema["$ref"].removeprefix(REFERENCE)]
    for form in schema.get("anyOf", ()):
        yield from _declared(form, root, before, depth)
    if "items" in schema:
        yield from _declared(schema["items"], root, f"{before}[]", depth)
    elif depth:
        for name, child in schema.get("properties", {}).items():
            yield f"{before}.{name}", name in schema.get("required", ())
            yield from _declared(child, root, f"{before}.{name}", depth - 1)


TYPES = {
    "object": "an object",
    "array": "a list",
    "string": "a text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "null": "null",
}
MAX_CHARACTERS_SHOWN = 60
"""Characters of a value that are shown."""
TAG = "kind"
"""The field that tells which of several objects one is."""


class FormChoice(NamedTuple):
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
            most = max(choice.shared(error.instance) for choice in meant)
            meant = [choice for choice in meant if choice.shared(error.instance) == most][:1] if most else meant
        if len(meant) == 1:
            for child in meant[0].errors:
                yield from self._clauses(child)
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

    def _choice(self, error: ValidationError, errors: list[ValidationError]) -> FormChoice:
        forms: Any = error.validator_value
        return FormChoice(self._followed(forms[errors[0].relative_schema_path[0]]), errors)

    def _followed(self, schema: dict[str, Any]) -> dict[str, Any]:
        name = schema.get("$ref", "").removeprefix(REFERENCE)
        found: dict[str, Any] = self._definitions[name] if name else schema
        return found

    def _words(self, error: ValidationError) -> str:
        bound: Any = error.validator_value
        value: Any = error.instance
        schema: Any = error.schema
        node: Any = self._schema
        found = ""
        for part in error.absolute_schema_path:
            node = self._followed(node)[str(part)] if isinstance(node, dict) else node[part]
            if isinstance(node, dict) and isinstance(node.get("description"), str):
                found = node["description"]
        told = f" ({found.rstrip('.')})" if found else ""
        match error.validator:
            case "required":
                return f"has no {_missing(error)!r}"
            case "additionalProperties":
                known = schema.get("properties", {})
                unknown = next(name for name in value if name not in known)
                return f"has the unknown field {unknown[:MAX_CHARACTERS_SHOWN]!r}; its fields are {_list(known)}"
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
                forms = [self._followed(alternative).get("type", []) for alternative in bound]
                types = [type_ for form in forms for type_ in ([form] if isinstance(form, str) else form)]
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
        for _, branch in groupby(error.context, key=lambda one: one.relative_schema_path[0]):
            yield branch


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
    return f"{kind(value)}, {text if len(text) <= MAX_CHARACTERS_SHOWN else text[:MAX_CHARACTERS_SHOWN] + '…'}"
