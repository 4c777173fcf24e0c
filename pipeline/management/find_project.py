"""Find the project that a command names."""

from django.core.management.base import CommandError

from annotation.models import Project


def find_project(name: str) -> Project:
    """Return the project. Raises CommandError, with the names of all projects, if there is none of this name."""
    project = Project.objects.filter(name=name).first()
    if project is None:
        names = ", ".join(Project.objects.order_by("name").values_list("name", flat=True)) or "none yet"
        raise CommandError(f"There is no project {name!r}. There are: {names}.")
    return project
