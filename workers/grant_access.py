"""Let a worker be asked questions of some tasks."""

from collections.abc import Iterable

from django.db import transaction

from workers.models import Access, TrustStatus, Worker
from workers.rules.trust_states import TrustState


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
        invited = (TrustStatus(**place, task=task, state=TrustState.INVITED.value) for task in new)
        TrustStatus.objects.bulk_create(invited, ignore_conflicts=True)
    return len(new)
