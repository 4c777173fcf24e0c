"""The cost of a part of the work: statements and times of the verbs, processor time and memory of each process."""

import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from statistics import median
from threading import Lock
from typing import Any

from django.db import connection

from studies.http_load.measure import TICKS
from studies.servers import family_of

OWN = "campaign"
"""The name of this process in the figures: the crowd, and the verbs that it calls."""
MEGABYTE = 1 << 20
KILOBYTES = 1 << 10


class Meter:
    """Counts between two rows of the table. Threads may use it together."""

    def __init__(self, top: int | None) -> None:
        """`top`: the process whose descendants are the service; None: this process is all of it."""
        self.top, self._lock = top, Lock()
        self._cpu = self.cpu()
        self._jobs = statements_of_jobs()
        self.all_answers = self.all_statements = 0
        """Of the life of this process."""
        self.begin()

    def begin(self) -> None:
        """Begin the next part."""
        self.answers = self.statements = 0
        self.by_task: Counter[str] = Counter()
        self.times: dict[str, list[float]] = defaultdict(list)

    @contextmanager
    def verb(self, name: str) -> Iterator[None]:
        """Measure a call of a verb: its time and its statements."""
        count = 0

        def counted(execute: Callable[..., Any], sql: str, params: Any, *rest: Any) -> Any:
            nonlocal count
            count += not sql.startswith(("SAVEPOINT", "RELEASE"))
            return execute(sql, params, *rest)

        begun = time.perf_counter()
        with connection.execute_wrapper(counted):
            yield
        with self._lock:
            self.times[name].append(1000 * (time.perf_counter() - begun))
            self.statements += count
            self.all_statements += count

    def answered(self, task: str, count: int) -> None:
        with self._lock:
            self.answers += count
            self.all_answers += count
            self.by_task[task] += count

    def row(self) -> dict[str, Any]:
        """Return the figures of the part, and begin the next one."""
        cpu, jobs = self.cpu(), statements_of_jobs()
        spent = {name: cpu[name] - self._cpu.get(name, 0.0) for name in cpu}
        found: dict[str, Any] = {
            "statements_per_answer": self.statements / self.answers if self.answers else None,
            "job_statements_per_answer": (jobs - self._jobs) / self.answers if self.answers and jobs else None,
        }
        for verb, times in self.times.items():
            found |= {f"{verb}_ms": median(times), f"{verb}_worst_ms": max(times)}
        found |= {f"cpu_{part}": spent.get(part) for part in PARTS}
        found |= {f"mb_{part}": memory for part, memory in self.memory().items()}
        self._cpu, self._jobs = cpu, jobs
        self.begin()
        return found

    def cpu(self) -> dict[str, float]:
        """Return the processor seconds of each part so far, those of ended children included."""
        found: dict[str, float] = defaultdict(float)
        for pid in self._pids():
            with suppress(OSError):
                fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
                found[self._part(pid)] += sum(map(int, fields[11:15])) / TICKS
        return dict(found)

    def memory(self) -> dict[str, float]:
        """Return the megabytes of each part that are its own: no files, and no memory that PostgreSQL shares."""
        found: dict[str, float] = defaultdict(float)
        for pid in self._pids():
            with suppress(OSError):
                lines = Path(f"/proc/{pid}/status").read_text().splitlines()
                found[self._part(pid)] += sum(int(line.split()[1]) for line in lines if line.startswith("RssAnon"))
        return {part: found[part] / KILOBYTES for part in PARTS if part in found}

    def _pids(self) -> list[int]:
        own = Path("/proc/self").resolve().name
        if self.top is None:
            return [int(own)]
        return [pid for pid in family_of(self.top) if pid != self.top]

    def _part(self, pid: int) -> str:
        if str(pid) == Path("/proc/self").resolve().name:
            return OWN
        name = Path(f"/proc/{pid}/comm").read_text().strip()
        return next((part for part, starts in PARTS.items() if starts and name.startswith(starts)), "other")


PARTS = {OWN: "", "soon": "jobs soon", "jobs": "jobs ", "postgres": "postgres", "redis": "redis", "other": "clock"}
"""The processes whose figures are told, by how their names begin: the runner of sweeps and folds, the other runners."""


def statements_of_jobs() -> int:
    """Return the number of statements of the job runners so far; 0 where nobody counts them."""
    if connection.vendor != "postgresql":
        return 0
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT coalesce(sum(calls), 0) FROM pg_stat_statements(false) JOIN pg_roles ON pg_roles.oid = userid"
            " WHERE rolname = %s",
            [JOBS_ROLE],
        )
        return int(cursor.fetchone()[0])


JOBS_ROLE = "jobs"
"""The database role of the job runners, so that their statements are counted apart."""


def sizes() -> dict[str, float]:
    """Return the megabytes of all tables and of all indexes, and the share of dead rows."""
    if connection.vendor != "postgresql":
        file = Path(str(connection.settings_dict["NAME"]))
        return {"database_mb": file.stat().st_size / MEGABYTE}
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT sum(pg_table_size(relid)), sum(pg_indexes_size(relid)), sum(n_dead_tup), sum(n_live_tup)"
            " FROM pg_stat_user_tables"
        )
        tables, indexes, dead, live = map(float, cursor.fetchone())
    return {"database_mb": (tables + indexes) / MEGABYTE, "indexes_mb": indexes / MEGABYTE, "dead": dead / (live or 1)}


def table_sizes() -> list[dict[str, Any]]:
    """Return each table's rows, bytes and bytes of indexes, the largest first; nothing on SQLite."""
    if connection.vendor != "postgresql":
        return []
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT relname, n_live_tup, n_dead_tup, pg_table_size(relid), pg_indexes_size(relid), autovacuum_count"
            " FROM pg_stat_user_tables WHERE n_live_tup > 0 ORDER BY pg_total_relation_size(relid) DESC"
        )
        names = ("table", "rows", "dead", "bytes", "index_bytes", "autovacuums")
        return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]


def statement_costs() -> dict[str, tuple[int, float]]:
    """Return of each statement how often it ran, and the milliseconds of all runs; nothing on SQLite.

    Its words are left out: thousands of statements, each with its list of ids, would take more memory than the work.
    """
    if connection.vendor != "postgresql":
        return {}
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT queryid::text, sum(calls), sum(total_exec_time) FROM pg_stat_statements(false)"
            " WHERE dbid = (SELECT oid FROM pg_database WHERE datname = current_database()) GROUP BY queryid"
        )
        return {number: (int(calls), float(spent)) for number, calls, spent in cursor.fetchall()}


def statement_words() -> dict[str, str]:
    """Return the words of each statement; nothing on SQLite."""
    if connection.vendor != "postgresql":
        return {}
    with connection.cursor() as cursor:
        cursor.execute("SELECT queryid::text, min(query) FROM pg_stat_statements GROUP BY queryid")
        return dict(cursor.fetchall())
