"""Decide about a worker's trust, as a requester does: with a reason, and with all that follows at once."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from pipeline.rules.tasks.task import Task
from pipeline.trust.review_trust import set_aside
from pipeline.trust.void_unresolved import void_unresolved
from workers.change_trust import change_trust
from workers.rules.trust_states import TrustEvent, TrustState


def decide_trust(
    *,
    worker_id: int,
    project_id: int,
    tasks: Iterable[str],
    event: TrustEvent,
    reason: str,
    actor: str,
    until: datetime | None = None,
    take_back: bool = False,
) -> int:
    """Change the worker's trust on these tasks. Returns how many judgments were voided to be asked again.

    Raises IllegalMoveError if the event cannot happen to the worker in a task; earlier tasks are changed then.
    """
    voided = 0
    for task in tasks:
        place: dict[str, Any] = {"worker_id": worker_id, "project_id": project_id}
        change = change_trust(task=task, event=event, because=reason, actor=actor, until=until, **place)
        if change.new in (TrustState.SUSPENDED, TrustState.BARRED):
            set_aside(task=Task(task), **place)
        if take_back:
            voided += void_unresolved(task=Task(task), reason=reason, actor=actor, **place)
    return voided
