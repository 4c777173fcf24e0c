"""Columns of JSON and of times, read as text without Django's slow way around."""

from typing import Any

from django.db.models import Func, TextField
from django.db.models.functions import Cast


def column_text(column: str) -> Cast:
    """Return the JSON of the column as it is stored, for the functions of `exchange.json_text`."""
    return Cast(column, TextField())


class IsoTime(Func):
    """A time of the database as text, as `datetime.isoformat` writes it in UTC: objects take longer to make."""

    output_field = TextField()

    def as_sqlite(self, compiler: Any, connection: Any, **context: Any) -> Any:
        return self.as_sql(compiler, connection, template="REPLACE(%(expressions)s, ' ', 'T') || '+00:00'", **context)

    def as_postgresql(self, compiler: Any, connection: Any, **context: Any) -> Any:
        shape = 'YYYY-MM-DD"T"HH24:MI:SS.US'
        template = f"REPLACE(to_char(%(expressions)s AT TIME ZONE 'UTC', '{shape}'), '.000000', '') || '+00:00'"
        return self.as_sql(compiler, connection, template=template, **context)
