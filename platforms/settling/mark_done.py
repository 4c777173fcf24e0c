"""A payment took effect: the session says so, and so does the ledger, in one transaction."""

from datetime import datetime

from django.db import transaction
from django.utils import timezone

from pipeline.money.record_platform_pay import record_platform_pay
from platforms.models import Payment, Session
from platforms.sessions.session_facts import session_facts
from workers.models import Worker

Kind, PlatformState = Payment.Kind, Session.PlatformState
BECOMES = {
    Kind.APPROVE: PlatformState.APPROVED,
    Kind.OVERRIDE: PlatformState.APPROVED,
    Kind.REJECT: PlatformState.REJECTED,
}


@transaction.atomic
def note_done(payment_id: int, *, external_id: str = "", now: datetime | None = None) -> bool:
    """False: it was written down before."""
    now = now or timezone.now()
    hold(payment_id)
    payment = Payment.objects.select_for_update(of=("self",)).select_related("session__offer").get(id=payment_id)
    if payment.state == Payment.State.DONE:
        return False
    payment.state, payment.last_error = Payment.State.DONE, ""
    payment.external_id = external_id or payment.external_id
    payment.save(update_fields=["state", "last_error", "external_id"])
    session, kind = payment.session, Kind(payment.kind)
    if kind in BECOMES:
        Session.objects.filter(id=session.id).update(platform_state=BECOMES[kind])
    if payment.cents:
        beyond = 0 if kind is Kind.BONUS else session_facts([session], now)[session.id].extra
        record_platform_pay(
            worker_id=session.worker_id,
            project_id=session.offer.project_id,
            cents=payment.cents,
            reference=reference_of(payment),
            actor=session.offer.platform,
            reason=payment.reason or "Paid.",
            beyond_cents=beyond,
            now=now,
        )
    return True


def hold(payment_id: int) -> None:
    """Worker, then session, then payment: whoever locks several of them does it in this order."""
    worker, session = Payment.objects.values_list("session__worker", "session").get(id=payment_id)
    Worker.objects.select_for_update(no_key=True).get(id=worker)
    Session.objects.select_for_update(no_key=True).get(id=session)


def reference_of(payment: Payment) -> str:
    """How the ledger names the payment. A session's reward is one payment, whichever way it came about."""
    platform = payment.session.offer.platform
    if payment.kind == Kind.BONUS:
        return f"{platform}/bonus-{payment.id}"
    return f"{platform}/reward-{payment.session_id}"
