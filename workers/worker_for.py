"""The worker that a user is."""

from itertools import count

from django.contrib.auth.models import User

from workers.models import Worker

LONGEST = 90


def worker_for(user: User) -> Worker:
    """Made if there is none: a person of the user's name, with a number after it if another worker has that name."""
    worker = Worker.objects.filter(user=user).first()
    if worker is not None:
        return worker
    name = user.username[:LONGEST]
    names = (name if number == 1 else f"{name} {number}" for number in count(1))
    free = next(one for one in names if not Worker.objects.filter(name=one).exists())
    return Worker.objects.create(name=free, kind=Worker.Kind.PERSON, user=user)
