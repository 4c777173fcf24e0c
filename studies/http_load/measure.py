"""One measurement: workers answer questions over HTTP, and the cost in each process is counted and judged."""

import os
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from operator import attrgetter
from statistics import mean, median, quantiles
from typing import Any

from django.db import connection

from annotation.models import Project
from pipeline.models import Question
from pipeline.protocol.tasks.task import PROTOCOL_TASKS, QuestionState
from studies.http_load.http_workers import Crew, Tally
from studies.http_load.loads import KINDS, fill
from studies.http_load.running_service import Stack
from studies.servers import family_of, stat_of
from tests.support.services import PATIENCE
from workers.models import Access, Worker
from workers.tokens import make_page_token

TICKS = os.sysconf("SC_CLK_TCK")
NOT_COUNTED = ("BEGIN%", "COMMIT%", "ROLLBACK%", "SET %", "SHOW %")
"""Statements that only open and close transactions and connections."""

HERE = (
    "pg_stat_statements JOIN pg_roles ON pg_roles.oid = userid"
    " JOIN pg_database ON pg_database.oid = dbid AND datname = current_database()"
)
WARM_UP = 600
MORE_HOSTS_ON_TWO_CORES, MORE_HOSTS = 0.95, 1.7
"""The goals, as lower bounds: answers a second at two web hosts divided by those at one; the second on four cores."""
WEB_MS, STATEMENTS, ALL_MS, GROWTH = 3.0, 2.0, 8.0, 1.2
"""The goals, as upper bounds. GROWTH is the cost with many open questions divided by the cost with few."""
PAGE_GOALS = {"page": (3.0, 6.0), "page_single": (10.0, 17.0)}
"""The goals of the web's and of all parts' milliseconds for loads with pictures and drafts."""
HEAD = (
    f"{'questions':<20}{'hosts':>6}{'open':>8}{'workers':>8}{'answers/s':>10}"
    f"{'web ms':>8}{'jobs ms':>8}{'SQL ms':>8}{'all ms':>8}"
    f"{'web stmts':>10}{'job stmts':>10}{'ask ms':>14}{'submit ms':>14}"
)


def cpu_seconds(root: int) -> float:
    """Return the processor time of a process and all its descendants, including those that have ended."""
    total = 0
    for pid in family_of(root):
        with suppress(OSError):  # the process may just have ended
            total += sum(map(int, stat_of(pid)[11:15]))
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
    return int(stat_of(backend)[1])


@dataclass(frozen=True, slots=True)
class Cost:
    """The cost of one measurement. Milliseconds are processor time per stored judgment."""

    kind: str
    hosts: int
    """Web hosts, between which the workers are divided."""
    open: int
    workers: int
    stored: int
    late: int
    refused: int
    """Requests for work that found nothing open for the worker."""
    per_second: float
    web_ms: float
    jobs_ms: float
    postgres_ms: float
    web_statements: float
    jobs_statements: float
    ask_ms: tuple[float, float]
    """Response time of a request for an assignment: median and 95th percentile."""
    submit_ms: tuple[float, float]
    fold_seconds: float
    """Time from the last answer until every consequence of the answers was written."""

    @property
    def all_ms(self) -> float:
        return self.web_ms + self.jobs_ms + self.postgres_ms

    def as_json(self) -> dict[str, Any]:
        return asdict(self) | {"all_ms": self.all_ms}


def admit(project: str, count: int) -> list[str]:
    """Make `count` workers with access to every task of the project. Returns their bearer tokens."""
    found = Project.objects.get(name=project)
    names = [f"crew-{number:02}" for number in range(count)]
    Worker.objects.bulk_create((Worker(name=name) for name in names), ignore_conflicts=True)
    workers = list(Worker.objects.filter(name__in=names).order_by("name"))
    rows = (
        Access(project_id=found.id, worker=worker, task=task.value) for worker in workers for task in PROTOCOL_TASKS
    )
    Access.objects.bulk_create(rows, ignore_conflicts=True)
    return [make_page_token(worker.id) for worker in workers]


def warm_up(stack: Stack) -> None:
    """Answer a few hundred questions, so that no process loads code or opens connections while it is measured."""
    project = fill("mix", WARM_UP)
    measure(stack, "mix", project, WARM_UP, workers=8, answers=WARM_UP // 2, seed=0)


def analyze() -> None:
    """Update PostgreSQL's statistics, as autovacuum does soon after many inserts."""
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")


def measure(stack: Stack, kind: str, project: str, opened: int, *, workers: int, answers: int, seed: int) -> Cost:
    """Let `workers` give about `answers` answers, wait until every consequence is written, and return the cost."""
    bearers = admit(project, workers)
    assert stack.jobs is not None
    parts = {"web": stack.web, "jobs": (stack.jobs,), "postgres": (postmaster(),)}
    load = KINDS[kind]
    tasks, weights = list(load.tasks), list(load.tasks.values())
    crew = Crew(stack.ports, project, tasks, weights, answers, drafts=load.drafts, pictures=load.pictures)
    forget_statements()
    before = {part: sum(map(cpu_seconds, processes)) for part, processes in parts.items()}
    seconds = crew.work(bearers, seed)
    fold_seconds = _wait_until_folded(project)
    stored = crew.tally.stored.total()
    after = {part: sum(map(cpu_seconds, processes)) for part, processes in parts.items()}
    spent = {part: 1000 * (after[part] - before[part]) / stored for part in parts}
    counted = statements()
    return Cost(
        kind=kind,
        hosts=len(stack.ports),
        open=opened,
        workers=workers,
        stored=stored,
        late=crew.tally.late,
        refused=crew.tally.refused.total(),
        per_second=stored / seconds,
        web_ms=spent["web"],
        jobs_ms=spent["jobs"],
        postgres_ms=spent["postgres"],
        web_statements=counted.get("web", 0) / stored,
        jobs_statements=counted.get("jobs", 0) / stored,
        ask_ms=_response(crew.tally, "ask"),
        submit_ms=_response(crew.tally, "submit"),
        fold_seconds=fold_seconds,
    )


def _wait_until_folded(project: str) -> float:
    begun = time.perf_counter()
    waiting = Question.objects.filter(project__name=project, state=QuestionState.ANSWERED.value)
    while waiting.exists():
        if time.perf_counter() - begun > PATIENCE:
            raise RuntimeError(f"The job runner has not folded the answers of {project} within {PATIENCE:g} s.")
        time.sleep(0.05)
    return time.perf_counter() - begun


def _response(tally: Tally, what: str) -> tuple[float, float]:
    cuts: Sequence[float] = quantiles(tally.seconds[what], n=20) if len(tally.seconds[what]) > 1 else [0.0] * 19
    return 1000 * cuts[9], 1000 * cuts[18]


def line(cost: Cost) -> str:
    """Format one row under HEAD. Response times are the median and the 95th percentile."""
    return (
        f"{cost.kind:<20}{cost.hosts:>6}{cost.open:>8,}{cost.workers:>8}{cost.per_second:>10.0f}"
        f"{cost.web_ms:>8.2f}{cost.jobs_ms:>8.2f}"
        f"{cost.postgres_ms:>8.2f}{cost.all_ms:>8.2f}{cost.web_statements:>10.2f}{cost.jobs_statements:>10.2f}"
        f"{_pair(cost.ask_ms):>14}{_pair(cost.submit_ms):>14}"
    )


def verdicts(costs: Sequence[Cost]) -> list[str]:
    """Compare the worst of each figure with its goal, and the cost with many open questions with that of few."""
    lines = []
    for what, rows, name, goal in _judged(costs):
        if not rows:
            continue
        worst = max(rows, key=attrgetter(name))
        verdict = "met" if getattr(worst, name) <= goal else "MISSED"
        lines.append(
            f"{what}: at most {getattr(worst, name):.2f} ({worst.kind}, {worst.open:,} open, {worst.workers} workers);"
            f" goal {goal:g}: {verdict}"
        )
    return [*lines, *_growth(costs), *_more_hosts(costs)]


def _judged(costs: Sequence[Cost]) -> Iterator[tuple[str, list[Cost], str, float]]:
    """Yield each figure that has a goal: its words, its rows, its field and the goal."""
    plain = [cost for cost in costs if cost.kind not in PAGE_GOALS]
    yield "web, CPU ms per judgment", plain, "web_ms", WEB_MS
    yield "web, statements per judgment", plain, "web_statements", STATEMENTS
    yield "all parts, CPU ms per judgment", plain, "all_ms", ALL_MS
    for kind, (web, whole) in PAGE_GOALS.items():
        rows = [cost for cost in costs if cost.kind == kind]
        yield f"{kind}, web, CPU ms per judgment", rows, "web_ms", web
        yield f"{kind}, all parts, CPU ms per judgment", rows, "all_ms", whole


def _growth(costs: Sequence[Cost]) -> list[str]:
    few, many = min(cost.open for cost in costs), max(cost.open for cost in costs)
    if few == many:
        return []
    lines = []
    for kind in dict.fromkeys(cost.kind for cost in costs):
        sides = [[cost.all_ms for cost in costs if cost.kind == kind and cost.open == size] for size in (few, many)]
        ratio = mean(sides[1]) / mean(sides[0])
        verdict = "met" if ratio <= GROWTH else "MISSED"
        lines.append(f"{kind}: {many:,} open cost {ratio:.2f} times what {few:,} cost; goal {GROWTH:g}: {verdict}")
    return lines


def _more_hosts(costs: Sequence[Cost]) -> Iterator[str]:
    """Yield what more web hosts bring: the median of their turns beside the median of those of the fewest."""
    goal = MORE_HOSTS if (os.cpu_count() or 1) >= 4 else MORE_HOSTS_ON_TWO_CORES
    fewest, most = min(cost.hosts for cost in costs), max(cost.hosts for cost in costs)
    for kind in dict.fromkeys(cost.kind for cost in costs) if fewest < most else ():
        few, many = (
            median(cost.per_second for cost in costs if (cost.kind, cost.hosts) == (kind, hosts))
            for hosts in (fewest, most)
        )
        verdict = "met" if many / few >= goal else "MISSED"
        yield (
            f"{kind}: {most} web hosts give {many / few:.2f} times the answers per second of {fewest} ({many:.0f} and "
            f"{few:.0f}); goal {goal:g}: {verdict}"
        )


def _pair(times: tuple[float, float]) -> str:
    return f"{times[0]:.0f} / {times[1]:.0f}"
