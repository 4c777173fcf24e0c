"""Let a worker be asked questions of some tasks."""

from collections.abc import Iterable

from django.db import transaction

from workers.models import Access, Standing, Worker
from workers.rules.trust_states import State


@transaction.atomic
def grant_access(worker: Worker, project_id: int, tasks: Iterable[str], *, trusted: bool = True) -> int:
    """How many accesses are new; those that the worker has already stay as they are.

    `trusted`: by hand, at once; otherwise the worker begins as invited, with the qualification test.
    """
    rows = Access.objects.filter(worker=worker, project_id=project_id)
    had = set(rows.values_list("task", flat=True))
    new = [task for task in tasks if task not in had]
    place = {"worker": worker, "project_id": project_id}
    Access.objects.bulk_create((Access(**place, task=task) for task in new), ignore_conflicts=True)
    if not trusted:
        invited = (Standing(**place, task=task, state=State.INVITED.value) for task in new)
        Standing.objects.bulk_create(invited, ignore_conflicts=True)
    return len(new)
