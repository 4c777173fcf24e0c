"""Invitations: links by which people join a project."""

from collections.abc import Iterable
from datetime import timedelta

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.utils.translation import gettext_noop

from runtime import clock
from workers.grant_access import grant_access, worker_for
from workers.models import Invitation, Worker


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
