"""Dismiss a signal: the requester has looked, and says why it is none."""

from datetime import datetime

from django.utils import timezone

from workers.models import WorkerSignal


def dismiss_signal(*, signal_id: int, by: str, note: str, now: datetime | None = None) -> bool:
    """It stays dismissed when it is found again. False: it is not there or was dismissed already, and stays as it is.

    ValueError: no reason, or nobody who gives it.
    """
    if not note.strip() or not by:
        raise ValueError("Dismissing a signal needs a reason and somebody who gives it.")
    open_one = WorkerSignal.objects.filter(id=signal_id, dismissed_at=None)
    return bool(open_one.update(dismissed_at=now or timezone.now(), dismissed_by=by[:150], note=note.strip()[:500]))
