"""Jurors at work [beyond paper 3.3]: the programs of a project that judge and have asked for questions of late.

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


def jurors_at_work(project_id: int, jurors: Sequence[int], now: datetime, task: Task | None = None) -> tuple[int, ...]:
    """Return those of a project's jurors that are at work: on a task, or on any."""
    if not jurors:
        return ()
    of: dict[str, Any] = {"project": project_id, "worker__in": jurors}
    if task is not None:
        of["task"] = task.value
    asked = Access.objects.filter(**of, asked_at__gt=now - timedelta(seconds=AT_WORK_SECONDS))
    hold = Assignment.objects.filter(**of, state=Assignment.State.ACTIVE, expires_at__gt=now)
    found = {*asked.values_list("worker", flat=True), *hold.values_list("worker", flat=True)}
    return tuple(juror for juror in jurors if juror in found)
