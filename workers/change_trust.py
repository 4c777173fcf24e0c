"""Change where a worker stands on a task, and write down why: the one writer of trust_statuses."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils import timezone

from workers.models import TrustChange, Worker
from workers.models import TrustStatus as Row
from workers.rules.trust import Decision, TrustRules, act
from workers.rules.trust_states import Trust, TrustEvent
from workers.trust_of import from_row, to_columns

COUNTS_ANEW = frozenset(
    {TrustEvent.PASS_TEST, TrustEvent.WAIVE_TEST, TrustEvent.PASS_PROBATION, TrustEvent.TRUST, TrustEvent.REINSTATE}
)
"""With these another rate of verification questions begins."""


def change_trust(
    *,
    worker_id: int,
    project_id: int,
    task: str,
    event: TrustEvent,
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

    def decided(old: Trust) -> Decision:
        return act(old, event, rules or TrustRules(), now, because=because, until=until)

    change = apply_decision(worker_id=worker_id, project_id=project_id, task=task, decide=decided, actor=actor, now=now)
    assert change is not None
    return change


@transaction.atomic
def apply_decision(
    *,
    worker_id: int,
    project_id: int,
    task: str,
    decide: Callable[[Trust], Decision | None],
    actor: str = "",
    now: datetime,
) -> TrustChange | None:
    """Whatever `decide` makes of the trust, which holds until it is written; None: nothing follows.

    Locks the worker's row, so that one change comes after the other.
    """
    Worker.objects.select_for_update(no_key=True).get(id=worker_id)
    place: dict[str, Any] = {"worker_id": worker_id, "project_id": project_id, "task": task}
    old = from_row(Row.objects.filter(**place).first())
    decision = decide(old)
    if decision is None:
        return None
    columns = to_columns(decision.trust)
    if decision.event in COUNTS_ANEW:
        columns |= {"asked": 0, "verified": 0}
    if decision.voids:
        columns |= {"take_back": True}
    row, _ = Row.objects.update_or_create(**place, defaults=columns)
    if decision.event in COUNTS_ANEW:
        Row.objects.filter(id=row.id).update(rounds=row.rounds + 1)
    return _write(place, old, decision, actor, now)


def _write(place: dict[str, Any], old: Trust, decision: Decision, actor: str, now: datetime) -> TrustChange:
    return TrustChange.objects.create(
        **place,
        event=decision.event.value,
        old=old.state.value,
        new=decision.trust.state.value,
        reason=decision.reason[:1000],
        figures=decision.figures(),
        actor=actor[:150],
        created_at=now,
    )
