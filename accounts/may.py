"""The one place that decides who may do what: pages, forms, exports, admin lists and the API ask it."""

from enum import StrEnum
from pathlib import PurePosixPath
from typing import Any

from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.db.models import BigIntegerField, QuerySet, Value

from accounts.models import BorrowedPictures, Membership, Right, RightKind, Role
from annotation.models import Image, Project
from runtime.database import PreparedQuery, Slot
from workers.models import Access

User = AbstractBaseUser | AnonymousUser


class Action(StrEnum):
    """Kinds of actions in a project, each with the roles that may do it."""

    LOOK = "look"
    """Open the gallery's pages: images, pictures, statistics, chains in review."""
    EXPORT = "export"
    """Download the annotation of finished images."""
    READ_RECORD = "read the record"
    """Read who answered what, on the admin pages and in the JSON Lines export."""
    REVIEW = "review"
    """Correct images as an expert."""
    MANAGE = "manage"
    """Everything else: settings, members, workers, verification questions, money, recruiting, deleting."""


ALLOWED: dict[str, frozenset[Action]] = {
    Role.VIEWER: frozenset({Action.LOOK, Action.EXPORT}),
    Role.REVIEWER: frozenset({Action.LOOK, Action.EXPORT, Action.READ_RECORD, Action.REVIEW}),
    Role.REQUESTER: frozenset(Action),
}
PUBLIC = frozenset({Action.LOOK, Action.EXPORT})
"""Actions that everybody may take in every project if GALLERY_PUBLIC is on."""


def _roles_and_rights() -> "QuerySet[Any, tuple[int, str]]":
    """Select pairs of a project and a role, and of 0 and a right."""
    roles = Membership.objects.filter(user=Slot("user")).order_by().values_list("project_id", "role")
    no_project = Value(0, output_field=BigIntegerField())
    rights = Right.objects.filter(user=Slot("user")).order_by().values_list(no_project, "kind")
    return roles.union(rights, all=True)


READ = PreparedQuery(_roles_and_rights)
"""The roles and rights of a user, which nearly every request of a member asks for."""


def may(user: User, action: Action, project: Project | int) -> bool:
    """Tell whether the user may do this in the project, which is given as a row or as an id."""
    ids = project_ids(user, action)
    return ids is None or (project if isinstance(project, int) else project.pk) in ids


def may_somewhere(user: User, action: Action) -> bool:
    """Tell whether the user may do this in some project, or is an administrator."""
    ids = project_ids(user, action)
    return ids is None or bool(ids)


def projects_for(user: User, action: Action) -> QuerySet[Project]:
    """Select the projects in which the user may do this."""
    ids = project_ids(user, action)
    return Project.objects.all() if ids is None else Project.objects.filter(pk__in=ids)


def project_ids(user: User, action: Action) -> set[int] | None:
    """Return the ids of the projects in which the user may do this; None: in every project."""
    if is_administrator(user) or (settings.GALLERY_PUBLIC and action in PUBLIC):
        return None
    return {project_id for project_id, role in _roles(user).items() if action in ALLOWED[role]}


def may_see_picture(user: User, image: Image) -> bool:
    """Tell whether the user may see the picture: of a survey not, if it is that of a project closed to the user."""
    if not may(user, Action.LOOK, image.project_id):
        return False
    closed = closed_sources(user, image.project) if image.project.survey and image.picture else []
    if Project.objects.filter(pk__in=closed, away__isnull=False).exists():
        return False  # its images are in an archive, so that nothing tells which pictures are its own
    names = {image.name, PurePosixPath(image.name).stem}
    return not (closed and Image.objects.filter(project__in=closed, name__in=names, picture=image.picture).exists())


def may_borrow_pictures(user: User, source: Project) -> bool:
    """Tell whether the user may make a survey about the pictures of this project."""
    return may(user, Action.LOOK, source) and not (source.survey and closed_sources(user, source))


def closed_sources(user: User, survey: Project) -> list[int]:
    """Return the ids of the projects of which the survey has pictures and at which the user may not look."""
    sources = BorrowedPictures.objects.filter(project=survey).values_list("source", flat=True)
    return [source for source in sources if not may(user, Action.LOOK, source)]


def may_make_projects(user: User) -> bool:
    """Tell whether the user may make projects, whose requester the user becomes. No role in a project allows it."""
    return has_right(user, RightKind.PROJECTS)


def may_read_folders(user: User) -> bool:
    """Tell whether the user may import from the folders and buckets that IMPORT_SOURCES names."""
    return has_right(user, RightKind.FOLDERS)


def may_enter_admin(user: User) -> bool:
    """Tell whether the user may enter the admin pages. What is seen there follows from the user's roles."""
    return has_right(user, RightKind.ADMIN)


def has_right(user: User, kind: RightKind) -> bool:
    """Tell whether an administrator gave the user this right, or the user is an administrator."""
    return is_administrator(user) or kind.value in _rights(user)


def has_some_right(user: User) -> bool:
    """Tell whether an administrator gave the user any right, or the user is an administrator."""
    return is_administrator(user) or bool(_rights(user))


def is_of_staff(user: User) -> bool:
    """Tell whether the account can do more than a worker's: it is a member's, has a right, or is an administrator's."""
    return has_some_right(user) or bool(_roles(user))


def roles_for(action: Action) -> str:
    """Return the roles that allow this, in words: "requester or reviewer"."""
    return " or ".join(role.value for role in Role if action in ALLOWED[role])


def tasks_open_to(worker_id: int, project_id: int) -> set[str]:
    """Return the tasks of the project that a worker may answer. Workers have accesses where users have roles.

    `pipeline.asking.admission` reads the same table, in the one statement that begins an assignment.
    """
    return set(Access.objects.filter(worker=worker_id, project=project_id).values_list("task", flat=True))


def is_administrator(user: User) -> bool:
    """Tell whether the user may do everything."""
    return bool(user.is_active and getattr(user, "is_superuser", False))


def _roles(user: Any) -> dict[int, str]:
    """Return the user's role in each project."""
    roles: dict[int, str] = _read(user)[0]
    return roles


def _rights(user: Any) -> set[str]:
    """Return the user's rights outside of projects."""
    rights: set[str] = _read(user)[1]
    return rights


def _read(user: Any) -> tuple[dict[int, str], set[str]]:
    """Return roles and rights, read by one statement for each user object, which lives as long as a request."""
    if not user.is_authenticated or not user.is_active:
        return {}, set()
    if not hasattr(user, "_may_read"):
        rows = READ.run(user=user.pk)
        kinds = {kind for project, kind in rows if not project}
        user._may_read = {project: role for project, role in rows if project}, kinds
    read: tuple[dict[int, str], set[str]] = user._may_read
    return read
