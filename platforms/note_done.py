"""A movement took effect: the session says so, and so does the ledger, in one transaction."""

from datetime import datetime

from django.db import transaction
from django.utils import timezone

from pipeline.record_platform_pay import record_platform_pay
from platforms.sittings import sittings_of
from workers.models import Movement, Session, Worker

Kind, There = Movement.Kind, Session.There
BECOMES = {Kind.APPROVE: There.APPROVED, Kind.OVERRIDE: There.APPROVED, Kind.REJECT: There.REJECTED}


@transaction.atomic
def note_done(movement_id: int, *, external_id: str = "", now: datetime | None = None) -> bool:
    """False: it was written down before."""
    now = now or timezone.now()
    hold(movement_id)
    movement = Movement.objects.select_for_update(of=("self",)).select_related("session__offer").get(id=movement_id)
    if movement.state == Movement.State.DONE:
        return False
    movement.state, movement.trouble = Movement.State.DONE, ""
    movement.external_id = external_id or movement.external_id
    movement.save(update_fields=["state", "trouble", "external_id"])
    session, kind = movement.session, Kind(movement.kind)
    if kind in BECOMES:
        Session.objects.filter(id=session.id).update(there=BECOMES[kind])
    if movement.cents:
        beyond = 0 if kind is Kind.BONUS else sittings_of([session], now)[session.id].extra
        record_platform_pay(
            worker_id=session.worker_id,
            project_id=session.offer.project_id,
            cents=movement.cents,
            reference=reference_of(movement),
            actor=session.offer.platform,
            reason=movement.reason or "Paid.",
            beyond_cents=beyond,
            now=now,
        )
    return True


def hold(movement_id: int) -> None:
    """Worker, then session, then movement: whoever locks several of them does it in this order."""
    worker, session = Movement.objects.values_list("session__worker", "session").get(id=movement_id)
    Worker.objects.select_for_update(no_key=True).get(id=worker)
    Session.objects.select_for_update(no_key=True).get(id=session)


def reference_of(movement: Movement) -> str:
    """How the ledger names the payment. A session's reward is one payment, whichever way it came about."""
    platform = movement.session.offer.platform
    if movement.kind == Kind.BONUS:
        return f"{platform}/bonus-{movement.id}"
    return f"{platform}/reward-{movement.session_id}"
