"""Tell the platform what is planned, each thing once, whatever fails on the way."""

from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from platforms.contract.errors import NothingDoneError, PlatformError, RefusedError, UnsureError
from platforms.contract.patience import Patience
from platforms.contract.platform import Platform
from platforms.models import Payment
from platforms.settling.note_done import note_done
from platforms.settling.still_valid import why_not
from workers.models import Worker

State = Payment.State
CLAIM = timedelta(minutes=10)
"""Who says something has so long before another run asks what became of it: longer than the most patient of calls."""


def carry_out_all(
    platform: Platform, project_id: int, patience: Patience | None = None
) -> list[tuple[Payment, PlatformError]]:
    """Everything that is planned, or was said without an answer; bonuses first. Returns what went wrong."""
    patience = patience or Patience()
    rows = Payment.objects.filter(session__offer__platform=platform.name, session__offer__project_id=project_id)
    waiting = rows.filter(state__in=[State.PLANNED, State.SENT]).select_related("session__offer", "session__worker")
    last_error = []
    for payment in sorted(waiting, key=lambda one: (one.kind != Payment.Kind.BONUS, one.id)):
        if patience.gone:
            break
        try:
            if carry_out(platform, payment):
                patience.note()
        except PlatformError as error:
            patience.note(error)
            last_error.append((payment, error))
    return last_error


def carry_out(platform: Platform, payment: Payment) -> bool:
    """Whether it is done. UnsureError: it may have been heard, and is asked about next time. RefusedError: never.

    The clock is read here: the round that says it may have begun an hour ago.
    """
    now = timezone.now()
    if payment.state == State.SENT and (said := _heard(platform, payment, now)) is not None:
        return said
    if not _claim(payment, timezone.now()):
        return False
    try:
        external_id = platform.carry_out(payment)
    except PlatformError as error:
        _note_failure(payment, error)
        raise
    note_done(payment.id, external_id=external_id)
    return True


def _heard(platform: Platform, payment: Payment, now: datetime) -> bool | None:
    """Whether what was said took effect; None: it did not, and is to be said again."""
    if payment.sent_at is not None and payment.sent_at + CLAIM > now:
        return False  # another run may be saying it this very moment
    heard = platform.was_done(payment)
    if heard:
        note_done(payment.id)
        return True
    return None if heard is False else False


@transaction.atomic
def _claim(payment: Payment, now: datetime) -> bool:
    """Only one run says it: whoever raises the count of tries. What is not right any more is dropped unsaid, and
    planned anew as it should be."""
    Worker.objects.select_for_update(no_key=True).get(id=payment.session.worker_id)
    mine = Payment.objects.filter(id=payment.id, state=payment.state, tries=payment.tries)
    payment.session.refresh_from_db(fields=["state", "platform_state", "finished_at", "ends_at"])
    if why_not(payment, now):
        mine.delete()
        return False
    if not mine.update(state=State.SENT, tries=F("tries") + 1, sent_at=now):
        return False
    payment.refresh_from_db(fields=["state", "tries", "sent_at"])
    return True


def _note_failure(payment: Payment, error: PlatformError) -> None:
    state = {RefusedError: State.REFUSED, NothingDoneError: State.PLANNED, UnsureError: State.SENT}
    becomes = next((after for kind, after in state.items() if isinstance(error, kind)), State.SENT)
    Payment.objects.filter(id=payment.id, state=State.SENT).update(state=becomes, last_error=str(error)[:500])
