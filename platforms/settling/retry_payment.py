"""Retry a payment that the platform refused, once the requester has fixed the cause."""

from datetime import datetime

from django.db import IntegrityError, transaction

from platforms.models import Payment
from platforms.settling.payment_validity import why_invalid, why_paid_already
from platforms.settling.settle_by_hand import CannotSettleError
from upkeep import clock
from workers.models import Worker

Kind, State = Payment.Kind, Payment.State


@transaction.atomic
def retry_payment(payment_id: int, *, now: datetime | None = None) -> None:
    """Plan the payment again; the next round sends it. Raises CannotSettleError if the payment is no longer valid."""
    now = now or clock.now()
    # The lock keeps a concurrent run from planning a bonus that pays what the refused approval did not.
    Worker.objects.select_for_update(no_key=True).get(sessions__payments=payment_id)
    rows = Payment.objects.select_for_update(of=("self",)).select_related("session__offer")
    payment = rows.get(id=payment_id)
    if payment.state != State.REFUSED:
        raise CannotSettleError(f"Only a refused payment can be sent again: this is {payment.state}.")
    invalid = why_invalid(payment, now)
    if not invalid and payment.kind in (Kind.APPROVE, Kind.OVERRIDE):
        invalid = why_paid_already(payment, now)
    if invalid:
        raise CannotSettleError(invalid)
    try:
        with transaction.atomic():
            Payment.objects.filter(id=payment.id).update(state=State.PLANNED, last_error="")
    except IntegrityError as error:
        raise CannotSettleError("The same payment is on its way already.") from error
