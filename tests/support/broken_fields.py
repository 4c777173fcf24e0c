"""Values with one field broken each: a required one left out, and every one of another type."""

from collections.abc import Iterator
from copy import deepcopy
from typing import Any, NamedTuple

from jsonschema import Draft202012Validator

from tests.support.schema_fields import Place, Schema, places

WRONG: tuple[Any, ...] = (True, None, -7, "no such word", [["x"]], {"no": "such field"})


class Broken(NamedTuple):
    """A value with a fault."""

    value: Any
    at: Place
    """The place of the object."""
    field: str
    is_missing: bool


def broken(value: Any, schema: Schema) -> Iterator[Broken]:
    """Yield the value with each of its fields broken in turn; of lists of objects in the first entry alone."""
    for at, _, there, field, own in list(places(value, schema)):
        if any(place not in (0, 1) for place in at if isinstance(place, int)):
            continue
        if field in there.get("required", ()):
            yield Broken(_changed(value, at, field), at, field, True)
        check = Draft202012Validator({**own, "$defs": schema.get("$defs", {})})
        wrong = [one for one in WRONG if not check.is_valid(one)]
        if wrong:
            yield Broken(_changed(value, at, field, wrong[0]), at, field, False)


def _changed(value: Any, at: Place, field: str, *new: Any) -> Any:
    """Return the value with a field that has another value; without a new one the field is left out."""
    made = found = deepcopy(value)
    for part in at:
        found = found[part]
    if new:
        found[field] = new[0]
    else:
        del found[field]
    return made
