"""Checks before a payment is sent: the facts behind it may have changed since it was planned, or last sent."""

from datetime import datetime

from pipeline.money.ledger import account_of
from platforms.models import Payment, Session
from platforms.rules.settling import SessionFacts, bonus_cents, is_paid_by_bonus
from platforms.sessions.session_facts import session_facts
from platforms.settling.plan_payments import PENDING, expected_facts, pending_bonuses

Kind, PlatformState = Payment.Kind, Session.PlatformState
STATE_BEFORE = {
    Kind.APPROVE: PlatformState.SUBMITTED,
    Kind.REJECT: PlatformState.SUBMITTED,
    Kind.OVERRIDE: PlatformState.REJECTED,
}


def why_invalid(payment: Payment, now: datetime) -> str:
    """Return why the payment must not be sent; empty: it may. Load `payment.session.offer` beforehand."""
    return _why_no_bonus(payment, now) if payment.kind == Kind.BONUS else _why_no_decision(payment, now)


def why_paid_already(payment: Payment, now: datetime) -> str:
    """Return why an approval that the platform once refused would pay twice: a bonus has replaced it. Empty: it would
    not."""
    owed, pending, expected = _prospects(payment, now)
    others = [one for number, one in expected.items() if number != payment.session_id]
    facts = session_facts([payment.session], now)[payment.session_id]
    if not is_paid_by_bonus(facts, owed, pending, others):
        return ""
    return "What the session earned was paid by a bonus meanwhile, or is about to be: an approval would pay it twice."


def _why_no_decision(payment: Payment, now: datetime) -> str:
    session, kind = payment.session, Kind(payment.kind)
    if session.platform_state != STATE_BEFORE[kind]:
        return f"The session is {session.platform_state or 'not handed in'} on the platform by now."
    facts = session_facts([session], now)[session.id]
    if kind is Kind.REJECT and facts.net > 0:
        return "The session's pay is owed: refuse that first."
    if kind is not Kind.REJECT and facts.is_all_refused:
        return "The session's pay is refused: take that back first."
    return ""


def _why_no_bonus(payment: Payment, now: datetime) -> str:
    """Since it was planned, the bonus may have been paid with another session of the worker, or refused in part."""
    owed, pending, expected = _prospects(payment, now)
    possible = bonus_cents(owed, pending, list(expected.values()))
    if payment.cents <= possible:
        return ""
    return (
        f"{possible} cents are owed beyond the expected rewards, not {payment.cents}: the rest was paid, or is on its "
        "way."
    )


def _prospects(payment: Payment, now: datetime) -> tuple[int, int, dict[int, SessionFacts]]:
    """Return what the worker is owed in cents, their other pending bonuses in cents, and their sessions' facts."""
    offer, worker = payment.session.offer, payment.session.worker_id
    of_project = {"offer__platform": offer.platform, "offer__project_id": offer.project_id}
    sessions = list(Session.objects.filter(**of_project, worker=worker).select_related("offer").order_by("id"))
    owed = account_of(worker, offer.project_id).owed
    this = payment.cents if payment.kind == Kind.BONUS and payment.state in PENDING else 0
    pending = pending_bonuses(sessions).get(worker, 0) - this
    return owed, pending, expected_facts(sessions, session_facts(sessions, now), {worker: owed}, {worker: pending})
