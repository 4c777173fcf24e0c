"""Rights of accounts outside of projects: given, taken back, and listed for administrators."""

from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Prefetch, Q

from accounts.models import BorrowedPictures, Membership, Right, RightKind
from annotation.models import Project
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
