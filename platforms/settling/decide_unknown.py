"""Decide by hand what became of something that was said, where the platform cannot tell."""

from datetime import datetime, timedelta

from django.db import transaction
from django.utils import timezone

from platforms.models import Payment
from platforms.settling.note_done import hold, note_done
from platforms.settling.settle_by_hand import CannotSettleError

State = Payment.State
MAY_TELL = timedelta(days=1)
"""After it was said, a platform may take so long to list it."""


@transaction.atomic
def decide_unknown(payment_id: int, *, done: bool, now: datetime | None = None) -> None:
    """It counts as paid, or it is said again in the next round. CannotSettleError: it is not open, or too early."""
    now = now or timezone.now()
    hold(payment_id)
    payment = Payment.objects.select_for_update(of=("self",)).get(id=payment_id)
    if payment.state != State.SENT:
        raise CannotSettleError(f"This is {payment.state}: only what was said without an answer is decided by hand.")
    if payment.sent_at is not None and payment.sent_at + MAY_TELL > now:
        until = f"{payment.sent_at + MAY_TELL:%d %B, %H:%M} UTC"
        raise CannotSettleError(f"The platform may still tell: it is asked in every round. Decide after {until}.")
    if done:
        note_done(payment.id, now=now)
        return
    Payment.objects.filter(id=payment.id).update(state=State.PLANNED, last_error="Not done, as was seen there.")
