"""Decide by hand whether a payment took effect, if the platform cannot tell."""

from datetime import datetime, timedelta

from django.db import transaction

from platforms.models import Payment
from platforms.settling.mark_done import lock_payment, mark_done
from platforms.settling.settle_by_hand import CannotSettleError
from upkeep import clock

State = Payment.State
LISTED_WITHIN = timedelta(days=1)
"""A platform may take so long to list a payment."""


@transaction.atomic
def decide_unknown(payment_id: int, *, done: bool, now: datetime | None = None) -> None:
    """Mark the payment as paid, or plan it again for the next round.

    Raises CannotSettleError if the payment is not waiting for an answer, or the platform may still list it.
    """
    now = now or clock.now()
    lock_payment(payment_id)
    payment = Payment.objects.select_for_update(of=("self",)).get(id=payment_id)
    if payment.state != State.SENT:
        raise CannotSettleError(f"This is {payment.state}: only a payment without an answer is decided by hand.")
    if payment.sent_at is not None and payment.sent_at + LISTED_WITHIN > now:
        until = f"{payment.sent_at + LISTED_WITHIN:%d %B, %H:%M} UTC"
        raise CannotSettleError(
            f"The platform may still tell: every round asks whether the payment was made. Decide after {until}."
        )
    if done:
        mark_done(payment.id, now=now)
        return
    Payment.objects.filter(id=payment.id).update(state=State.PLANNED, last_error="Not done, as decided by hand.")
