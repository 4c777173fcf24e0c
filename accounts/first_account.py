"""Make the first administrator of a new database."""

import secrets

from django.contrib.auth.models import User
from django.core.management.base import CommandError
from django.db import IntegrityError, transaction

from accounts.may import is_of_staff
from runtime.installed import COMMAND
from workers.models import Worker

NAME = "admin"
ANNOUNCEMENT = """
This service had no administrator, so one was made: user {name}, password {password}
Open the address below and sign in. The password is shown only now; to set a new one: {command} changepassword {name}
"""


def make_first_account() -> tuple[str, str] | None:
    """Make an administrator with a random password if there is none. Returns its name and password, else None.

    A user called "admin" who is not an administrator stays as it is: the new account is called "admin-2", or so on.
    """
    if User.objects.filter(is_superuser=True).exists():
        return None
    password = secrets.token_urlsafe(16)
    try:
        with transaction.atomic():
            return User.objects.create_superuser(_free_name(), password=password).get_username(), password
    except IntegrityError:
        return None  # another process made it at the same moment, and shows its password


def first_account_words() -> str | None:
    """Make the first account, and return the lines that show its password once; None: there is an administrator."""
    made = make_first_account()
    return made and ANNOUNCEMENT.format(name=made[0], password=made[1], command=COMMAND)


def _free_name() -> str:
    names = set(User.objects.filter(username__startswith=NAME).values_list("username", flat=True))
    return next(name for name in (NAME, *(f"{NAME}-{n}" for n in range(2, len(names) + 3))) if name not in names)


def find_owner(name: str) -> User:
    """Return the open account of this name. Raises CommandError if there is none, or if it is only a worker's."""
    user = User.objects.filter(username=name, is_active=True).first()
    if user is None:
        raise CommandError(f"There is no user {name!r}: an administrator adds users at /admin/auth/user/.")
    if not is_of_staff(user) and Worker.objects.filter(user=user).exists():
        raise CommandError(f"{name!r} is a worker's account: name another, or make it a member at /admin/ first.")
    return user
