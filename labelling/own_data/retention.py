"""Forget workers who have done nothing for as long as their projects say."""

import logging
from datetime import datetime, timedelta

from django.db.models import Exists, Max, OuterRef, Q

from annotation.models import LEAST_KEPT_DAYS, Project
from labelling.own_data.forget_worker import forget_worker, is_member, owed_to
from pipeline.models import Assignment
from platforms.models import Session
from upkeep import clock
from workers.models import Worker

logger = logging.getLogger(__name__)


def forget_idle_workers(*, now: datetime | None = None) -> int:
    """Forget the people among them, and return how many. Members stay, and so does whoever is still owed money."""
    now = now or clock.now()
    idle = [worker for worker in _candidates(now) if _is_idle(worker, now)]
    done = sum(forget_worker(worker.pk, now=now) for worker in idle if not (is_member(worker) or owed_to(worker)))
    if done:
        logger.info("%d workers were forgotten, who had been idle for as long as their projects say", done)
    return done


def _candidates(now: datetime) -> list[Worker]:
    """Return the people who were idle for the shortest time that a project can name, of projects that name one."""
    since = now - timedelta(days=LEAST_KEPT_DAYS)
    recent = Assignment.objects.filter(worker=OuterRef("pk"), created_at__gt=since)
    in_one = Project.objects.exclude(kept_days=None)
    here = Q(accesses__project__in=in_one) | Q(assignments__project__in=in_one)
    people = Worker.objects.filter(here, kind=Worker.Kind.PERSON, closed_at=None, created_at__lte=since)
    people = people.exclude(Exists(recent)).exclude(user__last_login__gt=since)
    return list(people.select_related("user").distinct().order_by("id"))


def _is_idle(worker: Worker, now: datetime) -> bool:
    """Tell whether the longest of the worker's projects' times has passed; a project without one keeps the worker."""
    projects = Project.objects.filter(Q(accesses__worker=worker) | Q(assignments__worker=worker))
    days = set(projects.order_by().values_list("kept_days", flat=True))
    if None in days:
        return False
    longest = max(one for one in days if one is not None)
    return _last_seen(worker) + timedelta(days=longest) <= now


def _last_seen(worker: Worker) -> datetime:
    """Return when the worker last did anything, or was given access."""
    given = Assignment.objects.filter(worker=worker).aggregate(first=Max("created_at"), last=Max("ended_at"))
    opened = Session.objects.filter(worker=worker).aggregate(opened=Max("opened_at"))
    access = worker.accesses.aggregate(granted=Max("granted_at"))  # type: ignore[attr-defined]
    signed_in = worker.user.last_login if worker.user else None
    times = [worker.created_at, signed_in, *given.values(), *opened.values(), *access.values()]
    return max(time for time in times if time is not None)
