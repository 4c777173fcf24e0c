"""Rights of accounts outside of projects: given, taken back, listed; and the first administrator of a new database."""

import secrets
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.core.management.base import CommandError
from django.db import IntegrityError, transaction
from django.db.models import Prefetch, Q

from accounts.may import is_of_staff
from accounts.models import BorrowedPictures, Membership, Right, RightKind
from annotation.models import Project
from runtime.installed import COMMAND
from workers.models import Worker


@dataclass(frozen=True)
class Account:
    """An account that is more than a worker's, as the page of rights shows it."""

    user: User
    rights: dict[str, list[Right]]
    memberships: list[Membership]
    works: bool
    """The account also answers questions."""

    @property
    def has_rights(self) -> bool:
        """Tell whether an administrator gave it any right."""
        return any(self.rights.values())


def give_right(user: User, kind: RightKind, *, by: User | None, membership: Membership | None = None) -> Right:
    """Give the account the right. `membership`: the one with which it ends; None: it stays until it is taken back."""
    return Right.objects.get_or_create(user=user, kind=kind.value, membership=membership, defaults={"given_by": by})[0]


@transaction.atomic
def take_right(user: User, kind: RightKind) -> bool:
    """Take the right back, whatever it stood on. Returns False if the account did not have it."""
    return Right.objects.filter(user=user, kind=kind.value).delete()[0] > 0


def accounts_of_staff() -> list[Account]:
    """Return administrators, members and accounts with rights, by name; each with what it may do and where."""
    rights = Prefetch("rights", Right.objects.select_related("membership__project", "given_by"))
    memberships = Prefetch("memberships", Membership.objects.select_related("project").order_by("project__name"))
    some = Q(is_superuser=True) | Q(memberships__isnull=False) | Q(rights__isnull=False)
    users = list(User.objects.filter(some).distinct().prefetch_related(rights, memberships).order_by("username"))
    working = set(Worker.objects.filter(user__in=users, closed_at=None).values_list("user_id", flat=True))
    return [_account(user, works=user.pk in working) for user in users]


def _account(user: User, *, works: bool) -> Account:
    found: dict[str, list[Right]] = {kind.value: [] for kind in RightKind}
    for right in user.rights.all():  # type: ignore[attr-defined]
        found[right.kind].append(right)
    return Account(user, found, list(user.memberships.all()), works)  # type: ignore[attr-defined]


@transaction.atomic
def borrow_pictures(project: Project, source: Project) -> None:
    """Note it for the source and for every project of which the source has pictures itself."""
    of_source = BorrowedPictures.objects.filter(project=source).values_list("source", flat=True)
    for project_id in (source.pk, *of_source):
        BorrowedPictures.objects.get_or_create(project=project, source_id=project_id)


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
