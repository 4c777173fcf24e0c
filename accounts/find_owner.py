"""Find the account that a command names as the owner of a project."""

from django.contrib.auth.models import User
from django.core.management.base import CommandError

from accounts.may import is_of_staff
from workers.models import Worker


def find_owner(name: str) -> User:
    """Return the open account of this name. Raises CommandError if there is none, or if it is only a worker's."""
    user = User.objects.filter(username=name, is_active=True).first()
    if user is None:
        raise CommandError(f"There is no user {name!r}: an administrator adds users at /admin/auth/user/.")
    if not is_of_staff(user) and Worker.objects.filter(user=user).exists():
        raise CommandError(f"{name!r} is a worker's account: name another, or make it a member at /admin/ first.")
    return user
