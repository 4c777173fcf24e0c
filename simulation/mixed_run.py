"""A virtual crowd at work, under quality control or trusted from the start, with a note of each answer."""

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import NamedTuple

from annotation.models import Project
from pipeline.asking.receipt import Receipt
from pipeline.errors import NotTrustedError
from pipeline.models import Assignment
from pipeline.project.open_questions import free_questions, is_any
from pipeline.protocol.tasks.task import Task
from pipeline.stock.known_questions import Purpose, count_known
from simulation.mixed_crowd import MixedCrowd, WorkerKind, answers_right
from simulation.simulate import SECONDS, CrowdRun, SimulationError
from simulation.view import KnownView, TrueImage, View
from workers.models import TrustStatus, Worker
from workers.rules.trust_states import TrustState

NEVER = datetime.max.replace(tzinfo=UTC)
HURRY = 0.1
"""The pace of the better careless workers, in usual times: nobody can look and answer so fast."""
LONGEST_BATCH = timedelta(hours=24)
"""The longest time that judgments wait for their batch."""


class AnswerPurpose(StrEnum):
    """The purpose for which a question was answered."""

    REAL = "real"
    AMONG = "known, among real ones"
    PROBATION = "known, in probation"
    TEST = "known, in the test"


class MixedAnswer(NamedTuple):
    """One answer; `question` and `worker` are ids, and a verification question has no `question`."""

    kind: WorkerKind
    task: Task
    stage: AnswerPurpose
    worker: int
    question: int | None
    right: bool
    seconds: float


class MixedRun(CrowdRun):
    """A run in which workers who must wait are not asked before their time."""

    def __init__(
        self, project: Project, gold: dict[int, TrueImage], crowd: MixedCrowd, workers: Sequence[Worker], seed: int
    ) -> None:
        super().__init__(project, gold, crowd, workers, seed)
        self.kinds = crowd.kinds
        self.answers: list[MixedAnswer] = []
        self.cents: Counter[AnswerPurpose] = Counter()
        self._wakes: dict[tuple[int, Task], datetime] = {}
        self._at_work: set[tuple[int, Task]] = set()
        self._stood_still: object = None

    def lease(self, worker: Worker, task: Task) -> Assignment | None:
        if self._rests(worker, task):
            return None
        try:
            assignment = super().lease(worker, task)
        except NotTrustedError:
            self._wakes[worker.id, task] = self._next_try(worker, task)
            return None
        if assignment is None or assignment.questions or assignment.spare:
            self._at_work.add((worker.id, task))
        return assignment

    def pace(self, worker: int) -> float:
        return HURRY if self.kinds[worker] is WorkerKind.CARELESS_75 else 1.0

    def _rests(self, worker: Worker, task: Task) -> bool:
        """Tell whether the worker must wait, or is at work on a task without real questions."""
        if self._wakes.get((worker.id, task), self.now) > self.now:
            return True
        return (worker.id, task) in self._at_work and not is_any(free_questions(self.project.id, task))

    def _next_try(self, worker: Worker, task: Task) -> datetime:
        row = TrustStatus.objects.get(worker=worker, project_id=self.project.id, task=task.value)
        waits = row.state == TrustState.TESTING and row.test_from and row.test_from > self.now
        return row.test_from if waits and row.test_from else NEVER

    def note(self, worker: int, receipt: Receipt, answers: Sequence[tuple[View | KnownView, object]]) -> None:
        assignment, task = receipt.assignment, Task(receipt.assignment.task)
        known = AnswerPurpose.TEST if assignment.kind == Assignment.Kind.TEST else AnswerPurpose.PROBATION
        if assignment.questions or assignment.spare:
            known = AnswerPurpose.AMONG
        questions = iter(assignment.questions)
        for view, answer in answers:
            question = None if isinstance(view, KnownView) else next(questions)
            stage = known if question is None else AnswerPurpose.REAL
            right = answers_right(view, answer)
            one = MixedAnswer(self.kinds[worker], task, stage, assignment.worker_id, question, right, SECONDS[task])
            self.answers.append(one)
        share = receipt.earned_cents * len(assignment.known) // assignment.size
        self.cents[known] += share
        self.cents[AnswerPurpose.REAL] += receipt.earned_cents - share

    def let_time_pass(self) -> bool:
        """Go to the next moment at which a worker may go on: a new test, a judged batch, starved questions."""
        tasks = {Task(task) for task, _ in self._open()}
        if not tasks:
            return False
        wakes = [at for (_, task), at in self._wakes.items() if task in tasks and self.now < at < NEVER]
        if not wakes:
            self._refuse_to_stand_still(tasks)
        longest = max(LONGEST_BATCH, timedelta(hours=self.settings.starved_hours)) + timedelta(hours=1)
        self.now = min(wakes, default=self.now + longest)
        self.tick()
        return True

    def _refuse_to_stand_still(self, tasks: set[Task]) -> None:
        """Raise SimulationError if time has passed before without a change."""
        here = self._open(), len(self.answers)
        if here == self._stood_still:
            lacking = "; ".join(self._lacking(task) for task in sorted(tasks))
            raise SimulationError(f"No worker can go on. {lacking}. Try more --workers or a larger --stock.")
        self._stood_still = here

    def _lacking(self, task: Task) -> str:
        """Describe the stock and the workers of a task with open questions."""
        rows = TrustStatus.objects.filter(project_id=self.project.id, task=task.value, worker__in=self.workers)
        states = Counter(rows.values_list("state", flat=True))
        known, tests = count_known(self.project.id, task), count_known(self.project.id, task, Purpose.TEST)
        return (
            f"{task.label.capitalize()}: {known} verification questions (probation needs {self.settings.probation}), "
            f"{tests} test questions (a try needs {self.settings.test_questions}), "
            f"workers: {', '.join(f'{count} {state}' for state, count in sorted(states.items())) or 'none has begun'}"
        )
