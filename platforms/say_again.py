"""Have said once more what a platform refused, after the requester has seen to the cause."""

from datetime import datetime

from django.db import IntegrityError, transaction
from django.utils import timezone

from platforms.settle_by_hand import CannotSettleError
from platforms.still_right import why_not, why_paid_before
from workers.models import Movement, Worker

Kind, State = Movement.Kind, Movement.State


@transaction.atomic
def say_again(movement_id: int, *, now: datetime | None = None) -> None:
    """It is planned again, if it is still right; the next round says it. CannotSettleError: it is not."""
    now = now or timezone.now()
    # Nothing more is planned for the worker meanwhile: a bonus could carry what a refused approval did not.
    Worker.objects.select_for_update(no_key=True).get(sessions__movements=movement_id)
    rows = Movement.objects.select_for_update(of=("self",)).select_related("session__offer")
    movement = rows.get(id=movement_id)
    if movement.state != State.REFUSED:
        raise CannotSettleError(f"Only what was refused can be said again: this is {movement.state}.")
    wrong = why_not(movement, now)
    if not wrong and movement.kind in (Kind.APPROVE, Kind.OVERRIDE):
        wrong = why_paid_before(movement, now)
    if wrong:
        raise CannotSettleError(wrong)
    try:
        with transaction.atomic():
            Movement.objects.filter(id=movement.id).update(state=State.PLANNED, trouble="")
    except IntegrityError as error:
        raise CannotSettleError("The same is on its way already.") from error
