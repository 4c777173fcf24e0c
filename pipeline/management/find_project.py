"""Find the project that a command names."""

from django.core.management.base import CommandError

from annotation.archived import describe_archived_to_operators
from annotation.models import Project


def find_project(name: str, *, archived: bool = False) -> Project:
    """Return the project. Raises CommandError, with the names of all projects, if there is none of this name.

    `archived`: the command needs none of its images, which may be in an archive; the others are refused then.
    """
    project = Project.objects.filter(name=name).first()
    if project is None:
        names = ", ".join(Project.objects.order_by("name").values_list("name", flat=True)) or "none yet"
        raise CommandError(f"There is no project {name!r}. There are: {names}.")
    if project.away is not None and not archived:
        raise CommandError(describe_archived_to_operators(project))
    return project
