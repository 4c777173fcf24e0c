"""Rows between the database and Parquet: read in batches as columns, and written back as they were."""

import io
import json
from collections.abc import Iterator
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models import Field, ForeignKey, JSONField, UUIDField

from annotation.models import Project
from projects.archive.tables import Piece, Table
from runtime.inside_django import driver_cursor

ROWS_PER_BATCH = 5_000
"""The rows that are in memory together."""
WIDE = {"pipeline.Progress": 200}
"""The same of a table whose rows have tens of kilobytes."""
TYPES = {
    "BooleanField": "bool_",
    "FloatField": "float64",
    "DateTimeField": "timestamp",
    "CharField": "string",
    "SlugField": "string",
    "TextField": "string",
    "JSONField": "string",
    "UUIDField": "string",
}
"""The type in Parquet of each kind of column; all others are whole numbers. JSON and UUIDs are text."""


def kind_of(field: "Field[Any, Any]") -> str:
    """Return the kind of the column, a key of `TYPES` or "integer"; a foreign key has that of what it points to."""
    while isinstance(field, ForeignKey):
        field = field.target_field
    name = field.get_internal_type()
    return name if name in TYPES else "integer"


def schema_of(table: Table) -> Any:
    """Return pyarrow's schema of the columns that are written."""
    import pyarrow as arrow

    def made(field: "Field[Any, Any]") -> Any:
        kind = kind_of(field)
        if kind == "DateTimeField":
            return arrow.timestamp("us", tz="UTC")
        return getattr(arrow, TYPES.get(kind, "int64"))()

    return arrow.schema([(field.column, made(field)) for field in table.fields])


def read_rows(table: Table, project: Project, piece: Piece | None) -> Iterator[Any]:
    """Yield the rows of the database as record batches of pyarrow, few enough for the memory."""
    import pyarrow as arrow

    schema = schema_of(table)
    columns = [field.attname for field in table.fields]
    texts = [isinstance(field, UUIDField) for field in table.fields]
    for rows in table.rows(project.pk, piece):
        sql, parameters = rows.values_list(*columns).query.sql_with_params()
        with connection.chunked_cursor() as cursor:
            cursor.execute(sql, parameters)
            while found := cursor.fetchmany(WIDE.get(table.label, ROWS_PER_BATCH)):
                values = [
                    [None if value is None else str(UUID(str(value))) for value in column] if is_text else column
                    for is_text, column in zip(texts, zip(*found, strict=True), strict=True)
                ]
                arrays = [arrow.array(value, field.type) for value, field in zip(values, schema, strict=True)]
                yield arrow.record_batch(arrays, schema)


def write_rows(table: Table, batch: Any) -> None:
    """Insert the rows, with their ids."""
    columns = ", ".join(f'"{name}"' for name in batch.schema.names)
    if connection.vendor == "postgresql":
        _copy_in(f"COPY {table.name} ({columns}) FROM STDIN WITH (FORMAT csv)", batch)
        return
    places = ", ".join(["%s"] * batch.num_columns)
    stored = [_as_stored(table, name, batch.column(name).to_pylist()) for name in batch.schema.names]
    with connection.cursor() as cursor:
        rows = list(zip(*stored, strict=True))
        cursor.executemany(f"INSERT INTO {table.name} ({columns}) VALUES ({places})", rows)


def _copy_in(statement: str, batch: Any) -> None:
    from pyarrow import csv

    lines = io.BytesIO()
    csv.write_csv(batch, lines, csv.WriteOptions(include_header=False))
    lines.seek(0)
    with driver_cursor() as cursor:
        cursor.copy_expert(statement, lines)


def _as_stored(table: Table, column: str, values: list[Any]) -> list[Any]:
    """Return the values of a column as SQLite holds them."""
    field = next(field for field in table.fields if field.column == column)
    if kind_of(field) == "DateTimeField":
        return [None if value is None else str(value.replace(tzinfo=None)) for value in values]
    if isinstance(field, UUIDField):
        return [None if value is None else UUID(value).hex for value in values]
    return values


def difference(table: Table, here: Iterator[Any], there: Iterator[Any]) -> str:
    """Compare batches of rows, and return where they begin to differ, in words; empty: they are equal."""
    for stored, other in _side_by_side(here, there):
        if stored is None or other is None:
            return f"the table {table.name} has another number of rows"
        for field in table.fields:
            mine, theirs = stored.column(field.column), other.column(field.column)
            if not mine.equals(theirs) and not (isinstance(field, JSONField) and _same_values(mine, theirs)):
                row = next(n for n in range(len(mine)) if mine[n] != theirs[n])
                return f"{table.name}.{field.column} of the row {stored.column(0)[row]}"
    return ""


def _side_by_side(here: Iterator[Any], there: Iterator[Any]) -> Iterator[tuple[Any, Any]]:
    """Yield batches of the same size from both; if one of them ends first, None in its place."""
    one, other = next(here, None), next(there, None)
    while one is not None and other is not None:
        size = min(one.num_rows, other.num_rows)
        yield one.slice(0, size), other.slice(0, size)
        one = one.slice(size) if size < one.num_rows else next(here, None)
        other = other.slice(size) if size < other.num_rows else next(there, None)
    if one is not other:
        yield one, other


def _same_values(mine: Any, theirs: Any) -> bool:
    """Tell whether two columns of JSON say the same: the engines write spaces and the order of names otherwise."""

    def read(text: Any) -> Any:
        return text if text is None else json.loads(text)

    return all(read(a) == read(b) for a, b in zip(mine.to_pylist(), theirs.to_pylist(), strict=True))
