"""Write down that a payment took effect: in its row, in its session and in the ledger, in one transaction."""

from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext_noop

from pipeline.money.record_platform_pay import record_platform_pay
from platforms.models import Payment, Session
from platforms.sessions.session_facts import session_facts
from upkeep import clock
from workers.models import Worker

Kind, PlatformState = Payment.Kind, Session.PlatformState
STATE_AFTER = {
    Kind.APPROVE: PlatformState.APPROVED,
    Kind.OVERRIDE: PlatformState.APPROVED,
    Kind.REJECT: PlatformState.REJECTED,
}


@transaction.atomic
def mark_done(payment_id: int, *, external_id: str = "", now: datetime | None = None) -> bool:
    """Return False if the payment was marked before. `external_id`: the platform's id of the payment."""
    now = now or clock.now()
    lock_payment(payment_id)
    payment = Payment.objects.select_for_update(of=("self",)).select_related("session__offer").get(id=payment_id)
    if payment.state == Payment.State.DONE:
        return False
    payment.state, payment.last_error = Payment.State.DONE, ""
    payment.external_id = external_id or payment.external_id
    payment.save(update_fields=["state", "last_error", "external_id"])
    session, kind = payment.session, Kind(payment.kind)
    if kind in STATE_AFTER:
        Session.objects.filter(id=session.id).update(platform_state=STATE_AFTER[kind])
    if payment.cents:
        beyond = 0 if kind is Kind.BONUS else session_facts([session], now)[session.id].extra
        record_platform_pay(
            worker_id=session.worker_id,
            project_id=session.offer.project_id,
            cents=payment.cents,
            reference=reference_of(payment),
            actor=session.offer.platform,
            reason=payment.reason or gettext_noop("Paid."),
            beyond_cents=beyond,
            now=now,
        )
    return True


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
