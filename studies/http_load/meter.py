"""The cost of work: processor time of whole process trees, and statements as PostgreSQL counts them."""

import os
from collections import defaultdict
from pathlib import Path

from django.db import connection

TICKS = os.sysconf("SC_CLK_TCK")
NOT_COUNTED = ("BEGIN%", "COMMIT%", "ROLLBACK%", "SET %", "SHOW %")
"""Statements that only open and close transactions and connections."""

HERE = (
    "pg_stat_statements JOIN pg_roles ON pg_roles.oid = userid"
    " JOIN pg_database ON pg_database.oid = dbid AND datname = current_database()"
)


def cpu_seconds(root: int) -> float:
    """Return the processor time of a process and all its descendants, including those that have ended."""
    children, ticks = _processes()
    total, waiting = 0, [root]
    while waiting:
        process = waiting.pop()
        total += ticks.get(process, 0)
        waiting += children[process]
    return total / TICKS


def proportional_mb(root: int) -> list[float]:
    """Return the memory of a process and of each descendant in MB. What n processes share counts 1/n in each."""
    children, _ = _processes()
    found, waiting = [], [root]
    while waiting:
        process = waiting.pop()
        waiting += children[process]
        try:
            lines = (Path("/proc") / str(process) / "smaps_rollup").read_text().splitlines()
        except OSError:
            continue  # the process has just ended
        found += [int(line.split()[1]) / 1024 for line in lines if line.startswith("Pss:")]
    return found


def _processes() -> tuple[dict[int, list[int]], dict[int, int]]:
    """Return the children of each process, and the processor time of each in ticks."""
    children: dict[int, list[int]] = defaultdict(list)
    ticks: dict[int, int] = {}
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            fields = (entry / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue  # the process has just ended
        children[int(fields[1])].append(int(entry.name))
        ticks[int(entry.name)] = sum(map(int, fields[11:15]))
    return children, ticks


def statements() -> dict[str, int]:
    """Return the number of statements of each role in this database since the last `forget_statements`."""
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT rolname, sum(calls) FROM {HERE} WHERE NOT query ILIKE ANY(%s) GROUP BY rolname",
            [list(NOT_COUNTED)],
        )
        return {role: int(calls) for role, calls in cursor.fetchall()}


def costly_statements(most: int) -> list[str]:
    """Describe the statements that took PostgreSQL longest in total: role, calls, milliseconds per call, statement."""
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT rolname, calls, total_exec_time + total_plan_time, query FROM {HERE} ORDER BY 3 DESC LIMIT %s",
            [most],
        )
        rows = cursor.fetchall()
    return [
        f"{role:<5}{calls:>7}{spent / calls:>9.3f} ms  {' '.join(query.split())[:150]}"
        for role, calls, spent, query in rows
    ]


def forget_statements() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_stat_statements_reset()")


def postmaster() -> int:
    """Return the process id of this connection's PostgreSQL server, which must run on this machine."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        backend = cursor.fetchone()[0]
    return int(Path(f"/proc/{backend}/stat").read_text().rpartition(")")[2].split()[1])
