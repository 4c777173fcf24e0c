"""A virtual crowd that annotates a project through the same functions as people's answers."""

import random
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from annotation.models import Gold, Project
from pipeline.asking.lease_assignment import lease_assignment
from pipeline.asking.read_assignment import Item, items_of
from pipeline.asking.receipt import GivenAnswer, Receipt
from pipeline.asking.submit_assignment import submit_assignment
from pipeline.models import Assignment, KnownQuestion, Progress, Question
from pipeline.policies.adaptive_links import LINK_SECONDS
from pipeline.project.open_questions import open_by_task
from pipeline.project.queries import stream_progress
from pipeline.project.settings_versions import current_settings
from pipeline.protocol.state.progress import ImageProgress
from pipeline.protocol.state.progress_json import from_json
from pipeline.protocol.tasks.task import PROTOCOL_TASKS, Task
from pipeline.settings.table_3 import BATCH, USUAL_SECONDS
from pipeline.tick import tick
from runtime import clock
from simulation.crowd import CROWDS, Crowd
from simulation.view import KnownView, TrueImage, View
from workers.models import Access, Worker

ASSIGNMENTS_PER_ROUND = 20
"""The largest number of assignments of one task between two ticks."""
SECONDS = {task: USUAL_SECONDS[task] / BATCH[task] for task in PROTOCOL_TASKS}
"""Average seconds per judgment [paper table 3], which virtual workers report as their time."""


def seconds_of(view: View | KnownView) -> float:
    """Return the usual seconds of an answer to what is shown: those of a sweep grow with its candidates."""
    if view.task is Task.COREFERENCE_LINK:
        return LINK_SECONDS.of(len(view.subject) - 1)
    return SECONDS[view.task]


class SimulationError(Exception):
    """The project cannot be simulated. The message says why and what to do."""


@dataclass(slots=True)
class RunOutcome:
    """The work of a run. `seconds` is real time; `worker_seconds` is the time that the virtual workers report."""

    judgments: Counter[str] = field(default_factory=Counter)
    """Judgments of real questions, by task."""
    seconds: float = 0.0
    worker_seconds: float = 0.0
    rounds: int = 0


def simulate(
    *,
    project: Project,
    crowd: str,
    seed: int = 0,
    most: int | None = None,
    step: Callable[[int], object] = lambda judgments: None,
) -> RunOutcome:
    """Answer until no question is open, or until about `most` judgments. `step` gets the number of each round.

    The same project, crowd and seed give the same judgments. Raises SimulationError if an image has no gold.
    """
    gold = load_gold(project)
    people = CROWDS[crowd](list(link_images(project, gold)), seed)
    run = CrowdRun(project, gold, people, virtual_workers(project, crowd, people.workers), seed)
    run.until_nothing_is_open(most, step)
    return run.outcome


def load_gold(project: Project) -> dict[int, TrueImage]:
    """Return the gold of every image by its id. Raises SimulationError if an image has none."""
    rows = Gold.objects.filter(image__project=project, complete=True).select_related("image")
    gold = {row.image_id: TrueImage.make(row.image.name, row.image.width, row.image.height, row.chains) for row in rows}
    images = project.images.count()
    if not images:
        raise SimulationError(f"Project {project.name} has no images: import some with --as gold.")
    if len(gold) < images:
        raise SimulationError(
            f"{images - len(gold)} of the {images} images of {project.name} have no gold to answer from: "
            "import the data set with --as gold into a project of its own."
        )
    return gold


def link_images(project: Project, gold: dict[int, TrueImage]) -> Iterator[tuple[TrueImage, list]]:  # type: ignore[type-arg]
    for image, progress in stream_progress(project):
        yield gold[image], [mention.for_links() for mention in progress.mentions.values()]


class CrowdRun:
    """Virtual workers who answer round after round, on a clock of their own; their index is that in the crowd."""

    def __init__(
        self, project: Project, gold: dict[int, TrueImage], crowd: Crowd, workers: Sequence[Worker], seed: int
    ) -> None:
        self.project, self.gold, self.crowd, self.workers = project, gold, crowd, workers
        self.outcome = RunOutcome()
        self.now: datetime = clock.now()
        self.random = random.Random(seed)
        _, self.settings = current_settings(project.id)

    def until_nothing_is_open(self, most: int | None, step: Callable[[int], object]) -> None:
        """Answer until nothing is open, or until about `most` judgments."""
        started = time.perf_counter()
        self.tick()
        while most is None or self.outcome.judgments.total() < most:
            added = self.round()
            self.tick()
            if not added and not self.let_time_pass():
                break
            step(added)
        self.outcome.seconds = time.perf_counter() - started

    def tick(self) -> None:
        tick(project_id=self.project.id, now=self.now)

    def round(self) -> int:
        """Let a few workers per task answer one assignment each. Returns the number of judgments."""
        self.outcome.rounds += 1
        self.now += timedelta(minutes=1)
        return sum(self._answer_task(Task(task), waiting) for task, waiting in self._open())

    def let_time_pass(self) -> bool:
        """Go to the hour at which starved questions are sent to review. Returns False if nothing is open."""
        if not self._open():
            return False
        self.now += timedelta(hours=self.settings.starved_hours + 1)
        before = self._open()
        self.tick()
        if self._open() == before:
            raise SimulationError(f"No virtual worker may answer the open questions: {dict(before)}.")
        return True

    def _open(self) -> list[tuple[str, int]]:
        return sorted(open_by_task(self.project.id).items())

    def _answer_task(self, task: Task, waiting: int) -> int:
        answered = 0
        wanted = min(-(-waiting // self.settings.batch[task.value]), ASSIGNMENTS_PER_ROUND)
        # In random order until the work is taken: a worker may be barred from the remaining questions, and another not.
        for index in self.random.sample(range(len(self.workers)), len(self.workers)):
            worker = self.workers[index]
            assignment = self.lease(worker, task)
            if assignment is not None:
                answered += self._answer(assignment, index)
                wanted -= bool(assignment.questions)
            if wanted == 0:
                break
        return answered

    def lease(self, worker: Worker, task: Task) -> Assignment | None:
        return lease_assignment(project_id=self.project.id, worker_id=worker.id, task=task, now=self.now)

    def _answer(self, assignment: Assignment, worker: int) -> int:
        task = Task(assignment.task)
        views = list(self._views(assignment))
        given = [
            GivenAnswer(self.crowd.answer(view, worker), seconds=seconds_of(view) * self.pace(worker)) for view in views
        ]
        receipt = submit_assignment(
            assignment_id=assignment.id, worker_id=assignment.worker_id, answers=given, now=self.now
        )
        self.outcome.judgments[task.value] += len(receipt.stored)
        self.outcome.worker_seconds += sum(answer.seconds or 0 for answer in given[: receipt.answered])
        self.note(worker, receipt, [(view, reply.answer) for view, reply in zip(views, given, strict=True)])
        return receipt.answered

    def pace(self, worker: int) -> float:
        """Return the time that the worker needs, in usual times."""
        return 1.0

    def note(self, worker: int, receipt: Receipt, answers: Sequence[tuple[View | KnownView, object]]) -> None:
        """Called with a worker's answers to an assignment, in order; for classes that keep them."""

    def _views(self, assignment: Assignment) -> Iterator[View | KnownView]:
        """Yield what the worker is shown, question by question."""
        questions = Question.objects.in_bulk(assignment.questions)
        images = {question.image_id for question in questions.values()}
        states = Progress.objects.filter(image_id__in=images).values_list("image_id", "state")
        progress = {image: from_json(state) for image, state in states}
        for item in items_of(assignment, questions):
            yield self._view(item, progress)

    def _view(self, item: Item, progress: Mapping[int, ImageProgress]) -> View | KnownView:
        image = self.gold[item.image_id]
        if isinstance(item, KnownQuestion):
            return KnownView.of(item, image)
        return View(Task(item.task), item.number, item.subject, progress[item.image_id], image)


def named_workers(crowd: str, count: int) -> list[Worker]:
    """Return the crowd's workers, by name; missing ones are made."""
    names = [f"virtual-{crowd}-{number:03}" for number in range(count)]
    Worker.objects.bulk_create((Worker(name=name, kind=Worker.Kind.VIRTUAL) for name in names), ignore_conflicts=True)
    return list(Worker.objects.filter(name__in=names).order_by("name"))


def virtual_workers(project: Project, crowd: str, count: int) -> list[Worker]:
    """Return the crowd's workers with access to every task of the project; missing ones are made."""
    workers = named_workers(crowd, count)
    Access.objects.bulk_create(
        (
            Access(project_id=project.id, worker_id=worker.id, task=task.value)
            for task in PROTOCOL_TASKS
            for worker in workers
        ),
        ignore_conflicts=True,
    )
    return workers
