"""Whether a payment may be said: what it rests on can have changed since it was planned, or since it was said last."""

from datetime import datetime

from pipeline.money.ledger import account_of
from platforms.models import Payment, Session
from platforms.rules.settle import SessionFacts, bonus, is_carried
from platforms.sessions.session_facts import session_facts
from platforms.settling.plan_payments import ON_THEIR_WAY, bonuses_said, to_come

Kind, PlatformState = Payment.Kind, Session.PlatformState
WAITS_AS = {
    Kind.APPROVE: PlatformState.SUBMITTED,
    Kind.REJECT: PlatformState.SUBMITTED,
    Kind.OVERRIDE: PlatformState.REJECTED,
}


def why_not(payment: Payment, now: datetime) -> str:
    """Empty: it is right. `payment.session.offer` should be there."""
    return _why_no_bonus(payment, now) if payment.kind == Kind.BONUS else _why_no_verdict(payment, now)


def why_paid_before(payment: Payment, now: datetime) -> str:
    """Of an approval that the platform once refused: a bonus may have carried its money since. Empty: none has."""
    owed, said, expected = _prospects(payment, now)
    others = [one for number, one in expected.items() if number != payment.session_id]
    facts = session_facts([payment.session], now)[payment.session_id]
    if not is_carried(facts, owed, said, others):
        return ""
    return "What it earned was paid by a bonus meanwhile, or is on its way in one: approved it would be paid twice."


def _why_no_verdict(payment: Payment, now: datetime) -> str:
    session, kind = payment.session, Kind(payment.kind)
    if session.platform_state != WAITS_AS[kind]:
        return f"It is {session.platform_state or 'not handed in'} there by now."
    facts = session_facts([session], now)[session.id]
    if kind is Kind.REJECT and facts.net > 0:
        return "Its pay is owed: refuse that first."
    if kind is not Kind.REJECT and facts.refused > 0 and facts.net <= 0:
        return "Its pay is refused: take that back first."
    return ""


def _why_no_bonus(payment: Payment, now: datetime) -> str:
    """It may have gone with another session of the worker's since, or have been refused in part."""
    owed, said, expected = _prospects(payment, now)
    possible = bonus(owed, said, list(expected.values()))
    if payment.cents <= possible:
        return ""
    return (
        f"{possible} cents are owed beyond the rewards to come, not {payment.cents}: the rest was paid or is on its "
        "way."
    )


def _prospects(payment: Payment, now: datetime) -> tuple[int, int, dict[int, SessionFacts]]:
    """Of its worker, without it: cents that are owed, those of bonuses on their way, and what is to come by session."""
    offer, worker = payment.session.offer, payment.session.worker_id
    place = {"offer__platform": offer.platform, "offer__project_id": offer.project_id}
    own = list(Session.objects.filter(**place, worker=worker).select_related("offer").order_by("id"))
    owed = account_of(worker, offer.project_id).owed
    mine = payment.cents if payment.kind == Kind.BONUS and payment.state in ON_THEIR_WAY else 0
    said = bonuses_said(own).get(worker, 0) - mine
    return owed, said, to_come(own, session_facts(own, now), {worker: owed}, {worker: said})
