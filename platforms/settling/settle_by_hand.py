"""Decide by hand on a session that was handed in there without having been finished here."""

from datetime import datetime

from django.db import transaction
from django.utils import timezone

from platforms.contract.errors import PlatformError
from platforms.models import Payment, Session
from platforms.sessions.session_facts import session_facts

Kind, State = Payment.Kind, Payment.State


class CannotSettleError(PlatformError):
    """This can't be decided by hand."""


@transaction.atomic
def settle_by_hand(*, session_id: int, kind: Payment.Kind, reason: str, now: datetime | None = None) -> Payment:
    """Plan its approval, which pays the reward whatever was done, or its rejection; the next round says it there.

    CannotSettleError: it does not wait for us, was finished here, earned something, or is on its way.
    """
    now = now or timezone.now()
    rows = Session.objects.select_for_update(no_key=True, of=("self",)).select_related("offer", "worker")
    session = rows.get(id=session_id)
    _check(session, kind, now)
    cents = session.offer.reward_cents if kind is Kind.APPROVE else 0
    return Payment.objects.create(session=session, kind=kind, cents=cents, reason=reason.strip()[:1000], created_at=now)


def _check(session: Session, kind: Payment.Kind, now: datetime) -> None:
    if kind not in (Kind.APPROVE, Kind.REJECT):
        raise CannotSettleError(f"A session is approved or rejected by hand; {kind.label} is neither.")
    if session.platform_state != Session.PlatformState.SUBMITTED:
        raise CannotSettleError("It does not wait for us there.")
    if session.state == Session.State.FINISHED:
        raise CannotSettleError("It was handed in here: it is settled by what it earned.")
    on_its_way = Payment.objects.filter(session=session, state__in=[State.PLANNED, State.SENT])
    if on_its_way.filter(kind__in=[Kind.APPROVE, Kind.REJECT]).exists():
        raise CannotSettleError("It is on its way already.")
    earned = session_facts([session], now)[session.id].net
    if kind is Kind.REJECT and earned > 0:  # it would be owed, and approved after all in the next round
        raise CannotSettleError(f"{earned} cents were earned in it: refuse them, and it is rejected.")
