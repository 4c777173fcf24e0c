"""Have said once more what a platform refused, after the requester has seen to the cause."""

from datetime import datetime

from django.db import IntegrityError, transaction
from django.db.models import Sum
from django.utils import timezone

from pipeline.ledger import account_of
from platforms.plan_movements import ON_THEIR_WAY
from platforms.rules.settle import bonus
from platforms.settle_by_hand import CannotSettleError
from platforms.sittings import sittings_of
from workers.models import Movement, Session

Kind, State, There = Movement.Kind, Movement.State, Session.There
WAITS_AS = {Kind.APPROVE: There.SUBMITTED, Kind.REJECT: There.SUBMITTED, Kind.OVERRIDE: There.REJECTED}


@transaction.atomic
def say_again(movement_id: int, *, now: datetime | None = None) -> None:
    """It is planned again, if it is still right; the next round says it. CannotSettleError: it is not."""
    now = now or timezone.now()
    rows = Movement.objects.select_for_update(of=("self",)).select_related("session__offer")
    movement = rows.get(id=movement_id)
    if movement.state != State.REFUSED:
        raise CannotSettleError(f"Only what was refused can be said again: this is {movement.state}.")
    if movement.kind == Kind.BONUS:
        _check_bonus(movement, now)
    else:
        _check_verdict(movement, now)
    try:
        with transaction.atomic():
            Movement.objects.filter(id=movement.id).update(state=State.PLANNED, trouble="")
    except IntegrityError as error:
        raise CannotSettleError("The same is on its way already.") from error


def _check_verdict(movement: Movement, now: datetime) -> None:
    session, kind = movement.session, Kind(movement.kind)
    if session.there != WAITS_AS[kind]:
        raise CannotSettleError(f"It is {session.there or 'not handed in'} there by now.")
    sitting = sittings_of([session], now)[session.id]
    if kind is Kind.REJECT and sitting.net > 0:
        raise CannotSettleError("Its pay is owed: refuse that first.")
    if kind is not Kind.REJECT and sitting.refused > 0 and sitting.net <= 0:
        raise CannotSettleError("Its pay is refused: take that back first.")


def _check_bonus(movement: Movement, now: datetime) -> None:
    """What was refused may have been planned with another session of the worker's since."""
    offer, worker = movement.session.offer, movement.session.worker_id
    own = Session.objects.filter(worker=worker, offer__platform=offer.platform, offer__project_id=offer.project_id)
    sessions = list(own.select_related("offer"))
    under_way = Movement.objects.filter(session__in=sessions, kind=Kind.BONUS, state__in=ON_THEIR_WAY)
    said = under_way.aggregate(Sum("cents"))["cents__sum"] or 0
    owed = account_of(worker, offer.project_id).owed
    possible = bonus(owed, said, list(sittings_of(sessions, now).values()))
    if movement.cents > possible:
        raise CannotSettleError(
            f"{possible} cents are owed beyond the rewards to come, not {movement.cents}: the rest was paid or is on "
            "its way."
        )
