"""The tasks that a project asks: the paper's six, or the one of a survey."""

from collections.abc import Collection, Iterable

from annotation.models import Project
from pipeline.errors import PipelineError
from pipeline.protocol.tasks.task import PROTOCOL_TASKS, Task


class NotAskedError(PipelineError):
    """The project does not ask this task."""


def tasks_of(project: Project) -> tuple[Task, ...]:
    """Return the tasks that the project asks, in the order of `Task`."""
    return (Task(project.survey),) if project.survey else PROTOCOL_TASKS


def tasks_of_id(project_id: int) -> tuple[Task, ...]:
    """Return the tasks that the project with this id asks."""
    return tasks_of(Project.objects.only("survey").get(id=project_id))


def chosen_tasks(project: Project, names: Iterable[str]) -> tuple[Task, ...]:
    """Return the named ones of the project's tasks, or all of them if none is named.

    Raises NotAskedError, which names the project's tasks, if it does not ask one of these.
    """
    asked, wanted = tasks_of(project), list(names)
    refuse_others(project, wanted)
    return tuple(task for task in asked if not wanted or task.value in wanted)


def refuse_others(project: Project, names: Collection[str]) -> None:
    """Raise NotAskedError if the project does not ask one of the named tasks."""
    asked = tasks_of(project)
    others = sorted(set(names) - {task.value for task in asked})
    if others:
        raise NotAskedError(
            f"The project {project.name!r} does not ask {', '.join(others)}. "
            f"It asks {', '.join(task.value for task in asked)}."
        )
