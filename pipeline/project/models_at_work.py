"""Model annotators at work [beyond paper 3.3]: those of a project that have asked for questions of late.

Nobody waits for one that has not, and nothing is asked for its sake.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from pipeline.models import Assignment
from pipeline.protocol.tasks.task import Task
from workers.models import Access

AT_WORK_SECONDS = 120.0
"""A program is at work for this long after it has asked for questions, and while it holds some."""


def models_at_work(
    project_id: int, model_annotators: Sequence[int], now: datetime, task: Task | None = None
) -> tuple[int, ...]:
    """Return those of a project's model annotators that are at work: on a task, or on any."""
    if not model_annotators:
        return ()
    of: dict[str, Any] = {"project": project_id, "worker__in": model_annotators}
    if task is not None:
        of["task"] = task.value
    asked = Access.objects.filter(**of, asked_at__gt=now - timedelta(seconds=AT_WORK_SECONDS))
    hold = Assignment.objects.filter(**of, state=Assignment.State.ACTIVE, expires_at__gt=now)
    found = {*asked.values_list("worker", flat=True), *hold.values_list("worker", flat=True)}
    return tuple(model_annotator for model_annotator in model_annotators if model_annotator in found)
