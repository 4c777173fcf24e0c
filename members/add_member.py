"""Make a user a member of a project, or give a member another role."""

from django.contrib.auth.models import User
from django.db import transaction

from annotation.models import Project
from members.models import Membership, Role


@transaction.atomic
def add_member(user: User, project: Project, role: Role) -> Membership:
    """Return the user's membership with this role. The user becomes staff, so that /admin/ lets the user sign in."""
    let_sign_in(user)
    return Membership.objects.update_or_create(user=user, project=project, defaults={"role": role})[0]


def let_sign_in(user: User) -> None:
    """Mark the user as staff. This alone shows no project: memberships do."""
    User.objects.filter(pk=user.pk, is_staff=False).update(is_staff=True)
