"""Whether a movement may be said: what it rests on can have changed since it was planned, or since it was said last."""

from datetime import datetime

from pipeline.ledger import account_of
from platforms.plan_movements import ON_THEIR_WAY, bonuses_said, to_come
from platforms.rules.settle import Sitting, bonus, is_carried
from platforms.sittings import sittings_of
from workers.models import Movement, Session

Kind, There = Movement.Kind, Session.There
WAITS_AS = {Kind.APPROVE: There.SUBMITTED, Kind.REJECT: There.SUBMITTED, Kind.OVERRIDE: There.REJECTED}


def why_not(movement: Movement, now: datetime) -> str:
    """Empty: it is right. `movement.session.offer` should be there."""
    return _why_no_bonus(movement, now) if movement.kind == Kind.BONUS else _why_no_verdict(movement, now)


def why_paid_before(movement: Movement, now: datetime) -> str:
    """Of an approval that the platform once refused: a bonus may have carried its money since. Empty: none has."""
    owed, said, expected = _prospects(movement, now)
    others = [one for number, one in expected.items() if number != movement.session_id]
    sitting = sittings_of([movement.session], now)[movement.session_id]
    if not is_carried(sitting, owed, said, others):
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
    owed, said, expected = _prospects(movement, now)
    possible = bonus(owed, said, list(expected.values()))
    if movement.cents <= possible:
        return ""
    return (
        f"{possible} cents are owed beyond the rewards to come, not {movement.cents}: the rest was paid or is on its "
        "way."
    )


def _prospects(movement: Movement, now: datetime) -> tuple[int, int, dict[int, Sitting]]:
    """Of its worker, without it: cents that are owed, those of bonuses on their way, and what is to come by session."""
    offer, worker = movement.session.offer, movement.session.worker_id
    place = {"offer__platform": offer.platform, "offer__project_id": offer.project_id}
    own = list(Session.objects.filter(**place, worker=worker).select_related("offer").order_by("id"))
    owed = account_of(worker, offer.project_id).owed
    mine = movement.cents if movement.kind == Kind.BONUS and movement.state in ON_THEIR_WAY else 0
    said = bonuses_said(own).get(worker, 0) - mine
    return owed, said, to_come(own, sittings_of(own, now), {worker: owed}, {worker: said})
