"""Change where a worker stands on a task, and write down why: the one writer of standings."""

from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils import timezone

from workers.models import Standing as Row
from workers.models import TrustChange, Worker
from workers.rules.trust import Decision, TrustRules, act
from workers.rules.trust_states import Event, Standing
from workers.standing import from_row, to_columns


@transaction.atomic
def change_trust(
    *,
    worker_id: int,
    project_id: int,
    task: str,
    event: Event,
    because: str,
    actor: str = "",
    until: datetime | None = None,
    now: datetime | None = None,
) -> TrustChange:
    """What a person or a signal does. `until`: the end of a suspension.

    Locks the worker's row, so that one change comes after the other. IllegalMoveError: it cannot happen to a worker
    who stands there; nothing is written.
    """
    now = now or timezone.now()
    Worker.objects.select_for_update().get(id=worker_id)
    row = Row.objects.filter(worker=worker_id, project_id=project_id, task=task).first()
    old = from_row(row)
    decision = act(old, event, TrustRules(), now, because=because, until=until)
    place: dict[str, Any] = {"worker_id": worker_id, "project_id": project_id, "task": task}
    Row.objects.update_or_create(**place, defaults=to_columns(decision.standing))
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
