"""JSON as text: written with sorted keys, and read from columns without Django's slow way around."""

import json
from functools import lru_cache
from typing import Any

from django.db.models import Func, TextField
from django.db.models.functions import Cast

json_text = json.JSONEncoder(ensure_ascii=False, sort_keys=True, allow_nan=False).encode
"""Return the value on one line. An encoder for each call, as `json.dumps` makes, takes half the time again."""


def column_text(column: str) -> Cast:
    """Return the JSON of the column as it is stored, for `read_json` and the functions below."""
    return Cast(column, TextField())


@lru_cache(maxsize=4000)
def read_json(text: str) -> Any:
    """Read JSON that nobody changes, and of which there are few texts, such as answers: each is read once."""
    return json.loads(text)


@lru_cache(maxsize=4000)
def stored_text(text: str) -> str:
    """Return JSON as a database stores it, each of which has a way of its own, as `json_text` writes it."""
    return json_text(json.loads(text))


@lru_cache(maxsize=4000)
def quoted(text: str) -> str:
    """Return a text, of which there are few, as JSON."""
    return json_text(text)


def list_text(text: str) -> str:
    """Return a stored list of texts, numbers or lists of these as `json_text` writes it: most are written like that."""
    return stored_text(text) if "\\" in text else text


def row_form(row: type) -> str:
    """Return how `json_text` writes a row of a declared class, with %s in the place of each value, in sorted order.

    Filling this in takes a fifth of the time that making the row and writing it takes.
    """
    keys: dict[str, Any] = row.__annotations__
    return "{" + ", ".join(f'"{key}": %s' for key in sorted(keys)) + "}"


class IsoTime(Func):
    """A time of the database as text, as `datetime.isoformat` writes it in UTC: objects take longer to make."""

    output_field = TextField()

    def as_sqlite(self, compiler: Any, connection: Any, **context: Any) -> Any:
        return self.as_sql(compiler, connection, template="REPLACE(%(expressions)s, ' ', 'T') || '+00:00'", **context)

    def as_postgresql(self, compiler: Any, connection: Any, **context: Any) -> Any:
        shape = 'YYYY-MM-DD"T"HH24:MI:SS.US'
        template = f"REPLACE(to_char(%(expressions)s AT TIME ZONE 'UTC', '{shape}'), '.000000', '') || '+00:00'"
        return self.as_sql(compiler, connection, template=template, **context)
