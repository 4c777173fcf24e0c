"""Find the account that a command names as the owner of a project."""

from django.contrib.auth.models import User

from members.may import is_of_staff
from workers.models import Worker


class OwnerError(Exception):
    """The account cannot be made a requester by a command; the message says why."""


def find_owner(name: str) -> User:
    """Return the open account of this name. Raises OwnerError if there is none, or if it is only a worker's."""
    user = User.objects.filter(username=name, is_active=True).first()
    if user is None:
        raise OwnerError(f"There is no user {name!r}: an administrator adds users at /admin/auth/user/.")
    if not is_of_staff(user) and Worker.objects.filter(user=user).exists():
        raise OwnerError(f"{name!r} is a worker's account: name another, or make it a member at /admin/ first.")
    return user
