"""Decide by hand on a session that was submitted on the platform, but not finished on our page."""

from datetime import datetime

from django.db import transaction

from platforms.contract.errors import PlatformError
from platforms.models import Payment, Session
from platforms.sessions.session_facts import session_facts
from upkeep import clock

Kind, State = Payment.Kind, Payment.State


class CannotSettleError(PlatformError):
    """This cannot be decided by hand."""


@transaction.atomic
def settle_by_hand(*, session_id: int, kind: Payment.Kind, reason: str, now: datetime | None = None) -> Payment:
    """Plan an approval, which pays the whole reward, or a rejection; the next round sends it.

    Raises CannotSettleError if the session does not wait for a decision, was finished on our page, is being decided
    already, or if a session that is to be rejected has earned something.
    """
    now = now or clock.now()
    rows = Session.objects.select_for_update(no_key=True, of=("self",)).select_related("offer", "worker")
    session = rows.get(id=session_id)
    _check(session, kind, now)
    cents = session.offer.reward_cents if kind is Kind.APPROVE else 0
    return Payment.objects.create(session=session, kind=kind, cents=cents, reason=reason.strip()[:1000], created_at=now)


def _check(session: Session, kind: Payment.Kind, now: datetime) -> None:
    if kind not in (Kind.APPROVE, Kind.REJECT):
        raise CannotSettleError(f"A session is approved or rejected by hand; {kind.label} is neither.")
    if session.platform_state != Session.PlatformState.SUBMITTED:
        raise CannotSettleError("This session does not wait for a decision on the platform.")
    if session.state == Session.State.FINISHED:
        raise CannotSettleError("This session was handed in here: it is settled by what it earned.")
    pending = Payment.objects.filter(session=session, state__in=[State.PLANNED, State.SENT])
    if pending.filter(kind__in=[Kind.APPROVE, Kind.REJECT]).exists():
        raise CannotSettleError("A decision on this session is on its way already.")
    earned = session_facts([session], now)[session.id].net
    if kind is Kind.REJECT and earned > 0:  # the pay would be owed, and the next round would approve the session
        raise CannotSettleError(f"{earned} cents were earned in this session: refuse that pay, and it is rejected.")
