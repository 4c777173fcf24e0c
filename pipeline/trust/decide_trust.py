"""Decide about a worker's trust on a task, as a requester does: with a reason, and with all that follows at once."""

from datetime import datetime
from typing import NamedTuple

from pipeline.protocol.tasks.task import Task
from pipeline.trust.review_trust import set_aside
from pipeline.trust.void_answers import void_unresolved
from workers.change_trust import change_trust
from workers.models import TrustChange
from workers.rules.trust_states import TrustEvent, TrustState


class AppliedDecision(NamedTuple):
    """A change of trust, with the number of judgments that were voided to be asked again."""

    change: TrustChange
    voided: int


def decide_trust(
    *,
    worker_id: int,
    project_id: int,
    task: Task,
    event: TrustEvent,
    reason: str,
    actor: str,
    until: datetime | None = None,
    take_back: bool = False,
) -> AppliedDecision:
    """Change the worker's trust; set waiting judgments aside if trust ends; `take_back`: void what has no effect yet.

    Raises IllegalMoveError if the event cannot happen to the worker.
    """
    change = change_trust(
        worker_id=worker_id, project_id=project_id, task=task, event=event, because=reason, actor=actor, until=until
    )
    if change.new in (TrustState.SUSPENDED, TrustState.BARRED):
        set_aside(worker_id=worker_id, project_id=project_id, task=task)
    voided = 0
    if take_back:
        voided = void_unresolved(worker_id=worker_id, project_id=project_id, task=task, reason=reason, actor=actor)
    return AppliedDecision(change, voided)
