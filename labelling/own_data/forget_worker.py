"""Forget the person behind a worker. Answers, pay and trust stay, under a row that names nobody."""

from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext_noop

from annotation.models import Project
from labelling.own_data.forgetting import FORGOTTEN, name_after
from members.may import is_of_staff
from pipeline.asking.end_lease import end_assignments
from pipeline.models import Assignment
from pipeline.money.ledger import account_of
from upkeep import clock
from workers.models import Worker


class StillAMemberError(Exception):
    message = gettext_noop(
        "This account also manages projects or the service. An administrator has to take that away first."
    )

    def __init__(self) -> None:
        super().__init__(self.message)


@transaction.atomic
def forget_worker(worker_id: int, *, now: datetime | None = None) -> bool:
    """Return active assignments, forget everything in `forgetting.FORGOTTEN`, and close the worker for good.

    Returns False if that was done before. Raises StillAMemberError for the account of a member or of staff.
    """
    now = now or clock.now()
    # Assignments before the worker, in the order in which submitting locks them.
    held = Assignment.objects.filter(worker=worker_id, state=Assignment.State.ACTIVE).order_by("id")
    active = list(held.select_for_update().values_list("id", flat=True))
    worker = Worker.objects.select_for_update(no_key=True).get(id=worker_id)
    if worker.closed_at is not None:
        return False
    if is_member(worker):
        raise StillAMemberError
    end_assignments(active, Assignment.State.RETURNED, now)
    for forget in FORGOTTEN:
        forget(worker)
    worker.name, worker.closed_at = name_after(worker), now
    worker.save(update_fields=["name", "user", "closed_at"])
    return True


def is_member(worker: Worker) -> bool:
    """Tell whether the worker's account is staff's or a member's, which cannot be deleted with the worker."""
    user = worker.user
    return user is not None and (user.is_superuser or is_of_staff(user))


def owed_to(worker: Worker) -> list[tuple[Project, int]]:
    """Return the projects that owe the worker money, with the cents."""
    projects = Project.objects.filter(assignments__worker=worker) | Project.objects.filter(ledger__worker=worker)
    owed = ((project, account_of(worker.pk, project.pk).owed) for project in projects.distinct().order_by("name"))
    return [(project, cents) for project, cents in owed if cents > 0]
