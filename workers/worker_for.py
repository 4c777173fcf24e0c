"""The worker that belongs to a user account."""

from itertools import count

from django.contrib.auth.models import User

from workers.models import Worker

LONGEST = 90
"""Characters of the user's name that are taken over."""


def worker_for(user: User) -> Worker:
    """Return the user's worker, made if there is none.

    A new worker is a person with the user's name, and a number after it if another worker has that name.
    """
    worker = Worker.objects.filter(user=user).first()
    if worker is not None:
        return worker
    name = user.username[:LONGEST]
    names = (name if number == 1 else f"{name} {number}" for number in count(1))
    free = next(one for one in names if not Worker.objects.filter(name=one).exists())
    return Worker.objects.create(name=free, kind=Worker.Kind.PERSON, user=user)
