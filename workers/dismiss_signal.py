"""Dismiss a signal of bad work, once the requester has looked at it and found nothing wrong."""

from datetime import datetime

from runtime import clock
from workers.models import WorkerSignal


def dismiss_signal(*, signal_id: int, by: str, note: str, now: datetime | None = None) -> bool:
    """Dismiss the signal for good: finding it again does not reopen it.

    Returns False, and changes nothing, if the signal does not exist or was dismissed already. Raises ValueError
    without a note or a name.
    """
    if not note.strip() or not by:
        raise ValueError("To dismiss a signal, give the reason and your name.")
    open_one = WorkerSignal.objects.filter(id=signal_id, dismissed_at=None)
    return bool(open_one.update(dismissed_at=now or clock.now(), dismissed_by=by[:150], note=note.strip()[:500]))
