"""Offers and sessions in our own rows, without a platform."""

from datetime import datetime, timedelta
from typing import Any

from django.utils import timezone

from annotation.models import Project
from pipeline.asking.lease_assignment import lease_questions
from pipeline.models import Assignment
from pipeline.protocol.tasks.task import Task
from platforms.models import Offer, Session
from platforms.sessions import HeldSession, open_session
from tests.support.money import ASK, REWARD
from workers.models import TrustStatus


def an_offer(project: Project, task: Task = ASK, *, platform: str = "mturk", **values: Any) -> Offer:
    """An offer that is open."""
    now = timezone.now()
    number = Offer.objects.count() + 1
    usual = {"kind": Offer.Kind.WORK, "places": 9, "reward_cents": REWARD, "seconds": 3600, "state": Offer.State.OPEN}
    named = {"key": f"{number:032x}", "external_id": f"HIT{number}"}
    ends = {"created_at": now, "expires_at": now + timedelta(days=3)}
    place = {"platform": platform, "project_id": project.pk, "task": task.value}
    return Offer.objects.create(**usual | named | ends | place | values)


def comes(offer: Offer, who: str = "W1", external_id: str = "A1", *, trusted: bool = True) -> Session:
    """A worker opens our page from the platform; `trusted`: the worker needs no test."""
    session = open_session(offer=offer, external_worker=who, external_id=external_id)
    if trusted:
        TrustStatus.objects.filter(worker=session.worker, project_id=offer.project_id).delete()
    return session


def asks(session: Session, size: int | None = None, now: datetime | None = None) -> Assignment | None:
    offer, who, held = session.offer, session.worker_id, HeldSession(session.id)
    lease = lease_questions(
        project_id=offer.project_id, worker_id=who, task=Task(offer.task), size=size, session=held, now=now
    )
    return lease.assignment if lease else None


def given_in(session: Session, size: int | None = None) -> Assignment:
    """Return the assignment that the worker of the session gets; there has to be one."""
    found = asks(session, size)
    assert found is not None
    return found
