"""Projects that pay, and work done in them."""

from typing import Any

from annotation.models import Project
from pipeline.models import Assignment
from pipeline.protocol.tasks.task import PROTOCOL_TASKS, Task
from pipeline.settings.settings import Settings
from tests.support.projects import alike, lease, project_of, submit
from workers.models import Worker

ASK = Task.BOX_REQUIREMENT
REWARD = 50
"""Cents for a full assignment of ten questions: 5 each."""


def paying(images: int = 12, name: str = "small", *, each: int = 1, **settings: Any) -> Project:
    """Make a project of dogs, `each` of them in every image. Each opens one box requirement."""
    rewards = dict.fromkeys((task.value for task in PROTOCOL_TASKS), REWARD)
    given = Settings(**{"reward_cents": rewards, **settings})
    return project_of(
        *(alike("animals: a dog", each, name=str(number)) for number in range(images)), name=name, settings=given
    )


def work(project: Project, who: Worker, questions: int = 2, answer: Any = 3, **options: Any) -> Assignment:
    """Submit an assignment; nothing has acted on its answers yet."""
    assignment = lease(project, who, ASK, size=questions, **options)
    submit(assignment, *[answer] * questions, **options)
    assignment.refresh_from_db()
    return assignment
