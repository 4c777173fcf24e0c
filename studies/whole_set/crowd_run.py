"""The crowd at work on the whole set: in rounds like any simulation, or in threads beside job runners."""

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from random import Random

from django.db import connection

from annotation.models import Image, Project
from annotation.rules.states import ImageState
from pipeline.asking.lease_assignment import lease_questions
from pipeline.asking.receipt import Given
from pipeline.asking.submit_assignment import submit_assignment
from pipeline.jobs import hint
from pipeline.models import Assignment, Progress, Question
from pipeline.project.open_questions import open_by_task
from pipeline.protocol.state.progress_json import from_json
from pipeline.protocol.tasks.task import JUDGING, PROTOCOL_TASKS, QuestionState, Task
from runtime import clock
from simulation.crowd import Crowd
from simulation.programs import SimulatedModel
from simulation.simulate import SECONDS, Run
from simulation.view import View
from studies.whole_set.made_set import MadeSet
from studies.whole_set.meter import Meter
from workers.models import Worker

THREADS = 3
"""Connections of the crowd to PostgreSQL: while one waits for the disk, another works."""
REST = 0.2
"""Seconds before a task of which nothing was open is asked for again."""
LOOK = 1.0
"""Seconds between two looks at the progress."""
TIMES = {Task.COREFERENCE_LINK: 1}
OTHERS = 3
"""Assignments of a task that a thread takes in its turn: fewer of links, so that begun images come first."""
AT_ONCE = 50
"""Questions that the model annotator is asked at once."""


class WholeRun(Run):
    """A run at the real time, with gold that takes no memory for an image, and measured verbs."""

    def __init__(
        self, project: Project, made: MadeSet, crowd: Crowd, workers: Sequence[Worker], seed: int, meter: Meter
    ) -> None:
        super().__init__(project, {}, crowd, workers, seed)
        self.made, self.meter, self.seed = made, meter, seed
        self.model_annotator: tuple[Worker, SimulatedModel] | None = None
        """The model annotator beside the crowd."""

    @property
    def now(self) -> datetime:  # type: ignore[override]
        return clock.now()

    @now.setter
    def now(self, at: datetime) -> None:
        """Time passes by itself."""

    def round(self) -> int:
        return self.let_model_answer() + super().round()

    def let_model_answer(self) -> int:
        """Let the program answer what it is asked now, each task once. Returns the number of its answers."""
        if self.model_annotator is None:
            return 0
        program, answers = self.model_annotator[0], 0
        for task in sorted(JUDGING):
            assignment = self._lease(program, task, AT_ONCE)
            answers += self._submit(assignment, -1) if assignment else 0
        return answers

    def lease(self, worker: Worker, task: Task) -> Assignment | None:
        return self._lease(worker, task)

    def _lease(self, worker: Worker, task: Task, size: int | None = None) -> Assignment | None:
        with self.meter.verb("ask"):
            lease = lease_questions(project_id=self.project.id, worker_id=worker.id, task=task, size=size)
        if lease is None:
            return None
        return lease.assignment

    def _answer(self, assignment: Assignment, worker: int) -> int:
        return self._submit(assignment, worker)

    def _submit(self, assignment: Assignment, worker: int) -> int:
        """Answer and submit as this worker of the crowd; -1: as the model annotator."""
        task = Task(assignment.task)
        if worker < 0 and self.model_annotator:
            given = [Given(self.model_annotator[1].answer(view, self.seed)) for view in self._views(assignment)]
        else:
            given = [Given(self.crowd.answer(view, worker), seconds=SECONDS[task]) for view in self._views(assignment)]
        with self.meter.verb("submit"):
            receipt = submit_assignment(assignment_id=assignment.id, worker_id=assignment.worker_id, answers=given)
        self.after(task)
        self.meter.answered(task.value, len(receipt.stored))
        self.outcome.judgments[task.value] += len(receipt.stored)
        return receipt.answered

    def after(self, task: Task) -> None:
        """Called after each submission; for classes whose service acts by itself."""

    def _views(self, assignment: Assignment) -> Iterator[View]:
        """Yield what the worker is shown. Nobody has verification questions here."""
        asked = Question.objects.filter(id__in=assignment.questions).order_by()
        rows = {number: row for number, *row in asked.values_list("id", "image_id", "number", "subject", "image__name")}
        images = {image for image, *_ in rows.values()}
        states = dict(Progress.objects.filter(image_id__in=images).order_by().values_list("image_id", "state"))
        progress = {image: from_json(state) for image, state in states.items()}
        task = Task(assignment.task)
        for question in assignment.questions:
            image, number, subject, name = rows[question]
            yield View(task, number, subject, progress[image], self.made.gold(name))


class ServedRun(WholeRun):
    """A run beside job runners: threads ask and submit, the service does the rest."""

    def until_nothing_is_open(self, most: int | None, step: Callable[[int], object]) -> None:
        """Answer until nothing is open and nothing is due. `step` is called some times a second, with new answers."""
        self._over = threading.Event()
        self._failure: Exception | None = None
        self._resting: dict[Task, float] = {}
        threads = [threading.Thread(target=self._guarded, args=(number,)) for number in range(THREADS)]
        for thread in threads:
            thread.start()
        told = 0
        try:
            while not (self._failure or (len(self._resting) == len(PROTOCOL_TASKS) and self._is_over())):
                time.sleep(LOOK)
                now = self.outcome.judgments.total()
                step(now - told)
                told = now
        finally:
            self._over.set()
            for thread in threads:
                thread.join()
        if self._failure:
            raise self._failure

    def after(self, task: Task) -> None:
        hint(task, self.project.id)

    def _is_over(self) -> bool:
        waiting = Question.objects.filter(project=self.project, state=QuestionState.ANSWERED.value)
        due = Progress.objects.filter(project=self.project, due__in=[Progress.Due.LINKS, Progress.Due.MERGE])
        return not (open_by_task(self.project.id) or waiting.exists() or due.exists())

    def _guarded(self, number: int) -> None:
        """Work as those workers of the crowd whose numbers leave `number` as the rest, so that no two threads meet."""
        rng = Random(f"{self.seed} {number} {time.time()}")
        mine = range(number, len(self.workers), THREADS)
        try:
            while not self._over.is_set():
                if not self._turn(rng, mine, model_annotator=number == 0):
                    self._over.wait(REST / 4)
        except Exception as error:
            self._failure = error
        finally:
            connection.close()

    def _turn(self, rng: Random, mine: range, *, model_annotator: bool) -> int:
        """Take some assignments of each task of which something may be open. Returns the number of answers."""
        answers = self.let_model_answer() if model_annotator else 0
        for task in PROTOCOL_TASKS:
            for _ in range(TIMES.get(task, OTHERS)):
                if self._over.is_set() or self._resting.get(task, 0.0) > time.monotonic():
                    break
                worker = rng.choice(mine)
                assignment = self.lease(self.workers[worker], task)
                if assignment is None:
                    self._resting[task] = time.monotonic() + REST
                    break
                self._resting.pop(task, None)
                answers += self._submit(assignment, worker)
        return answers


def merged(project: Project) -> int:
    """Count the finished images."""
    return Image.objects.filter(project=project, state=ImageState.MERGED.value).count()
