"""The metrics of /metrics: read from the database and from Redis, so that every web process reports the same."""

import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Generic, TypeVar

from django.conf import settings
from django.db.models import Count, Max, Min, Q
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from prometheus_client.registry import Collector
from redis import Redis
from redis.exceptions import RedisError

from pipeline.models import Assignment, Judgment, Question
from pipeline.money.ledger import WorkerBalance, accounts, total
from pipeline.project.queries import chosen_projects
from pipeline.project.settings_versions import current_settings
from pipeline.protocol.tasks.task import QuestionState, Task
from runtime import clock
from runtime.runs import seconds_since

CONTENT_TYPE = CONTENT_TYPE_LATEST
KEPT_SECONDS = 10.0
MONEY_KEPT_SECONDS = 300.0
"""Money is summed over all assignments, so it is read less often."""
TAKEN = "unacked"
"""Celery's keys in Redis: the list of waiting jobs, and the hash of jobs that a runner took and has not finished."""
REDIS_SECONDS = 2.0

T = TypeVar("T")


class Cached(Generic[T]):
    """A value that is read again after some seconds. Concurrent readers wait for the one that reads."""

    def __init__(self, read: Callable[[], T], seconds: float) -> None:
        self._read, self._seconds = read, seconds
        self._lock = threading.Lock()
        self._value: tuple[float, T] | None = None

    def get(self) -> T:
        with self._lock:
            if self._value is None or time.monotonic() >= self._value[0] + self._seconds:
                value = self._read()
                self._value = (time.monotonic(), value)
            return self._value[1]

    def forget(self) -> None:
        self._value = None


class DomainCollector(Collector):
    """Reads every metric when it is asked."""

    def collect(self) -> Iterator[Metric]:
        yield from questions()
        yield from work()
        yield tick_age()
        yield jobs()
        yield from money.get()


def questions() -> Iterator[Metric]:
    """Yield the questions by task and state, and the age of the oldest one that nobody has."""
    projects = chosen_projects(None)
    rows = Question.objects.filter(project_id__in=projects).order_by()
    counts = rows.filter(state__in=[QuestionState.OPEN.value, QuestionState.ANSWERED.value])
    found = {(task, state): n for task, state, n in counts.values_list("task", "state").annotate(Count("id"))}
    family = GaugeMetricFamily(
        "chainbox_questions", "Questions that are open, or answered and not folded yet.", labels=["task", "state"]
    )
    for task in Task:
        for state in (QuestionState.OPEN, QuestionState.ANSWERED):
            family.add_metric([task.value, state.value], found.get((task.value, state.value), 0))
    yield family

    # Ids rise with time, so the index of free questions holds the oldest one of each task.
    free = rows.filter(state=QuestionState.OPEN.value, assignment=None)
    first = [number for _, number in free.values_list("task").annotate(Min("id"))]
    oldest = GaugeMetricFamily(
        "chainbox_oldest_question_seconds", "Age of the oldest open question that nobody has.", labels=["task"]
    )
    now = clock.now()
    for task_name, opened in Question.objects.filter(id__in=first).values_list("task", "opened_at"):
        oldest.add_metric([task_name], max((now - opened).total_seconds(), 0.0))
    yield oldest


def work() -> Iterator[Metric]:
    """Yield the judgments so far, the leases that run, and those that ended and were not cleared away."""
    # Not a count, which would read the whole table.
    newest = Judgment.objects.aggregate(Max("id"))["id__max"]
    yield CounterMetricFamily(
        "chainbox_judgments", "Number of the newest judgment: rises by one or more with each.", value=newest or 0
    )
    active = Assignment.objects.filter(state=Assignment.State.ACTIVE)
    counts = active.aggregate(all=Count("id"), overdue=Count("id", filter=Q(expires_at__lt=clock.now())))
    yield GaugeMetricFamily("chainbox_leases", "Assignments that workers have.", value=counts["all"])
    yield GaugeMetricFamily(
        "chainbox_leases_overdue", "Assignments whose lease ended and waits for a tick.", value=counts["overdue"]
    )


def tick_age() -> Metric:
    """Return the seconds since the last tick; without a value if there was none yet."""
    family = GaugeMetricFamily("chainbox_last_tick_age_seconds", "Time since the last tick ended.")
    if (age := seconds_since("pipeline.tick")) is not None:
        family.add_metric([], age)
    return family


def jobs() -> Metric:
    """Return the jobs that wait and those that runners have; without values if jobs run in place or Redis is away."""
    family = GaugeMetricFamily("chainbox_jobs", "Jobs that wait for a runner, or that one has.", labels=["state"])
    if settings.REDIS_URL:
        with suppress(RedisError, OSError):
            waiting, taken = queued_jobs()
            family.add_metric(["waiting"], waiting)
            family.add_metric(["running"], taken)
    return family


def queued_jobs() -> tuple[int, int]:
    """Return the numbers of jobs that wait and that runners have. Raises RedisError or OSError if Redis is away."""
    patience = {"socket_timeout": REDIS_SECONDS, "socket_connect_timeout": REDIS_SECONDS}
    with Redis.from_url(settings.CELERY_BROKER_URL, **patience) as broker:
        asked = broker.pipeline(transaction=False).hlen(TAKEN)
        for queue in settings.QUEUES:
            asked.llen(queue)
        taken, *waiting = asked.execute()
    return sum(waiting), taken


def read_money() -> list[Metric]:
    """Return what workers earned, were paid and are owed, by currency."""
    sums: dict[str, WorkerBalance] = defaultdict(WorkerBalance)
    for project in chosen_projects(None):
        sums[current_settings(project)[1].currency] += total(accounts(project).values())
    words = {
        "earned": "Earned by answers and bonuses, without refusals",
        "paid": "Paid to workers",
        "owed": "Owed to workers",
    }
    families = {
        name: GaugeMetricFamily(f"chainbox_{name}_cents", f"{text}, in hundredths.", labels=["currency"])
        for name, text in words.items()
    }
    for currency, account in sorted(sums.items()):
        families["earned"].add_metric([currency], account.earned + account.bonus - account.refused)
        families["paid"].add_metric([currency], account.paid)
        families["owed"].add_metric([currency], account.owed)
    return list(families.values())


def read_all() -> bytes:
    """Return every metric in Prometheus's text format. Raises DatabaseError."""
    registry = CollectorRegistry(auto_describe=False)
    registry.register(DomainCollector())
    return generate_latest(registry)


money = Cached(read_money, MONEY_KEPT_SECONDS)
_text = Cached(read_all, KEPT_SECONDS)


def exposition() -> bytes:
    """Return the text of /metrics, at most 10 seconds old. Raises DatabaseError."""
    return _text.get()


def forget() -> None:
    """Read everything anew at the next request. For tests, whose databases begin anew."""
    money.forget()
    _text.forget()
