"""Rows that are made once per process and written again for every test that wants them, instead of made anew."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection, transaction

from tests.support.flows import made_once


class Kept:
    """The rows that some code writes into an empty database, with their ids.

    Files that the code stores stay where they are. Each test gets the rows in a transaction of its own.
    """

    def __init__(self, blocker: Any, make: Callable[[], object]) -> None:
        with made_once(blocker):
            before = filled()
            make()
            self.rows = {table: read(table) for table in filled() if table not in before}

    def write(self) -> None:
        with transaction.atomic(), connection.cursor() as cursor:
            for table, (columns, rows) in self.rows.items():
                names = ", ".join(connection.ops.quote_name(name) for name in columns)
                values = ", ".join(["%s"] * len(columns))
                cursor.executemany(f"INSERT INTO {table} ({names}) VALUES ({values})", rows)


def kept_rows(make: Callable[[], object]) -> Any:
    """Return a fixture of a file: the rows that some code writes."""

    @pytest.fixture(scope="module")
    def kept(django_db_setup: None, django_db_blocker: Any) -> Kept:
        return Kept(django_db_blocker, make)

    return kept


def filled() -> list[str]:
    """Return the tables that have rows."""
    with connection.cursor() as cursor:
        tables = connection.introspection.django_table_names(only_existing=True, include_views=False)
        return [table for table in tables if has_rows(cursor, table)]


def has_rows(cursor: Any, table: str) -> bool:
    cursor.execute(f"SELECT 1 FROM {table} LIMIT 1")
    return cursor.fetchone() is not None


def read(table: str) -> tuple[list[str], list[tuple[Any, ...]]]:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT * FROM {table} ORDER BY 1")
        return [column[0] for column in cursor.description], cursor.fetchall()
