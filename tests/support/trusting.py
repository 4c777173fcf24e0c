"""Projects with a stock of verification questions, and workers who answer them right or wrong, as a test wants."""

from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Any

from annotation.models import Caption, Image, Project
from pipeline.asking.lease_assignment import lease_assignment
from pipeline.asking.read_assignment import items_of
from pipeline.asking.receipt import GivenAnswer, Receipt
from pipeline.asking.submit_assignment import submit_assignment
from pipeline.gold_questions.known_questions import key_of
from pipeline.models import Assignment, KnownQuestion, Question
from pipeline.protocol.tasks.task import Task
from pipeline.record.read_record import replay
from pipeline.settings.settings import Settings
from pipeline.tick import tick
from runtime import clock
from tests.support.projects import phrases, project_of
from workers.invitations import grant_access
from workers.models import Worker

ASK = Task.BOX_REQUIREMENT
VERIFICATION, TEST = KnownQuestion.Purpose.VERIFICATION, KnownQuestion.Purpose.TEST
WRONG = {1: 3, 3: 1, "good": "bad", "bad": "good"}


def kennel(
    dogs: int, *, stock: int = 0, tests: int = 0, settings: Settings | None = None, name: str = "small"
) -> Project:
    """Make a project of dogs that each open one box requirement, with a stock of the same question."""
    images = [phrases("animals: a dog", name=f"{name}-{number}") for number in range(dogs)]
    project = project_of(*images, settings=settings, name=name)
    add_stock(project, stock, VERIFICATION)
    add_stock(project, tests, TEST)
    return project


def add_stock(project: Project, count: int, purpose: str = VERIFICATION, task: Task = ASK) -> list[KnownQuestion]:
    """Add verification questions, each of an image of its own. The right answers are 1 and 3 in turn."""
    before = KnownQuestion.objects.filter(project=project).count()
    places = range(10_000 + before, 10_000 + before + count)
    drawn = {"project": project, "width": 200, "height": 100, "picture": "x.jpg"}
    images = Image.objects.bulk_create(Image(name=f"known-{place}", position=place, **drawn) for place in places)
    Caption.objects.bulk_create(
        Caption(image=image, number=0, text="a dog", words=["a", "dog"], offsets=[0, 2]) for image in images
    )
    rows = []
    for number, image in enumerate(images, before):
        shown: dict[str, Any] = {"mentions": [[0, 0, 0, 2]], "boxes": [], "new_box": None}
        values = {"project": project, "task": task.value, "image": image, "shown": shown, "purpose": purpose}
        rows.append(KnownQuestion(**values, truth=1 + 2 * (number % 2), key=key_of(image.pk, shown), source="expert"))
    return KnownQuestion.objects.bulk_create(rows)


def newcomer(project: Project, name: str, *tasks: Task) -> Worker:
    """Make a worker who was invited, and is not trusted yet."""
    made = Worker.objects.create(name=name)
    grant_access(made, project.pk, [task.value for task in tasks or (ASK,)], trusted=False)
    return made


def ask(project: Project, who: Worker, *, now: datetime | None = None, task: Task = ASK) -> Assignment | None:
    return lease_assignment(project_id=project.pk, worker_id=who.pk, task=task, now=now)


def given_to(project: Project, who: Worker, *, now: datetime | None = None, task: Task = ASK) -> Assignment:
    """Return the assignment that the worker gets; there has to be one."""
    found = ask(project, who, now=now, task=task)
    assert found is not None
    return found


def hand_in(
    assignment: Assignment, *, right: Callable[[int], bool] | bool = True, real: Any = 1, now: datetime | None = None
) -> Receipt:
    """Answer every question and submit the assignment.

    `right`: whether the verification question with this id is answered right; `real`: the answer to real questions.
    """
    replies: list[GivenAnswer | None] = []
    questions = Question.objects.in_bulk(assignment.questions)
    for item in items_of(assignment, questions):
        if isinstance(item, KnownQuestion):
            good = right if isinstance(right, bool) else right(item.pk)
            replies.append(GivenAnswer(item.truth if good else WRONG[item.truth], seconds=3.0))
        else:
            replies.append(GivenAnswer(real, seconds=3.0))
    return submit_assignment(
        assignment_id=assignment.pk, worker_id=assignment.worker_id, answers=replies, now=now or clock.now()
    )


def differences(project: Project) -> list[str]:
    """Return the differences between what is stored and a replay. The stock's own images have no record."""
    return [str(one) for one in replay(project) if not one.image.startswith("known-")]


def work(
    project: Project, who: Worker, assignments: int, *, right: Callable[[int], bool] | bool = True, real: Any = 1
) -> Iterable[Receipt]:
    """Do several assignments in turn; the answers of each act before the next is leased."""
    receipts = []
    for _ in range(assignments):
        assignment = ask(project, who)
        assert assignment is not None, "nothing to lease"
        receipts.append(hand_in(assignment, right=right, real=real))
        tick(project_id=project.pk)
    return receipts
