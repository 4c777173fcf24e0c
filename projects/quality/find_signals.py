"""Signals of bad work in the answers of a project, kept for the requester. No worker is barred by a signal."""

from datetime import datetime

from django.db import transaction

from projects.quality.answers_of_task import NEWEST
from projects.quality.detect_signals import Detected, detect_signals
from runtime import clock
from workers.models import WorkerSignal

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
