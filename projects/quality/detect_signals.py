"""Signals of bad work: every detector, run over the answers of a project, and its signals kept for the requester.

Signals that chance can explain are dropped. No worker is barred by a signal.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

from django.db import transaction

from pipeline.protocol.tasks.task import Task
from projects.quality.answers import NEWEST, AnswerOfTask, answered, drawn
from runtime import clock
from workers.models import WorkerSignal
from workers.rules.signals.copied_boxes import BoxInImage, copied_boxes, copies, shared_boxes, usual_copies
from workers.rules.signals.far_too_fast import FLOORS, Timed, far_too_fast, far_too_fast_in_all, pace
from workers.rules.signals.one_button import Explained, TaskAnswer, one_button
from workers.rules.signals.signal import Signal, SignalKind, confirmed
from workers.rules.signals.two_accounts import NOTHING, shared_errors, spells, two_accounts


class Detected(NamedTuple):
    """A signal to show. `task` is None if several tasks were taken together; `tests` is explained at `confirmed`."""

    signal: Signal
    task: Task | None
    tests: int


@dataclass
class _Shared:
    """The answers and times of all tasks, for comparing accounts."""

    several: list[TaskAnswer] = field(default_factory=list)
    """Answers to questions that more than one person answered."""
    moments: dict[int, set[float]] = field(default_factory=lambda: defaultdict(set))
    """The times at which each worker began and ended assignments, in seconds."""


class _Detection:
    """Signals found and workers or pairs examined, by kind. Chance is calculated over all tasks together."""

    def __init__(self) -> None:
        self._found: dict[SignalKind, dict[Signal, Task | None]] = defaultdict(dict)
        self._tests: Counter[SignalKind] = Counter()

    def add(self, kind: SignalKind, task: Task | None, signals: Iterable[Signal | None], tests: int) -> None:
        self._found[kind].update((signal, task) for signal in signals if signal)
        self._tests[kind] += tests

    def shown(self) -> list[Detected]:
        shown = [
            Detected(signal, found[signal], self._tests[kind])
            for kind, found in self._found.items()
            for signal in confirmed(found, tests=self._tests[kind])
        ]
        # What all tasks show of somebody's haste is no news where one task shows it.
        of_one_task = {
            detected.signal.workers
            for detected in shown
            if detected.task and detected.signal.kind is SignalKind.FAR_TOO_FAST
        }
        in_all = [
            detected for detected in shown if detected.task is None and detected.signal.kind is SignalKind.FAR_TOO_FAST
        ]
        return [detected for detected in shown if detected not in in_all or detected.signal.workers not in of_one_task]


def detect_signals(project_id: int, *, newest: int = NEWEST) -> list[Detected]:
    """Run the detectors over people's newest answers to each task. A program is fast and regular without being bad."""
    detection, shared = _Detection(), _Shared()
    quick: dict[int, dict[str, list[Timed]]] = defaultdict(dict)
    for task in Task:
        rows = list(answered(project_id, task, programs=False, newest=newest))
        workers = len({row.worker for row in rows})
        timed = _timed(task, rows)
        detection.add(SignalKind.FAR_TOO_FAST, task, _too_fast(task, timed), workers)
        for worker, times in timed.items():
            quick[worker][task.value] = times
        detection.add(SignalKind.ONE_BUTTON, task, _one_button(rows), workers)
        _share(shared, task, rows)
    in_all = [far_too_fast_in_all(worker, times) for worker, times in quick.items()]
    detection.add(SignalKind.FAR_TOO_FAST, None, in_all, len(quick))
    boxes = list(drawn(project_id, newest=newest))
    ids = _by_worker(box for _, box in boxes)
    detection.add(SignalKind.COPIED_BOXES, Task.BOX_DRAWING, _copied(ids, boxes), len(ids))
    pairs = math.comb(len(shared.moments), 2)
    detection.add(SignalKind.TWO_ACCOUNTS, None, _two_accounts(shared, boxes), pairs)
    return detection.shown()


def _too_fast(task: Task, timed: dict[int, list[Timed]]) -> Iterable[Signal | None]:
    usual, floor = pace(timed), FLOORS[task.value]
    return [far_too_fast(worker, times, usual, floor=floor) for worker, times in timed.items()]


def _timed(task: Task, rows: Sequence[AnswerOfTask]) -> dict[int, list[Timed]]:
    """Return each worker's answers with their seconds: as the page measured them, if the service's clock agrees.

    An assignment that was back before anybody could look was answered faster than it says, or says nothing. The seconds
    of a sweep are divided by its work.
    """
    together: dict[int, float] = defaultdict(float)
    for row in rows:
        together[row.assignment] += row.work
    timed: dict[int, list[Timed]] = defaultdict(list)
    for row in rows:
        most = (row.ended - row.began).total_seconds() / together[row.assignment]
        if most < FLOORS[task.value] and not row.simulated:
            timed[row.worker].append(Timed(row.id, most))
        elif row.seconds is not None:
            timed[row.worker].append(Timed(row.id, row.seconds / row.work))
    return timed


def _one_button(rows: Sequence[AnswerOfTask]) -> Iterable[Signal | None]:
    explained = Explained(TaskAnswer(row.id, row.worker, row.item, row.word, row.known) for row in rows)
    return [one_button(worker, explained) for worker in explained.of]


def _share(shared: _Shared, task: Task, rows: Sequence[AnswerOfTask]) -> None:
    votes = Counter(row.item for row in rows)
    for row in rows:
        shared.moments[row.worker].update((row.began.timestamp(), row.ended.timestamp()))
        # Two boxes can differ and both be wrong, so boxes are not compared by their words.
        if votes[row.item] > 1 and task is not Task.BOX_DRAWING:
            known = (task, row.known) if row.known is not None else None
            shared.several.append(TaskAnswer(row.id, row.worker, row.item, (task, row.word), known))


def _by_worker(boxes: Iterable[BoxInImage]) -> dict[int, list[int]]:
    ids: dict[int, list[int]] = defaultdict(list)
    for box in boxes:
        ids[box.worker].append(box.id)
    return ids


def _copied(ids: dict[int, list[int]], boxes: Sequence[tuple[int, BoxInImage]]) -> Iterable[Signal | None]:
    copied = copies(box for _, box in boxes)
    usual = usual_copies(ids, copied)
    return [copied_boxes(worker, mine, copied, usual) for worker, mine in ids.items()]


def _two_accounts(shared: _Shared, boxes: Sequence[tuple[int, BoxInImage]]) -> Iterable[Signal | None]:
    by_item: dict[int, list[BoxInImage]] = defaultdict(list)
    for item, box in boxes:
        by_item[item].append(box)
    errors, alike = shared_errors(shared.several), shared_boxes(by_item)
    worked = {worker: spells(moments) for worker, moments in shared.moments.items()}
    return [
        two_accounts(pair, errors.get(pair, NOTHING), alike.get(pair, NOTHING), worked)
        for pair in errors.keys() | alike.keys()
    ]


MOST_LINKED = 200
"""The largest number of judgments listed with a signal, newest first; the total is kept too."""


def find_signals(*, project_id: int, now: datetime | None = None, newest: int = NEWEST) -> int:
    """Store the signals in the newest answers of every task, and mark those that are gone. Returns how many hold.

    A dismissed signal stays dismissed. The detectors run before the transaction, which only writes.
    """
    now = now or clock.now()
    rows = [_row(project_id, signal, now) for signal in detect_signals(project_id, newest=newest)]
    with transaction.atomic():
        WorkerSignal.objects.bulk_create(
            rows,
            update_conflicts=True,
            unique_fields=["project_id", "kind", "task", "workers"],
            update_fields=["chance", "words", "evidence", "gone_at"],
        )
        before = WorkerSignal.objects.filter(project_id=project_id, gone_at=None)
        before.exclude(pk__in=[row.pk for row in rows]).update(gone_at=now)
    return len(rows)


def _row(project_id: int, detected: Detected, now: datetime) -> WorkerSignal:
    signal, task, tests = detected
    judgments = sorted(signal.judgments)[-MOST_LINKED:]
    return WorkerSignal(
        project_id=project_id,
        kind=signal.kind.value,
        task=task.value if task else "",
        workers=list(signal.workers),
        chance=signal.chance,
        words=signal.evidence[:1000],
        evidence={"judgments": judgments, "count": len(signal.judgments), "tests": tests},
        found_at=now,
    )
