"""Forget the person behind a worker, at the worker's request or after the time that the projects say.

Answers, pay and trust stay with the worker's row, which names nobody afterwards. To have more forgotten, add a function
to FORGOTTEN. Each is called in one transaction, while the worker still has the name and the account.
"""

import logging
import re
from collections.abc import Callable
from datetime import datetime, timedelta

from django.contrib.admin.models import LogEntry
from django.contrib.contenttypes.models import ContentType
from django.contrib.sessions.models import Session as Browser
from django.db import transaction
from django.db.models import Exists, Max, OuterRef, Q
from django.utils.translation import gettext_noop

from accounts.events import forget_person
from accounts.may import is_of_staff
from annotation.models import LEAST_KEPT_DAYS, Project
from labelling.messages import conversations
from labelling.models import SignIn
from pipeline.asking.end_lease import end_assignments
from pipeline.models import Assignment
from pipeline.money.ledger import account_of
from platforms.models import Session
from platforms.sessions.open_session import forget_identities
from runtime import clock
from workers.models import Access, ApiKey, TrustChange, Worker
from workers.rules.trust_states import TrustEvent

logger = logging.getLogger(__name__)
TEXT_GONE = "The text was deleted at the worker's request."


def name_after(worker: Worker) -> str:
    """Return what the worker's row is called once nobody is behind it."""
    return f"deleted worker {worker.pk}"


def forget_rights(worker: Worker) -> None:
    ApiKey.objects.filter(worker=worker).delete()
    Access.objects.filter(worker=worker).delete()


def forget_drafts(worker: Worker) -> None:
    Assignment.objects.filter(worker=worker).exclude(draft=None).update(draft=None)


def forget_messages(worker: Worker) -> None:
    conversations.forget_messages(worker.pk)


def forget_platforms(worker: Worker) -> None:
    forget_identities(worker.pk)


def forget_appeals(worker: Worker) -> None:
    """Write the worker's appeals anew, without the name and the text: rows of this table cannot be changed."""
    for row in TrustChange.objects.filter(worker=worker, event=TrustEvent.APPEAL.value):
        number = row.pk
        row.delete()
        row.pk, row.actor, row.reason = number, name_after(worker), TEXT_GONE
        row.save(force_insert=True)


def forget_history(worker: Worker) -> None:
    """Replace the name in the admin pages' own history of what staff did to this worker's rows."""
    models = ContentType.objects.filter(app_label__in=["workers", "pipeline", "platforms", "auth"])
    for name in {worker.name, worker.user.get_username() if worker.user else worker.name}:
        word = re.compile(rf"(?<![\w@.+-]){re.escape(name)}(?![\w@.+-])")
        own = Q(object_repr__contains=name) | Q(
            content_type__in=models.filter(model="worker"), object_id=str(worker.pk), change_message__contains=name
        )
        for row in LogEntry.objects.filter(own, content_type__in=models):
            row.object_repr = word.sub(name_after(worker), row.object_repr)[:200]
            if row.object_id == str(worker.pk):
                row.change_message = word.sub(name_after(worker), row.change_message)
            row.save(update_fields=["object_repr", "change_message"])


def forget_events(worker: Worker) -> None:
    """Replace the name in the event log, and take the network addresses out of the worker's own lines."""
    if worker.user is not None:
        forget_person(worker.user.get_username(), name_after(worker))


def forget_account(worker: Worker) -> None:
    """Delete the account, with its name, password and address, and end its sessions."""
    user = worker.user
    if user is None:
        return
    keys = set(SignIn.objects.filter(user=user).values_list("session_key", flat=True))
    for browser in Browser.objects.iterator():
        if browser.get_decoded().get("_auth_user_id") == str(user.pk):
            keys.add(browser.session_key)
    Browser.objects.filter(session_key__in=keys).delete()
    user.delete()
    worker.user = None


FORGOTTEN: list[Callable[[Worker], None]] = [
    forget_rights,
    forget_drafts,
    forget_messages,
    forget_platforms,
    forget_appeals,
    forget_history,
    forget_events,
    forget_account,
]


class StillAMemberError(Exception):
    message = gettext_noop(
        "This account also manages projects or the service. An administrator has to take that away first."
    )

    def __init__(self) -> None:
        super().__init__(self.message)


@transaction.atomic
def forget_worker(worker_id: int, *, now: datetime | None = None) -> bool:
    """Return active assignments, forget everything in FORGOTTEN, and close the worker for good.

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
    longest = max(day for day in days if day is not None)
    return _last_seen(worker) + timedelta(days=longest) <= now


def _last_seen(worker: Worker) -> datetime:
    """Return when the worker last did anything, or was given access."""
    given = Assignment.objects.filter(worker=worker).aggregate(first=Max("created_at"), last=Max("ended_at"))
    opened = Session.objects.filter(worker=worker).aggregate(opened=Max("opened_at"))
    access = worker.accesses.aggregate(granted=Max("granted_at"))  # type: ignore[attr-defined]
    signed_in = worker.user.last_login if worker.user else None
    times = [worker.created_at, signed_in, *given.values(), *opened.values(), *access.values()]
    return max(time for time in times if time is not None)
