"""Parts of Django 5.2 that its documentation does not promise. No other module of the service uses them."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from django.db import connection
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.postgresql.client import DatabaseClient
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader
from django.db.models import QuerySet
from django.db.models.sql import UpdateQuery
from django.db.models.sql.constants import ROW_COUNT
from django.http import HttpResponse

TRANSACTION_FAILED = 3
"""psycopg2's number of this state."""


class Compiled:
    """The SQL of a query, compiled once for one connection, and its parameters, which can be replaced."""

    def __init__(self, query: Any, to: BaseDatabaseWrapper) -> None:
        self._compiler = query.get_compiler(connection=to)
        self._sql, self.parameters = self._compiler.as_sql()
        query.get_compiler = lambda *args, **options: self._compiler

    def fill(self, parameters: tuple[Any, ...]) -> None:
        """Let the query run with these parameters from now on."""
        self._compiler.as_sql = lambda *args, **options: (self._sql, parameters)

    def update(self) -> int:
        """Run the query, which is one of `update_query`, and return the number of rows."""
        return int(self._compiler.execute_sql(ROW_COUNT))


def update_query(rows: QuerySet[Any], changes: Mapping[str, Any]) -> Any:
    """Return the query that `rows.update(**changes)` would run."""
    query: Any = rows.query.chain(UpdateQuery)
    query.add_update_values(changes)
    return query


def read_anew(rows: QuerySet[Any]) -> list[Any]:
    """Run the query again, past the rows that the query set remembers."""
    made: Any = rows
    return list(made._iterable_class(made))


def wrap_statements(used: BaseDatabaseWrapper, wrapper: Callable[..., Any]) -> None:
    """Let the wrapper see every statement of this connection from now on."""
    if wrapper not in used.execute_wrappers:
        # First, because blocks of `execute_wrapper` remove the last one.
        used.execute_wrappers.insert(0, wrapper)


@contextmanager
def driver_cursor() -> Iterator[Any]:
    """Give a cursor of the database's driver, whose statements no wrapper sees. Its errors are Django's."""
    connection.ensure_connection()
    with connection.wrap_database_errors, connection.connection.cursor() as cursor:
        yield cursor


def delete_unread(rows: QuerySet[Any]) -> int:
    """Delete the rows without reading them or what points to them, and return how many there were."""
    return int(rows._raw_delete(rows.db))


def transaction_failed() -> bool:
    """Tell whether PostgreSQL takes no further statement before the transaction ends."""
    connection.ensure_connection()
    return bool(connection.connection.get_transaction_status() == TRANSACTION_FAILED)


def leave_unlogged(response: HttpResponse) -> None:
    """Keep Django from logging an error response, with a traceback, that is in the log already."""
    response._has_been_logged = True  # type: ignore[attr-defined]


def missing_migrations() -> int:
    """Return the number of migrations that are not applied to the database."""
    executor = MigrationExecutor(connection)
    return len(executor.migration_plan(executor.loader.graph.leaf_nodes()))


def migrations_of_the_code() -> set[tuple[str, str]]:
    """Return the app and the name of each migration."""
    return set(MigrationLoader(None).disk_migrations)


def program_arguments() -> tuple[list[str], dict[str, str]]:
    """Return how a program of PostgreSQL is told where the database is: arguments, the database last, and variables."""
    arguments, variables = DatabaseClient.settings_to_cmd_args_env(connection.settings_dict, [])
    return arguments[1:], variables or {}
