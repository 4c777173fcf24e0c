"""Insert or update many rows in one statement, on SQLite and PostgreSQL alike.

Django's own `bulk_create` walks over the fields of a model object for each row, and `bulk_update` loads every row first
and builds a CASE for each field. These two functions take plain values.
"""

from collections.abc import Iterable, Sequence
from itertools import chain, islice
from typing import Any

from django.db import connection
from django.db.models import DateTimeField, Field, JSONField, Model

VALUES_PER_STATEMENT = 10_000
ROWS_PER_STATEMENT = 1000


def insert_many(
    model: type[Model], names: Sequence[str], rows: Iterable[Sequence[Any]], *, only: str = "TRUE", unless: str = ""
) -> None:
    """Insert `rows`, each with a value for each of the fields `names`; the value of a foreign key is an id.

    `names` must hold every field except the primary key and fields that have a default in the database. `only` is a
    further SQL condition on `v`, whose columns are column1, column2 and so on: other rows are sent, and not inserted.
    `unless`: the columns of a unique index in SQL; a row that is there already by them is not inserted either.
    """
    fields: list[Field[Any, Any]] = [model._meta.get_field(name) for name in names]  # type: ignore[misc]
    quote = connection.ops.quote_name
    into = f"{quote(model._meta.db_table)} ({', '.join(quote(str(field.column)) for field in fields)})"
    prepared = [place for place, field in enumerate(fields) if isinstance(field, JSONField | DateTimeField)]
    mark = "(" + ", ".join(["%s"] * len(fields)) + ")"
    skipping = f" ON CONFLICT {unless} DO NOTHING" if unless else ""
    waiting = iter(rows)
    while part := [list(row) for row in islice(waiting, VALUES_PER_STATEMENT // len(fields))]:
        for place in prepared:
            field = fields[place]
            for row in part:
                row[place] = field.get_db_prep_save(row[place], connection)
        values = f"VALUES {', '.join([mark] * len(part))}"
        if only != "TRUE":
            values = f"SELECT {', '.join(_typed(fields))} FROM ({values}) AS v WHERE {only}"
        with connection.cursor() as cursor:
            cursor.execute(f"INSERT INTO {into} {values}{skipping}", list(chain.from_iterable(part)))


def update_many(
    model: type[Model], keys: Sequence[str], values: Sequence[str], rows: Sequence[Sequence[Any]], *, only: str = "TRUE"
) -> int:
    """Set the fields `values` of the rows that the fields `keys` name, and return the number of rows changed.

    Each of `rows` holds the keys, then the values. `only` is a further SQL condition on the table `t`.
    """
    changed = 0
    fields: list[Field[Any, Any]] = [model._meta.get_field(name) for name in (*keys, *values)]  # type: ignore[misc]
    quote = connection.ops.quote_name
    refs = _typed(fields)
    columns = [quote(str(field.column)) for field in fields]
    sets = ", ".join(f"{column} = {ref}" for column, ref in zip(columns[len(keys) :], refs[len(keys) :], strict=True))
    match = " AND ".join(f"t.{column} = {ref}" for column, ref in zip(columns, refs[: len(keys)], strict=False))
    for start in range(0, len(rows), ROWS_PER_STATEMENT):
        part = rows[start : start + ROWS_PER_STATEMENT]
        marks = ", ".join(["(" + ", ".join(["%s"] * len(fields)) + ")"] * len(part))
        statement = (
            f"UPDATE {quote(model._meta.db_table)} AS t SET {sets} FROM (VALUES {marks}) AS v WHERE {match} AND {only}"
        )
        plain = [
            field.get_db_prep_save(value, connection) for row in part for field, value in zip(fields, row, strict=True)
        ]
        with connection.cursor() as cursor:
            cursor.execute(statement, plain)
            changed += cursor.rowcount
    return changed


def _typed(fields: Sequence["Field[Any, Any]"]) -> list[str]:
    """Return the columns of `v`, a list of VALUES, with the types of these fields."""
    # PostgreSQL reads VALUES without a type as text; SQLite has no such types to name.
    typed = connection.vendor == "postgresql"
    return [
        f"CAST(v.column{n} AS {field.db_type(connection)})" if typed else f"v.column{n}"
        for n, field in enumerate(fields, 1)
    ]
