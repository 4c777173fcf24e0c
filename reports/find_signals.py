"""Find signals of bad work in a project's answers, and keep them for the requester. Nobody is barred by them."""

from datetime import datetime

from django.db import transaction
from django.utils import timezone

from reports.answered import NEWEST
from reports.detect_signals import Detected, detect_signals
from workers.models import WorkerSignal

MOST_LINKED = 200
"""Judgments that are named with a signal, the newest; how many there are is named as well."""


def find_signals(*, project_id: int, now: datetime | None = None, newest: int = NEWEST) -> int:
    """Write down what the newest answers of every task show, and what they no longer show. Returns how many hold.

    A signal that was dismissed stays dismissed. Finding happens before the transaction, which only writes.
    """
    now = now or timezone.now()
    rows = [_row(project_id, one, now) for one in detect_signals(project_id, newest=newest)]
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
