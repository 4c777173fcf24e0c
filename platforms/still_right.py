"""Whether a movement may be said: what it rests on can have changed since it was planned, or since it was said last."""

from datetime import datetime

from django.db.models import Sum

from pipeline.ledger import account_of
from platforms.plan_movements import ON_THEIR_WAY, to_come
from platforms.rules.settle import bonus
from platforms.sittings import sittings_of
from workers.models import Movement, Session

Kind, There = Movement.Kind, Session.There
WAITS_AS = {Kind.APPROVE: There.SUBMITTED, Kind.REJECT: There.SUBMITTED, Kind.OVERRIDE: There.REJECTED}


def why_not(movement: Movement, now: datetime) -> str:
    """Empty: it is right. `movement.session.offer` should be there."""
    return _why_no_bonus(movement, now) if movement.kind == Kind.BONUS else _why_no_verdict(movement, now)


def why_paid_before(movement: Movement, now: datetime) -> str:
    """Of an approval that the platform once refused: a bonus may have carried its money since. Empty: none has."""
    session = movement.session
    sitting = sittings_of([session], now)[session.id]
    owed = account_of(session.worker_id, session.offer.project_id).owed - _under_way(movement)
    if min(sitting.net, sitting.reward) <= max(owed, 0):
        return ""
    return "What it earned was paid by a bonus meanwhile, or is on its way in one: approved it would be paid twice."


def _why_no_verdict(movement: Movement, now: datetime) -> str:
    session, kind = movement.session, Kind(movement.kind)
    if session.there != WAITS_AS[kind]:
        return f"It is {session.there or 'not handed in'} there by now."
    sitting = sittings_of([session], now)[session.id]
    if kind is Kind.REJECT and sitting.net > 0:
        return "Its pay is owed: refuse that first."
    if kind is not Kind.REJECT and sitting.refused > 0 and sitting.net <= 0:
        return "Its pay is refused: take that back first."
    return ""


def _why_no_bonus(movement: Movement, now: datetime) -> str:
    """It may have gone with another session of the worker's since, or have been refused in part."""
    offer, worker = movement.session.offer, movement.session.worker_id
    own = Session.objects.filter(worker=worker, offer__platform=offer.platform, offer__project_id=offer.project_id)
    sittings = to_come(sittings_of(list(own.select_related("offer")), now))
    owed = account_of(worker, offer.project_id).owed
    possible = bonus(owed, _under_way(movement), list(sittings.values()))
    if movement.cents <= possible:
        return ""
    return (
        f"{possible} cents are owed beyond the rewards to come, not {movement.cents}: the rest was paid or is on its "
        "way."
    )


def _under_way(movement: Movement) -> int:
    """Cents of the worker's other bonuses that are to be paid."""
    offer = movement.session.offer
    place = {"session__offer__platform": offer.platform, "session__offer__project_id": offer.project_id}
    bonuses = Movement.objects.filter(**place, session__worker=movement.session.worker_id, kind=Kind.BONUS)
    others = bonuses.filter(state__in=ON_THEIR_WAY).exclude(id=movement.id)
    return others.aggregate(Sum("cents"))["cents__sum"] or 0
