"""Insert many rows of plain values: `bulk_create` without a model object and a walk over its fields for every row."""

from collections.abc import Iterable, Sequence
from itertools import chain, islice
from typing import Any

from django.db import connection
from django.db.models import DateTimeField, Field, JSONField, Model

VALUES_PER_STATEMENT = 10_000


def insert_many(model: type[Model], names: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Insert `rows`, with a value for each of the fields `names`; a foreign key's value is an id.

    Every field without a database default but the primary key must be named. The database's constraints hold as ever.
    """
    fields: list[Field[Any, Any]] = [model._meta.get_field(name) for name in names]  # type: ignore[misc]
    quote = connection.ops.quote_name
    into = f"{quote(model._meta.db_table)} ({', '.join(quote(str(field.column)) for field in fields)})"
    prepared = [place for place, field in enumerate(fields) if isinstance(field, JSONField | DateTimeField)]
    mark = "(" + ", ".join(["%s"] * len(fields)) + ")"
    waiting = iter(rows)
    while part := [list(row) for row in islice(waiting, VALUES_PER_STATEMENT // len(fields))]:
        for place in prepared:
            field = fields[place]
            for row in part:
                row[place] = field.get_db_prep_save(row[place], connection)
        with connection.cursor() as cursor:
            cursor.execute(
                f"INSERT INTO {into} VALUES {', '.join([mark] * len(part))}", list(chain.from_iterable(part))
            )
