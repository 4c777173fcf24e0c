"""One measurement: workers answer questions of a project over HTTP; the cost in each process is counted."""

import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from statistics import quantiles
from typing import Any

from django.db import connection

from annotation.models import Project
from pipeline.models import Question
from pipeline.rules.tasks.task import PROTOCOL_TASKS, QuestionState
from studies.http_load.http_workers import Crew, Tally
from studies.http_load.loads import KINDS, fill
from studies.http_load.meter import cpu_seconds, forget_statements, postmaster, statements
from studies.http_load.running_service import Stack
from workers.models import Access, Worker
from workers.page_token import make_page_token

FOLD_SECONDS = 120.0
WARM_UP = 600


@dataclass(frozen=True, slots=True)
class Cost:
    """The cost of one measurement. Milliseconds are processor time per stored judgment."""

    kind: str
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
    parts = {"web": stack.web, "jobs": stack.jobs, "postgres": postmaster()}
    load = KINDS[kind]
    tasks, weights = list(load.tasks), list(load.tasks.values())
    crew = Crew(stack.port, project, tasks, weights, answers, drafts=load.drafts, pictures=load.pictures)
    forget_statements()
    before = {part: cpu_seconds(process) for part, process in parts.items()}
    seconds = crew.work(bearers, seed)
    fold_seconds = _wait_until_folded(project)
    stored = crew.tally.stored.total()
    spent = {part: 1000 * (cpu_seconds(process) - before[part]) / stored for part, process in parts.items()}
    counted = statements()
    return Cost(
        kind=kind,
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
        if time.perf_counter() - begun > FOLD_SECONDS:
            raise RuntimeError(f"The job runner has not folded the answers of {project} within {FOLD_SECONDS:g} s.")
        time.sleep(0.05)
    return time.perf_counter() - begun


def _response(tally: Tally, what: str) -> tuple[float, float]:
    cuts: Sequence[float] = quantiles(tally.seconds[what], n=20) if len(tally.seconds[what]) > 1 else [0.0] * 19
    return 1000 * cuts[9], 1000 * cuts[18]
