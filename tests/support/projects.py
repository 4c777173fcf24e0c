"""Small projects for tests of verbs: images whose captions are one phrase each, and workers who answer."""

from collections.abc import Callable, Collection, Iterable
from typing import Any

from annotation.models import Project
from annotation.rules.box import Box
from exchange.dataset import DatasetBox, DatasetChain, DatasetImage, DatasetMention
from exchange.import_image import import_image
from exchange.split_captions import joined_caption
from pipeline.asking.lease_assignment import lease_assignment
from pipeline.asking.receipt import GivenAnswer, Receipt
from pipeline.asking.submit_assignment import submit_assignment
from pipeline.models import Assignment, Question
from pipeline.project.queries import tasks_of
from pipeline.project.settings_versions import current_settings, open_project
from pipeline.protocol.tasks.task import Task
from pipeline.settings.settings import Settings
from pipeline.tick import tick
from workers.models import Access, Worker

WIDTH, HEIGHT = 200, 100


def phrases(
    *texts: str, name: str = "1", chains: Collection[str] = (), boxes: Iterable[DatasetBox] = ()
) -> DatasetImage:
    """Make an image with a caption for each text, as in "type/type: some words"; its words are its only mention.

    `chains`: the gold chain of each mention, in order.
    """
    captions, mentions = [], []
    for number, text in enumerate(texts):
        types, _, said = text.partition(": ")
        words = tuple(said.split())
        captions.append(joined_caption(words))
        chain = list(chains)[number] if chains else None
        mentions.append(DatasetMention(number, 0, len(words), tuple(types.split("/")), chain))
    known = tuple(DatasetChain(chain) for chain in dict.fromkeys(chains))
    return DatasetImage(name, WIDTH, HEIGHT, tuple(captions), tuple(mentions), known, tuple(boxes))


def alike(text: str, count: int, *, name: str = "1") -> DatasetImage:
    """Make an image with one caption, which says the phrase, as in `phrases`, so many times."""
    types, _, said = text.partition(": ")
    words = said.split()
    starts = range(0, count * len(words), len(words))
    mentions = tuple(DatasetMention(0, start, start + len(words), tuple(types.split("/")), None) for start in starts)
    return DatasetImage(name, WIDTH, HEIGHT, (joined_caption(tuple(words * count)),), mentions, (), ())


def project_of(
    *images: DatasetImage,
    name: str = "small",
    settings: Settings | None = None,
    pictures: bool = True,
    gold: bool = False,
) -> Project:
    """Make a project of these images, with its first questions open. There are no picture files, only names."""
    project = open_project(name=name, settings=settings)
    version, _ = current_settings(project.id)
    for position, image in enumerate(images):
        picture = f"{image.name}.jpg" if pictures else ""
        import_image(project, position, image, picture=picture, gold=gold, settings_version=version)
    tick(project_id=project.id)
    return project


def worker(project: Project, name: str, *tasks: Task, kind: Worker.Kind = Worker.Kind.PERSON) -> Worker:
    """Make a worker who may do these tasks, or all tasks if none is named."""
    made, _ = Worker.objects.get_or_create(name=name, defaults={"kind": kind})
    allowed = [Access(project=project, worker=made, task=task.value) for task in tasks or tasks_of(project)]
    Access.objects.bulk_create(allowed, ignore_conflicts=True)
    return made


def lease(project: Project, who: Worker, task: Task, **options: Any) -> Assignment:
    """Lease an assignment; fails if there is none."""
    assignment = lease_assignment(project_id=project.id, worker_id=who.id, task=task, **options)
    assert assignment is not None, f"nothing to lease of {task}"
    return assignment


def submit(assignment: Assignment, *answers: Any, **options: Any) -> Receipt:
    """Submit answers to the assignment's questions in order; the rest are left out."""
    given = {question: GivenAnswer(answer) for question, answer in zip(assignment.questions, answers, strict=False)}
    return submit_assignment(assignment_id=assignment.id, worker_id=assignment.worker_id, answers=given, **options)


def answer(project: Project, who: Worker, task: Task, *answers: Any) -> Receipt:
    """Lease as many questions as there are answers, answer them, and let the answers act."""
    receipt = submit(lease(project, who, task, size=len(answers)), *answers)
    tick(project_id=project.id)
    return receipt


def answer_all(project: Project, said: Callable[[Question], Any]) -> None:
    """Let a new worker answer each question that is open, until none is: what is said of the question."""
    for number in range(30):
        if (left := Question.objects.filter(project=project, state="open").first()) is None:
            return
        answer(project, worker(project, f"worker {number}"), Task(left.task), said(left))
    raise AssertionError("questions are still open")


def box(x0: int, y0: int, x1: int, y1: int) -> dict[str, list[int]]:
    """Return the answer of a worker who draws this box."""
    return {"box": list(Box(x0, y0, x1, y1))}


NONE_MISSING = {"none_missing": True}


def states(project: Project, task: Task | None = None) -> list[str]:
    """Return the states of the project's questions, oldest first."""
    rows = Question.objects.filter(project=project).order_by("id")
    return list((rows.filter(task=task.value) if task else rows).values_list("state", flat=True))
