"""The cost of work: processor time of whole process trees, and statements as PostgreSQL counts them."""

import os
from contextlib import suppress
from pathlib import Path

from django.db import connection

from studies.servers import family_of

TICKS = os.sysconf("SC_CLK_TCK")
NOT_COUNTED = ("BEGIN%", "COMMIT%", "ROLLBACK%", "SET %", "SHOW %")
"""Statements that only open and close transactions and connections."""

HERE = (
    "pg_stat_statements JOIN pg_roles ON pg_roles.oid = userid"
    " JOIN pg_database ON pg_database.oid = dbid AND datname = current_database()"
)


def cpu_seconds(root: int) -> float:
    """Return the processor time of a process and all its descendants, including those that have ended."""
    total = 0
    for pid in family_of(root):
        with suppress(OSError):  # the process may just have ended
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            total += sum(map(int, fields[11:15]))
    return total / TICKS


def statements() -> dict[str, int]:
    """Return the number of statements of each role in this database since the last `forget_statements`."""
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT rolname, sum(calls) FROM {HERE} WHERE NOT query ILIKE ANY(%s) GROUP BY rolname",
            [list(NOT_COUNTED)],
        )
        return {role: int(calls) for role, calls in cursor.fetchall()}


def forget_statements() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_stat_statements_reset()")


def postmaster() -> int:
    """Return the process id of this connection's PostgreSQL server, which must run on this machine."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        backend = cursor.fetchone()[0]
    return int(Path(f"/proc/{backend}/stat").read_text().rpartition(")")[2].split()[1])
