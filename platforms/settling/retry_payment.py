"""Have said once more what a platform refused, after the requester has seen to the cause."""

from datetime import datetime

from django.db import IntegrityError, transaction
from django.utils import timezone

from platforms.models import Payment
from platforms.settling.settle_by_hand import CannotSettleError
from platforms.settling.still_valid import why_not, why_paid_before
from workers.models import Worker

Kind, State = Payment.Kind, Payment.State


@transaction.atomic
def retry_payment(payment_id: int, *, now: datetime | None = None) -> None:
    """It is planned again, if it is still right; the next round says it. CannotSettleError: it is not."""
    now = now or timezone.now()
    # Nothing more is planned for the worker meanwhile: a bonus could carry what a refused approval did not.
    Worker.objects.select_for_update(no_key=True).get(sessions__payments=payment_id)
    rows = Payment.objects.select_for_update(of=("self",)).select_related("session__offer")
    payment = rows.get(id=payment_id)
    if payment.state != State.REFUSED:
        raise CannotSettleError(f"Only what was refused can be said again: this is {payment.state}.")
    wrong = why_not(payment, now)
    if not wrong and payment.kind in (Kind.APPROVE, Kind.OVERRIDE):
        wrong = why_paid_before(payment, now)
    if wrong:
        raise CannotSettleError(wrong)
    try:
        with transaction.atomic():
            Payment.objects.filter(id=payment.id).update(state=State.PLANNED, last_error="")
    except IntegrityError as error:
        raise CannotSettleError("The same is on its way already.") from error
