"""Give a member another role, or remove a member; a project never loses its last requester this way."""

from django.contrib.auth.models import User
from django.db import transaction

from accounts.models import Membership, Role
from annotation.models import Project


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
