"""Update many rows, each to values of its own, in one statement on SQLite and PostgreSQL alike."""

from collections.abc import Sequence
from typing import Any

from django.db import connection
from django.db.models import Model

ROWS_PER_STATEMENT = 1000


def update_many(
    model: type[Model], keys: Sequence[str], values: Sequence[str], rows: Sequence[Sequence[Any]], *, only: str = "TRUE"
) -> int:
    """Set `values` (field names) on the rows that `keys` name; each of `rows` has the keys, then the values.

    `only` is a further SQL condition on the table `t`. Returns the number of rows changed. Django's bulk_update would
    load every row first and build a CASE per field; this costs one statement per thousand rows.
    """
    changed = 0
    fields = [model._meta.get_field(name) for name in (*keys, *values)]
    quote = connection.ops.quote_name
    # PostgreSQL reads untyped VALUES as text; SQLite has no such types to name.
    typed = connection.vendor == "postgresql"
    refs = [
        f"CAST(v.column{n} AS {field.db_type(connection)})" if typed else f"v.column{n}"
        for n, field in enumerate(fields, 1)
    ]
    columns = [quote(str(getattr(field, "column", ""))) for field in fields]
    sets = ", ".join(f"{column} = {ref}" for column, ref in zip(columns[len(keys) :], refs[len(keys) :], strict=True))
    match = " AND ".join(f"t.{column} = {ref}" for column, ref in zip(columns, refs[: len(keys)], strict=False))
    for start in range(0, len(rows), ROWS_PER_STATEMENT):
        part = rows[start : start + ROWS_PER_STATEMENT]
        marks = ", ".join(["(" + ", ".join(["%s"] * len(fields)) + ")"] * len(part))
        statement = (
            f"UPDATE {quote(model._meta.db_table)} AS t SET {sets} FROM (VALUES {marks}) AS v WHERE {match} AND {only}"
        )
        with connection.cursor() as cursor:
            cursor.execute(
                statement, [_plain(field, one) for row in part for field, one in zip(fields, row, strict=True)]
            )
            changed += cursor.rowcount
    return changed


def _plain(field: Any, value: Any) -> Any:
    return field.get_db_prep_save(value, connection)
