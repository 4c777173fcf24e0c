"""The worker that belongs to a user account, and the access of a worker to tasks of a project."""

from collections.abc import Iterable
from contextlib import suppress
from itertools import count

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction

from workers.change_trust import begin_trust
from workers.models import Access, Worker
from workers.rules.trust_states import TrustStart

MAX_NAME_CHARACTERS = 90
"""Characters of the user's name that are taken over."""


def worker_for(user: User) -> Worker:
    """Return the user's worker, made if there is none.

    A new worker is a person with the user's name, and a number after it if another worker has that name. Of several
    requests of one user at once, one makes the worker.
    """
    name = user.username[:MAX_NAME_CHARACTERS]
    for number in count(1):
        if worker := Worker.objects.filter(user=user).first():
            return worker
        called = name if number == 1 else f"{name} {number}"
        if not Worker.objects.filter(name=called).exists():
            with suppress(IntegrityError), transaction.atomic():  # another request may write either in this moment
                return Worker.objects.create(name=called, kind=Worker.Kind.PERSON, user=user)
    raise AssertionError("names do not end")


@transaction.atomic
def grant_access(worker: Worker, project_id: int, tasks: Iterable[str], *, trusted: bool = False) -> int:
    """Let the worker answer questions of these tasks. Returns the number of tasks that are new to the worker.

    `trusted`: the requester trusts the worker at once; otherwise the worker is invited and starts with the
    qualification test. No trust status is written for trusted workers: they get one when there is something to measure
    them by.
    """
    rows = Access.objects.filter(worker=worker, project_id=project_id)
    had = set(rows.values_list("task", flat=True))
    new = [task for task in tasks if task not in had]
    Access.objects.bulk_create(
        (Access(worker=worker, project_id=project_id, task=task) for task in new), ignore_conflicts=True
    )
    if new and not trusted:
        begin_with_test(worker.pk, project_id, new)
    return len(new)


def take_access(worker: Worker, project_id: int, tasks: Iterable[str]) -> int:
    """Give the worker no new questions of these tasks. Returns the number of tasks that the worker had."""
    return Access.objects.filter(worker=worker, project_id=project_id, task__in=list(tasks)).delete()[0]


def begin_with_test(worker_id: int, project_id: int, tasks: Iterable[str]) -> None:
    """Let a worker who was just given access start with the qualification test. Trust that has begun stays."""
    begin_trust(
        worker_id=worker_id,
        project_id=project_id,
        tasks=tasks,
        start=TrustStart.INVITED,
        because="The worker was given access, and starts with the qualification test.",
    )
