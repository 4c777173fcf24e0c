"""Let a worker be asked questions of some tasks."""

from collections.abc import Iterable

from django.db import transaction

from workers.models import Access, Worker


@transaction.atomic
def grant_access(worker: Worker, project_id: int, tasks: Iterable[str]) -> int:
    """How many accesses are new; those that the worker has already stay as they are."""
    rows = Access.objects.filter(worker=worker, project_id=project_id)
    had = set(rows.values_list("task", flat=True))
    new = [Access(worker=worker, project_id=project_id, task=task) for task in tasks if task not in had]
    Access.objects.bulk_create(new, ignore_conflicts=True)
    return len(new)
