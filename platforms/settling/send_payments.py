"""Send planned payments to a platform, each once, whatever fails on the way."""

from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import F
from django.utils.translation import gettext_noop

from pipeline.money.pay_worker import record_platform_pay
from platforms.contract import Platform
from platforms.errors import NothingDoneError, Patience, PlatformError, RefusedError, UnsureError
from platforms.models import Payment, Session
from platforms.sessions import session_facts
from platforms.settling.plan_payments import why_invalid
from runtime import clock
from workers.models import Worker

Kind, State, PlatformState = Payment.Kind, Payment.State, Session.PlatformState
CLAIM_LASTS = timedelta(minutes=10)
"""A run that claims a row has so long to send it before another run takes over: more than any call can take."""
STATE_AFTER = {
    Kind.APPROVE: PlatformState.APPROVED,
    Kind.PART: PlatformState.APPROVED,
    Kind.OVERRIDE: PlatformState.APPROVED,
    Kind.REJECT: PlatformState.REJECTED,
}
"""The platform's state of a session once a decision of this kind took effect."""
STATE_ON_ERROR = {RefusedError: State.REFUSED, NothingDoneError: State.PLANNED, UnsureError: State.SENT}
"""The state of a payment whose sending failed with this error."""


@transaction.atomic
def mark_done(payment_id: int, *, external_id: str = "", now: datetime | None = None) -> None:
    """Note that the payment took effect, once. `external_id`: the platform's id of the payment."""
    now = now or clock.now()
    lock_payment(payment_id)
    payment = Payment.objects.select_for_update(of=("self",)).select_related("session__offer").get(id=payment_id)
    if payment.state == State.DONE:
        return
    payment.state, payment.last_error = State.DONE, ""
    payment.external_id = external_id or payment.external_id
    payment.save(update_fields=["state", "last_error", "external_id"])
    session, kind = payment.session, Kind(payment.kind)
    if kind in STATE_AFTER:
        Session.objects.filter(id=session.id).update(platform_state=STATE_AFTER[kind])
    if payment.cents:
        beyond = 0 if kind is Kind.BONUS else max(payment.cents - session_facts([session], now)[session.id].net, 0)
        record_platform_pay(
            worker_id=session.worker_id,
            project_id=session.offer.project_id,
            cents=payment.cents,
            reference=reference_of(payment),
            actor=session.offer.platform,
            reason=payment.reason or gettext_noop("Paid."),
            unearned_cents=beyond,
            now=now,
        )


def lock_payment(payment_id: int) -> None:
    """Lock the payment's worker, then its session. The order is the same everywhere: worker, session, payment."""
    worker, session = Payment.objects.values_list("session__worker", "session").get(id=payment_id)
    Worker.objects.select_for_update(no_key=True).get(id=worker)
    Session.objects.select_for_update(no_key=True).get(id=session)


def reference_of(payment: Payment) -> str:
    """Return the payment's name in the ledger. A session has one reward, whichever decision paid it."""
    platform = payment.session.offer.platform
    if payment.kind == Kind.BONUS:
        return f"{platform}/bonus-{payment.id}"
    return f"{platform}/reward-{payment.session_id}"


def send_payments(
    platform: Platform, project_id: int, patience: Patience | None = None
) -> list[tuple[Payment, PlatformError]]:
    """Send all payments that are planned, or were sent without an answer, bonuses first. Returns those that failed."""
    patience = patience or Patience()
    rows = Payment.objects.filter(session__offer__platform=platform.name, session__offer__project_id=project_id)
    waiting = rows.filter(state__in=[State.PLANNED, State.SENT]).select_related("session__offer", "session__worker")
    failures = []
    for payment in sorted(waiting, key=lambda one: (one.kind != Kind.BONUS, one.id)):
        if patience.is_exhausted:
            break
        try:
            if send_payment(platform, payment):
                patience.note_call()
        except PlatformError as error:
            patience.note_call(error)
            failures.append((payment, error))
    return failures


def send_payment(platform: Platform, payment: Payment) -> bool:
    """Return whether the payment has taken effect.

    Raises UnsureError if that is not known (the next round asks), and RefusedError if it never will. Reads the clock
    itself, because the round may have started an hour ago.
    """
    now = clock.now()
    if payment.state == State.SENT and (took_effect := _read_back(platform, payment, now)) is not None:
        return took_effect
    if not _claim(payment, clock.now()):
        return False
    try:
        external_id = platform.send_payment(payment)
    except PlatformError as error:
        _note_failure(payment, error)
        raise
    mark_done(payment.id, external_id=external_id)
    return True


def _read_back(platform: Platform, payment: Payment, now: datetime) -> bool | None:
    """Return whether a payment that was sent took effect; None: it did not, and must be sent again."""
    if payment.sent_at is not None and payment.sent_at + CLAIM_LASTS > now:
        return False  # another run may be sending it at this moment
    done = platform.was_done(payment)
    if done:
        mark_done(payment.id)
        return True
    return None if done is False else False


@transaction.atomic
def _claim(payment: Payment, now: datetime) -> bool:
    """Claim the payment by raising its count of tries, which only one run can do.

    A payment that is no longer valid is deleted instead, and planned anew as it should be.
    """
    Worker.objects.select_for_update(no_key=True).get(id=payment.session.worker_id)
    unclaimed = Payment.objects.filter(id=payment.id, state=payment.state, tries=payment.tries)
    payment.session.refresh_from_db(fields=["state", "platform_state", "finished_at", "ends_at"])
    if why_invalid(payment, now):
        unclaimed.delete()
        return False
    if not unclaimed.update(state=State.SENT, tries=F("tries") + 1, sent_at=now):
        return False
    payment.refresh_from_db(fields=["state", "tries", "sent_at"])
    return True


def _note_failure(payment: Payment, error: PlatformError) -> None:
    after = next((state for kind, state in STATE_ON_ERROR.items() if isinstance(error, kind)), State.SENT)
    Payment.objects.filter(id=payment.id, state=State.SENT).update(state=after, last_error=str(error)[:500])
