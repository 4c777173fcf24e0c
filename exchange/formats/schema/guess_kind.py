"""The kind of a file, told by the fields that it shares with each kind."""

from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from exchange.formats.schema.kind import Kind
from exchange.formats.schema.make_schema import REFERENCE, schema_of
from exchange.formats.schema.values import Unreadable, lines_of, whole

LOOKED_AT = 20
"""Lines of which the first object tells the kind."""
LEAST = 0.4
"""The fit, as `_fit` has it, below which a file is of no kind."""


def guess_kind(path: Path, kinds: Mapping[str, Kind]) -> Kind:
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
    if not best or shares[best] < LEAST:
        names = ", ".join(kinds)
        raise Unreadable(f"{path} looks like no kind of file that is known: choose one by --as. There are {names}.")
    return kinds[best]


def _objects(path: Path) -> Iterator[Any]:
    for number, read in enumerate(lines_of(path)):
        if number == LOOKED_AT:
            return
        if isinstance(read.value, dict):
            yield read.value


def _shares(value: Any, kinds: Mapping[str, Kind], *, is_lines: bool) -> dict[str, float]:
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
        for name, own in value.items():
            yield f"{before}.{name}"
            yield from _fields(own, f"{before}.{name}", depth - 1)


@cache
def _forms(kind: Kind) -> list[dict[str, bool]]:
    """Return the paths of the fields of each form of a kind, as `_fields` does, and whether they are needed."""
    schema = schema_of(kind)
    return [dict(_declared(one, schema)) for one in schema.get("anyOf", [schema])]


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
        for name, own in schema.get("properties", {}).items():
            yield f"{before}.{name}", name in schema.get("required", ())
            yield from _declared(own, root, f"{before}.{name}", depth - 1)
