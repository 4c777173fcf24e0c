"""A project whose six tasks begin with a test with examples, and whose pictures a browser can show."""

from typing import Any

from annotation.models import Caption, Image, Project
from pipeline.gold_questions.known_questions import key_of
from pipeline.models import KnownQuestion
from pipeline.protocol.tasks.task import PROTOCOL_TASKS, Task
from pipeline.settings.settings import Settings
from tests.support.pictures import encoded
from tests.support.projects import phrases, project_of
from tests.support.six_tasks import ground, show

Purpose = KnownQuestion.Purpose
BOX, OTHER = [20, 20, 90, 90], [110, 30, 170, 80]
TRUTHS: dict[Task, tuple[Any, Any]] = {
    Task.COREFERENCE_LINK: ("same", "different"),
    Task.CHAIN_VERIFICATION: ("true", "false"),
    Task.BOX_REQUIREMENT: (1, 3),
    Task.BOX_DRAWING: ([BOX], []),
    Task.BOX_QUALITY: ("good", "bad"),
    Task.BOX_COVERAGE: ("all there", "more needed"),
}
WHY = ("This is how the phrase is meant in this picture.", "Look again: here the phrase means something else.")


def being_tested(tests: int = 2, stock: int = 30) -> Project:
    """Make a project with two examples of each task, and questions for tests and for verification."""
    project = project_of(phrases("people: a man", "people: the man", name="1"), settings=Settings(test_questions=2))
    add_known(project, tests, stock)
    return project


def add_known(project: Project, tests: int = 2, stock: int = 30) -> None:
    """Add the examples and questions to an existing project."""
    for task in PROTOCOL_TASKS:
        for purpose, count in ((Purpose.EXAMPLE, 2), (Purpose.TEST, tests), (Purpose.VERIFICATION, stock)):
            _add(project, task, purpose, count)
    show(project, encoded(ground(200, 100), "JPEG"))


def _add(project: Project, task: Task, purpose: str, count: int) -> None:
    first = 1000 + project.images.count()
    size = {"width": 200, "height": 100}
    images = Image.objects.bulk_create(
        Image(project=project, name=f"{task.value}-{purpose}-{number}", position=first + number, **size)
        for number in range(count)
    )
    Caption.objects.bulk_create(
        Caption(image=image, number=number, text=text, words=text.split(), offsets=_offsets(text))
        for image in images
        for number, text in enumerate(("a man waits", "the tourist waits"))
    )
    place = {"project": project, "task": task.value, "purpose": purpose, "source": "expert"}
    rows = []
    for number, image in enumerate(images):
        shown = _shown(task, number % 2)
        values = {"shown": shown, "truth": TRUTHS[task][number % 2], "explanation": WHY[number % 2]}
        rows.append(KnownQuestion(image=image, key=key_of(image.pk, shown), **place, **values))
    KnownQuestion.objects.bulk_create(rows)


def _shown(task: Task, number: int) -> dict[str, Any]:
    mentions = [[0, 0, 0, 2], [1, 1, 0, 2]]
    pair = task in (Task.COREFERENCE_LINK, Task.CHAIN_VERIFICATION)
    boxes = [OTHER] if task in (Task.BOX_DRAWING, Task.BOX_COVERAGE) and number else []
    new = BOX if task is Task.BOX_QUALITY else None
    return {"mentions": mentions if pair else mentions[:1], "boxes": boxes, "new_box": new}


def _offsets(text: str) -> list[int]:
    words = text.split()
    return [sum(len(word) + 1 for word in words[:place]) for place in range(len(words))]
