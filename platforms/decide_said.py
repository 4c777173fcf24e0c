"""Decide by hand what became of something that was said, where the platform cannot tell."""

from datetime import datetime, timedelta

from django.db import transaction
from django.utils import timezone

from platforms.note_done import hold, note_done
from platforms.settle_by_hand import CannotSettleError
from workers.models import Movement

State = Movement.State
MAY_TELL = timedelta(days=1)
"""After it was said, a platform may take so long to list it."""


@transaction.atomic
def decide_said(movement_id: int, *, done: bool, now: datetime | None = None) -> None:
    """It counts as paid, or it is said again in the next round. CannotSettleError: it is not open, or too early."""
    now = now or timezone.now()
    hold(movement_id)
    movement = Movement.objects.select_for_update(of=("self",)).get(id=movement_id)
    if movement.state != State.SAID:
        raise CannotSettleError(f"This is {movement.state}: only what was said without an answer is decided by hand.")
    if movement.said_at is not None and movement.said_at + MAY_TELL > now:
        until = f"{movement.said_at + MAY_TELL:%d %B, %H:%M} UTC"
        raise CannotSettleError(f"The platform may still tell: it is asked in every round. Decide after {until}.")
    if done:
        note_done(movement.id, now=now)
        return
    Movement.objects.filter(id=movement.id).update(state=State.PLANNED, trouble="Not done, as was seen there.")
