"""Invitations: links by which people join a project."""

from collections.abc import Iterable
from contextlib import suppress
from datetime import timedelta
from itertools import count

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.db.models import F, Q, QuerySet
from django.utils.translation import gettext_noop

from runtime import clock
from workers.change_trust import begin_trust
from workers.models import Access, Invitation, Worker
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


class InvitationError(Exception):
    message = gettext_noop("This invitation cannot be used.")

    def __init__(self) -> None:
        super().__init__(self.message)


class UnknownInvitationError(InvitationError):
    message = gettext_noop(
        "There is no such invitation. Check that you copied the whole link, or ask the sender for a new one."
    )


class ExpiredInvitationError(InvitationError):
    message = gettext_noop("This invitation has expired. Ask the sender for a new one.")


class UsedUpInvitationError(InvitationError):
    message = gettext_noop("As many people have joined as this invitation allows. Ask the sender for a new one.")


def invite(
    *,
    project_id: int,
    tasks: Iterable[str] = (),
    trusted: bool = False,
    most: int | None = None,
    days: float | None = None,
    note: str = "",
) -> Invitation:
    """Make an invitation to these tasks, or to all tasks if none is named.

    `trusted`: people who join need no test and no probation. `most`: how many people may join; `days`: how long the
    invitation is valid; None means no limit.
    """
    expires = None if days is None else clock.now() + timedelta(days=days)
    terms = {"trusted": trusted, "most": most, "expires_at": expires, "note": note}
    return Invitation.objects.create(project_id=project_id, tasks=list(tasks), **terms)


def find_invitation(code: str, rows: QuerySet[Invitation] | None = None) -> Invitation:
    """Return the invitation with this code, among `rows` or all invitations.

    Raises the InvitationError that tells why nobody can join by it.
    """
    rows = Invitation.objects.all() if rows is None else rows
    # PostgreSQL takes no text with a null character.
    invitation = rows.filter(code=code).first() if code.isprintable() else None
    if invitation is None:
        raise UnknownInvitationError
    if invitation.expires_at is not None and invitation.expires_at <= clock.now():
        raise ExpiredInvitationError
    if invitation.most is not None and invitation.joined >= invitation.most:
        raise UsedUpInvitationError
    return invitation


def open_invitations(project_id: int) -> QuerySet[Invitation]:
    """Return the invitations by which people can still join the project."""
    lasts = Q(expires_at=None) | Q(expires_at__gt=clock.now())
    return Invitation.objects.filter(lasts, Q(most=None) | Q(joined__lt=F("most")), project=project_id)


@transaction.atomic
def join_project(*, code: str, user: User, all_tasks: Iterable[str]) -> Worker:
    """Give the user's worker access to the invitation's tasks, or to `all_tasks` if the invitation names none.

    Saves a user who has no id yet, so that an account is made only together with its access. A worker who has all
    of this access already is not counted again. Raises InvitationError; nothing is written then.
    """
    # Locked, so that two people cannot take the last place.
    invitation = find_invitation(code, Invitation.objects.select_for_update())
    if user.pk is None:
        user.save()
    worker = worker_for(user)
    tasks = invitation.tasks or list(all_tasks)
    if grant_access(worker, invitation.project_id, tasks, trusted=invitation.trusted):
        invitation.joined += 1
        invitation.save(update_fields=["joined"])
    return worker


def close_invitation(invitation: Invitation) -> None:
    """Let nobody join by this invitation from now on. One that has expired keeps its date."""
    now = clock.now()
    if invitation.expires_at is None or invitation.expires_at > now:
        invitation.expires_at = now
        invitation.save(update_fields=["expires_at"])
