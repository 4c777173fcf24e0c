"""Change where a worker stands on a task, and write down why: the one writer of standings."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils import timezone

from workers.models import Standing as Row
from workers.models import TrustChange, Worker
from workers.rules.trust import Decision, TrustRules, act
from workers.rules.trust_states import Event, Standing
from workers.standing import from_row, to_columns

COUNTS_ANEW = frozenset({Event.PASS_TEST, Event.WAIVE_TEST, Event.PASS_PROBATION, Event.TRUST, Event.REINSTATE})
"""With these another rate of verification questions begins."""


def change_trust(
    *,
    worker_id: int,
    project_id: int,
    task: str,
    event: Event,
    because: str,
    actor: str = "",
    until: datetime | None = None,
    rules: TrustRules | None = None,
    now: datetime | None = None,
) -> TrustChange:
    """What a person, a test or a signal does. `until`: the end of a suspension.

    IllegalMoveError: it cannot happen to a worker who stands there; nothing is written.
    """
    now = now or timezone.now()

    def decided(old: Standing) -> Decision:
        return act(old, event, rules or TrustRules(), now, because=because, until=until)

    change = change_standing(
        worker_id=worker_id, project_id=project_id, task=task, decide=decided, actor=actor, now=now
    )
    assert change is not None
    return change


@transaction.atomic
def change_standing(
    *,
    worker_id: int,
    project_id: int,
    task: str,
    decide: Callable[[Standing], Decision | None],
    actor: str = "",
    now: datetime,
) -> TrustChange | None:
    """Whatever `decide` makes of the standing, which holds until it is written; None: nothing follows.

    Locks the worker's row, so that one change comes after the other.
    """
    Worker.objects.select_for_update(no_key=True).get(id=worker_id)
    place: dict[str, Any] = {"worker_id": worker_id, "project_id": project_id, "task": task}
    old = from_row(Row.objects.filter(**place).first())
    decision = decide(old)
    if decision is None:
        return None
    columns = to_columns(decision.standing)
    if decision.event in COUNTS_ANEW:
        columns |= {"asked": 0, "verified": 0}
    if decision.voids:
        columns |= {"take_back": True}
    row, _ = Row.objects.update_or_create(**place, defaults=columns)
    if decision.event in COUNTS_ANEW:
        Row.objects.filter(id=row.id).update(rounds=row.rounds + 1)
    return _write(place, old, decision, actor, now)


def _write(place: dict[str, Any], old: Standing, decision: Decision, actor: str, now: datetime) -> TrustChange:
    return TrustChange.objects.create(
        **place,
        event=decision.event.value,
        old=old.state.value,
        new=decision.standing.state.value,
        reason=decision.reason[:1000],
        figures=decision.figures(),
        actor=actor[:150],
        created_at=now,
    )
