"""The worker that belongs to a user account."""

from contextlib import suppress
from itertools import count

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction

from workers.models import Worker

LONGEST = 90
"""Characters of the user's name that are taken over."""


def worker_for(user: User) -> Worker:
    """Return the user's worker, made if there is none.

    A new worker is a person with the user's name, and a number after it if another worker has that name. Of several
    requests of one user at once, one makes the worker.
    """
    name = user.username[:LONGEST]
    for number in count(1):
        if worker := Worker.objects.filter(user=user).first():
            return worker
        called = name if number == 1 else f"{name} {number}"
        if not Worker.objects.filter(name=called).exists():
            with suppress(IntegrityError), transaction.atomic():  # another request may write either in this moment
                return Worker.objects.create(name=called, kind=Worker.Kind.PERSON, user=user)
    raise AssertionError("names do not end")
