"""The one place that decides who may do what in a project: pages, forms, exports, admin lists and the API ask it."""

from enum import StrEnum
from typing import Any

from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.db.models import QuerySet

from annotation.models import Project
from members.models import Membership, Role
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


def may_make_projects(user: User) -> bool:
    """Tell whether the user may make projects: every signed-in staff user; the maker becomes a project's requester."""
    return bool(user.is_active and (getattr(user, "is_staff", False) or is_administrator(user)))


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
    """Return the user's role in each project. Read once for each user object, which lives as long as a request."""
    if not user.is_authenticated or not user.is_active:
        return {}
    if not hasattr(user, "_roles_read"):
        user._roles_read = dict(Membership.objects.filter(user=user.pk).values_list("project_id", "role"))
    roles: dict[int, str] = user._roles_read
    return roles
