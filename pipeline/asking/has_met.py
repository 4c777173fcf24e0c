"""First contact of a worker with a task: until they have submitted answers to it, the page shows the rule first."""

from pipeline.models import Assignment
from pipeline.rules.tasks.task import Task


def has_met(worker_id: int, project_id: int, task: Task) -> bool:
    """Return whether the worker has submitted an assignment of the task, be it a test."""
    done = Assignment.objects.filter(worker_id=worker_id, project_id=project_id, state=Assignment.State.SUBMITTED)
    return done.filter(task=task.value).exists()
