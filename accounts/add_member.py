"""Make a user a member of a project, or give a member another role."""

from django.contrib.auth.models import User

from accounts.models import Membership, Role
from annotation.models import Project


def add_member(user: User, project: Project, role: Role) -> Membership:
    """Return the user's membership with this role. It gives no right outside of the project."""
    return Membership.objects.update_or_create(user=user, project=project, defaults={"role": role})[0]
