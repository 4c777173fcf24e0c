"""Counters of PostgreSQL, read before and after a part of the work: statements, transactions, log, rows and bytes."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from django.db import connection

SERVERS_OWN = ["BEGIN%", "COMMIT%", "ROLLBACK%", "SAVEPOINT%", "RELEASE%", "SET %", "SHOW %", "FETCH %", "CLOSE %"]


class TableSize(NamedTuple):
    """A table: its rows, what PostgreSQL wrote into it so far, and its bytes on disk."""

    rows: int
    inserted: int
    updated: int
    updated_in_place: int
    """Updates that no index had to learn of."""
    deleted: int
    bytes: int
    """With long values that lie apart."""
    index_bytes: int


def ask(sql: str, *values: Any) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
        return cursor.fetchall()


def table_sizes() -> dict[str, TableSize]:
    """Return every table with rows. Dead rows are cleared before, and statistics are new."""
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")
        cursor.execute("SELECT pg_stat_force_next_flush()")
    found = ask(
        "SELECT s.relname, c.reltuples::bigint, n_tup_ins, n_tup_upd, n_tup_hot_upd, n_tup_del,"
        " pg_table_size(relid), pg_indexes_size(relid)"
        " FROM pg_stat_user_tables s JOIN pg_class c ON c.oid = relid ORDER BY 1"
    )
    return {name: TableSize(*map(int, rest)) for name, *rest in found}


@dataclass(slots=True)
class Spent:
    """The cost of a part of the work to the database."""

    statements: int = 0
    transactions: int = 0
    """Those that wrote: each took a number of 32 bits."""
    log_bytes: int = 0
    tables: dict[str, TableSize] = field(default_factory=dict)
    """The growth of each table."""


@contextmanager
def spent() -> Iterator[Spent]:
    """Measure the block. Its figures are there when it ends."""
    found, before, tables = Spent(), _now(), table_sizes()
    before = _now()
    yield found
    after = _now()
    found.statements, found.transactions, found.log_bytes = (b - a for a, b in zip(before, after, strict=True))
    for name, size in table_sizes().items():
        earlier = tables.get(name, TableSize(*[0] * len(size)))
        grew = TableSize(*(b - a for a, b in zip(earlier, size, strict=True)))
        if any(grew):
            found.tables[name] = grew


def _now() -> tuple[int, int, int]:
    """Return the statements, transactions and bytes of log since the server began."""
    statements = ask(
        "SELECT coalesce(sum(calls), 0) FROM pg_stat_statements WHERE NOT query ILIKE ANY(%s)"
        " AND dbid = (SELECT oid FROM pg_database WHERE datname = current_database())",
        SERVERS_OWN,
    )
    numbers = ask("SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint, pg_current_wal_lsn() - '0/0'::pg_lsn")
    return int(statements[0][0]), int(numbers[0][0]), int(numbers[0][1])


def narrow_columns() -> list[str]:
    """Return the keys of this database, primary and foreign, that have fewer than 64 bits."""
    found = ask(
        "SELECT DISTINCT k.conrelid::regclass || '.' || a.attname FROM pg_constraint k"
        " JOIN pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = ANY(k.conkey)"
        " WHERE k.connamespace = 'public'::regnamespace AND k.contype IN ('p', 'f')"
        " AND a.atttypid IN ('int4'::regtype, 'int2'::regtype) ORDER BY 1"
    )
    return [name for (name,) in found]
