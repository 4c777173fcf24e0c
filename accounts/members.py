"""Members of a project: invited for a name or an address, given another role, removed.

No account is looked up before somebody accepts: an invitation tells nobody which accounts exist. A project never loses
its last requester.
"""

import secrets
from datetime import timedelta

from django.contrib.auth.models import AnonymousUser, User
from django.db import transaction

from accounts.may import Action, may
from accounts.models import MemberInvitation, Membership, Role
from annotation.models import Project
from runtime import clock

DAYS = 14
MOST_OPEN = 200
"""Invitations of one project that nobody has accepted yet."""


class MemberInvitationError(Exception):
    """The invitation does not count: it is unknown, expired, withdrawn, or for another account."""


class TooManyInvitationsError(Exception):
    """The project has too many invitations that nobody has accepted."""

    def __init__(self) -> None:
        super().__init__(f"{MOST_OPEN} invitations are open: withdraw some before you make more.")


@transaction.atomic
def invite_member(project: Project, to: str, role: Role, *, by: User) -> MemberInvitation:
    """Make an invitation for two weeks; one for the same name or address takes the place of the one before.

    Raises TooManyInvitationsError.
    """
    Project.objects.select_for_update().get(pk=project.pk)
    MemberInvitation.objects.filter(project=project, expires_at__lte=clock.now()).delete()
    MemberInvitation.objects.filter(project=project, to=to).delete()
    if MemberInvitation.objects.filter(project=project).count() >= MOST_OPEN:
        raise TooManyInvitationsError
    return MemberInvitation.objects.create(
        project=project,
        to=to,
        role=role,
        code=secrets.token_urlsafe(24),
        made_by=by,
        expires_at=clock.now() + timedelta(days=DAYS),
    )


def open_invitations(project: Project) -> list[MemberInvitation]:
    """Return the project's invitations that still count, the newest first."""
    rows = MemberInvitation.objects.filter(project=project, expires_at__gt=clock.now()).select_related("made_by")
    return [row for row in rows.order_by("-id") if may(row.made_by, Action.MANAGE, project)]


def find_invitation(code: str, user: User | AnonymousUser) -> MemberInvitation:
    """Return the invitation that this account may accept. Raises MemberInvitationError.

    One for a name is for that account alone; one for an address is for whoever has the link.
    """
    row = MemberInvitation.objects.select_related("project", "made_by").filter(code=code).first()
    counts = row is not None and row.expires_at > clock.now() and may(row.made_by, Action.MANAGE, row.project_id)
    if row is None or not counts or not (is_address(row.to) or _names(row, user)):
        raise MemberInvitationError(
            "This invitation does not count: it expired, was withdrawn, or is for another account."
        )
    return row


def _names(row: MemberInvitation, user: User | AnonymousUser) -> bool:
    """Tell whether the invitation names this account. Whoever chose the name later is somebody else."""
    return isinstance(user, User) and row.to == user.get_username() and user.date_joined <= row.made_at


def invitations_of(user: User) -> list[MemberInvitation]:
    """Return the invitations that name this account. Those to an address are found by their link alone."""
    rows = MemberInvitation.objects.filter(to=user.get_username(), expires_at__gt=clock.now())
    found = rows.select_related("project", "made_by").order_by("id")
    mine = (row for row in found if not is_address(row.to) and _names(row, user))
    return [row for row in mine if may(row.made_by, Action.MANAGE, row.project_id)]


@transaction.atomic
def accept_invitation(code: str, user: User) -> Membership:
    """Make the user a member, once. A member keeps the present role. Raises MemberInvitationError."""
    invitation = find_invitation(code, user)
    if not MemberInvitation.objects.filter(pk=invitation.pk).delete()[0]:
        raise MemberInvitationError("This invitation was used or withdrawn in this moment.")
    made = {"role": invitation.role}
    return Membership.objects.get_or_create(user=user, project=invitation.project, defaults=made)[0]


def is_address(to: str) -> bool:
    """Tell whether an invitation is to an e-mail address. A name with an @ is taken for one."""
    return "@" in to


def add_member(user: User, project: Project, role: Role) -> Membership:
    """Return the user's membership with this role. It gives no right outside of the project."""
    return Membership.objects.update_or_create(user=user, project=project, defaults={"role": role})[0]


class LastRequesterError(Exception):
    """The member is the last requester, without whom nobody could manage the project."""

    def __init__(self) -> None:
        super().__init__("This is the project's last requester: make another member requester first.")


@transaction.atomic
def change_role(member: Membership, role: Role) -> None:
    """Give the member this role. Raises LastRequesterError, and Membership.DoesNotExist if it is gone meanwhile."""
    row = _locked(member)
    if role != Role.REQUESTER:
        _refuse_last(row)
    row.role = role
    row.save(update_fields=["role"])


@transaction.atomic
def remove_member(member: Membership) -> None:
    """Remove the member, and every right that stood on the membership. Raises what `change_role` raises."""
    row = _locked(member)
    _refuse_last(row)
    row.delete()


def _locked(member: Membership) -> Membership:
    """Return the row as it is now. Two requesters who remove each other wait for each other here."""
    Project.objects.select_for_update().get(pk=member.project_id)
    return Membership.objects.select_for_update().get(pk=member.pk)


def _refuse_last(row: Membership) -> None:
    others = Membership.objects.filter(project=row.project_id, role=Role.REQUESTER, user__is_active=True)
    if row.role == Role.REQUESTER and not others.exclude(pk=row.pk).exists():
        raise LastRequesterError
