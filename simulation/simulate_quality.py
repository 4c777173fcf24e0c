"""A crowd with bad workers that annotates a project under quality control, and without it for comparison."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Any, NamedTuple

from django.db import transaction

from annotation.models import Project
from pipeline.asking.receipt import Receipt
from pipeline.errors import NotTrustedError
from pipeline.gold_questions.fill_from_gold import fill_from_gold
from pipeline.gold_questions.known_questions import Purpose, count_known
from pipeline.known.known_answer import is_right_answer
from pipeline.models import Assignment, Entry, Judgment, KnownQuestion
from pipeline.project.open_questions import free_questions, is_any
from pipeline.project.settings_versions import change_settings, current_settings
from pipeline.protocol.tasks.task import PROTOCOL_TASKS, Task
from runtime import clock
from runtime.words import money, percent
from simulation.crowd import CROWDS
from simulation.mixed_crowd import MixedCrowd, WorkerKind, kinds_of, truth_of
from simulation.score import as_json, score
from simulation.simulate import (
    SECONDS,
    CrowdRun,
    SimulationError,
    link_images,
    load_gold,
    named_workers,
    virtual_workers,
)
from simulation.view import KnownView, TrueImage, View
from workers.invitations import grant_access
from workers.models import TrustChange, TrustStatus, Worker
from workers.rules.trust_states import TrustEvent, TrustState

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
            right = is_right_answer(task, truth_of(view), answer)
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
            raise SimulationError(f"No worker can go on. {lacking}. Try more --workers or a larger --known-questions.")
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


Step = Callable[[int], object]


@dataclass(frozen=True, slots=True)
class QualityPlan:
    """The crowd and the known questions of a run. The same plan on the same database gives the same run."""

    crowd: str = "paper"
    """The crowd of the honest workers."""
    seed: int = 0
    workers: int = 50
    """Workers who are invited and begin."""
    bad: float = 0.0
    """The share of bad workers, 0 to 1."""
    known_questions: int = 230
    """Verification questions of each task, as far as gold provides them."""
    most: int | None = None
    """Stop after about this many real judgments."""


def simulate_quality(project: Project, plan: QualityPlan, step: Step = lambda judgments: None) -> dict[str, Any]:
    """Let invited workers take the test, pass probation, and answer real questions with verification questions.

    First the stock is filled from the project's gold, so its questions are about the same images. Returns the results
    of `as_json`, with `quality`. Raises SimulationError if there is no gold, or if no worker can go on.
    """
    workers = named_workers(f"{plan.crowd}-invited", plan.workers)
    for worker in workers:
        grant_access(worker, project.id, list(PROTOCOL_TASKS), trusted=False)
    _, settings = current_settings(project.id)
    tests = settings.test_questions * settings.tests
    for purpose, most in ((Purpose.TEST, tests), (Purpose.VERIFICATION, plan.known_questions)):
        fill_from_gold(project=project, most=dict.fromkeys(PROTOCOL_TASKS, most), purpose=purpose, seed=plan.seed)
    return _run(project, plan, workers, step)


def simulate_trusting(project: Project, plan: QualityPlan, step: Step = lambda judgments: None) -> dict[str, Any]:
    """Run the same workers, trusted from the start and never verified. The run is rolled back; only figures remain."""
    with transaction.atomic():
        KnownQuestion.objects.filter(project=project).update(retired_at=clock.now())
        workers = virtual_workers(project, f"{plan.crowd}-trusted", plan.workers)
        figures = _run(project, plan, workers, step)
        transaction.set_rollback(True)
    return figures


def set_model(project: Project, model: str) -> None:
    """Set the trust model of all six tasks."""
    _, settings = current_settings(project.id)
    wanted = replace(settings, trust={task.value: model for task in PROTOCOL_TASKS})
    if wanted != settings:
        change_settings(project_id=project.id, settings=wanted, reason=f"Simulated with the model “{model}”.")


def _run(project: Project, plan: QualityPlan, workers: list[Worker], step: Step) -> dict[str, Any]:
    gold = load_gold(project)
    honest = CROWDS[plan.crowd](list(link_images(project, gold)), plan.seed)
    crowd = MixedCrowd(honest, kinds_of(plan.workers, plan.bad), plan.seed)
    run = MixedRun(project, gold, crowd, workers, plan.seed)
    run.until_nothing_is_open(plan.most, step)
    return as_json(project, run.outcome, score(project, gold)) | {"quality": quality_figures(run)}


Acceptance = Assignment.Acceptance
Row = tuple[str, Callable[[dict[str, Any]], str]]
PEOPLE = ("workers", "started", "passed_test", "trusted", "lost_trust", "barred", "judgments")
HEADS = ("workers", "began", "passed", "trusted", "lost it", "barred", "judgments", "wrong")


class JudgmentOutcome(StrEnum):
    """The fate of a real judgment."""

    COUNTS = "counts"
    VOIDED = "voided"
    REFUSED = "refused"
    UNUSED = "not used yet"


def quality_figures(run: MixedRun) -> dict[str, Any]:
    """Return all figures for a file: shares from 0 to 1, seconds of work, cents of the project's currency."""
    fates = _outcomes(run)
    real = [answer for answer in run.answers if answer.stage is AnswerPurpose.REAL]
    counting = [answer for answer in real if fates.get((answer.question, answer.worker)) is JudgmentOutcome.COUNTS]
    became = Counter(fates.get((answer.question, answer.worker), JudgmentOutcome.UNUSED) for answer in real)
    return {
        "workers": [_people(run, kind, counting) for kind in dict.fromkeys(run.kinds)],
        "cost": {stage.value: _cost(run, stage) for stage in AnswerPurpose},
        "currency": run.settings.currency,
        "judgments": {fate.value: became[fate] for fate in JudgmentOutcome},
        "error": _error(counting),
        "error_per_task": {
            task.value: _error(answer for answer in counting if answer.task is task) for task in PROTOCOL_TASKS
        },
    }


def _outcomes(run: MixedRun) -> dict[tuple[int | None, int], JudgmentOutcome]:
    """Return the fate of each judgment, by question and worker."""
    void = Entry.objects.filter(project=run.project, kind="void").values_list("image_id", "data")
    voided = {(image, number) for image, data in void for number in data["entries"]}
    columns = ("question_id", "worker_id", "assignment__acceptance", "entry__image_id", "entry__sequence")
    rows = Judgment.objects.filter(question__project=run.project).values_list(*columns)
    return {(question, worker): _outcome(acceptance, entry, voided) for question, worker, acceptance, *entry in rows}


def _outcome(acceptance: str, entry: list[int | None], voided: set[tuple[int, int]]) -> JudgmentOutcome:
    if acceptance == Acceptance.REFUSED:
        return JudgmentOutcome.REFUSED
    if None in entry:
        return JudgmentOutcome.UNUSED
    return JudgmentOutcome.VOIDED if tuple(entry) in voided else JudgmentOutcome.COUNTS


def _people(run: MixedRun, kind: WorkerKind, counting: list[MixedAnswer]) -> dict[str, Any]:
    """Return the figures of one kind: workers, their trust (each worker and task counts once), and real judgments."""
    own = [worker.id for worker, other in zip(run.workers, run.kinds, strict=True) if other is kind]
    place = {"project_id": run.project.id, "worker__in": own}
    rows = TrustStatus.objects.filter(**place).exclude(state=TrustState.INVITED)
    judged = [answer for answer in counting if answer.kind is kind]
    return {
        "kind": kind.value,
        "workers": len(own),
        "started": rows.count(),
        "passed_test": rows.filter(passed_test=True).count(),
        "trusted": _ever(place, event=TrustEvent.PASS_PROBATION),
        "lost_trust": _ever(place, old=TrustState.TRUSTED),
        "barred": rows.filter(state=TrustState.BARRED).count(),
        "judgments": len(judged),
        "error": _error(judged),
    }


def _ever(place: dict[str, Any], **change: Any) -> int:
    """Count the workers and tasks with such a change of trust, each once."""
    return TrustChange.objects.filter(**place, **change).values("worker", "task").distinct().count()


def _cost(run: MixedRun, stage: AnswerPurpose) -> dict[str, Any]:
    own = [answer for answer in run.answers if answer.stage is stage]
    return {"questions": len(own), "seconds": round(sum(answer.seconds for answer in own)), "cents": run.cents[stage]}


def _error(answers: Iterable[MixedAnswer]) -> float | None:
    """Return the share of wrong answers, or None without answers."""
    rights = [answer.right for answer in answers]
    return round(rights.count(False) / len(rights), 4) if rights else None


def quality_as_text(quality: dict[str, Any]) -> str:
    """Format the figures of `quality_figures`."""
    lines = [
        "Quality control, simulated. The stock's questions are about the same images as the real questions.",
        "",
        f"  {'workers on tasks':22}{''.join(f'{head:>10}' for head in HEADS)}",
        *(_people_line(row) for row in quality["workers"]),
        "  (first column: workers; next five: workers, once for each task; last two: real judgments)",
        "",
        f"  {'questions':27}{'answers':>9}{'hours':>9}{'money':>14}",
        *(
            f"  {stage:27}{cost['questions']:>9}{cost['seconds'] / 3600:>9.1f}{_paid(cost['cents'], quality):>14}"
            for stage, cost in quality["cost"].items()
        ),
        "",
        "  real judgments: " + ", ".join(f"{count} {fate}" for fate, count in quality["judgments"].items()),
        f"  wrong among those that count: {percent(quality['error'], 1)}",
        *(f"    {percent(error, 1):>8}  {task.replace('_', ' ')}" for task, error in quality["error_per_task"].items()),
    ]
    return "\n".join(lines)


def comparison_as_text(data: dict[str, Any], without: dict[str, Any]) -> str:
    """Compare two results of `simulate_quality`, with and without quality control."""
    rows = (f"  {label:34}{figure(data):>14}{figure(without):>14}" for label, figure in COMPARED)
    return "\n".join([f"{'Costs and results':36}{'with':>14}{'without':>14}", *rows])


def _paid(cents: int, quality: dict[str, Any]) -> str:
    """Format an amount, or return "unpaid" if the project pays for nothing."""
    if not any(cost["cents"] for cost in quality["cost"].values()):
        return "unpaid"
    return money(cents, quality["currency"])


def _people_line(row: dict[str, Any]) -> str:
    return f"  {row['kind']:22}" + "".join(f"{row[name]:>10}" for name in PEOPLE) + f"{percent(row['error'], 1):>10}"


def _sum(data: dict[str, Any], what: str) -> int:
    return sum(int(cost[what]) for cost in data["quality"]["cost"].values())


def _known(data: dict[str, Any]) -> int:
    return _sum(data, "questions") - data["judgments"]


def _matched(data: dict[str, Any], what: str) -> str:
    counts = data["merged"][what]
    share = counts["matched"] / counts["gold"] if counts["gold"] else None
    return percent(share, 1)


COMPARED: tuple[Row, ...] = (
    ("real judgments", lambda data: str(data["judgments"])),
    ("answers to known questions", lambda data: str(_known(data))),
    ("hours of work", lambda data: f"{_sum(data, 'seconds') / 3600:.1f}"),
    ("money", lambda data: _paid(_sum(data, "cents"), data["quality"])),
    ("wrong among judgments that count", lambda data: percent(data["quality"]["error"], 1)),
    ("gold chains found exactly", lambda data: _matched(data, "chains")),
    ("gold boxes found", lambda data: _matched(data, "boxes")),
    ("boxes that match no gold box", lambda data: str(_not_gold(data))),
    ("links right", lambda data: f"{data['table_2']['matched_links']:.1f} %"),
    ("chains in review", lambda data: str(data["in_review"])),
)


def _not_gold(data: dict[str, Any]) -> int:
    boxes = data["merged"]["boxes"]
    return int(boxes["found"] - boxes["matched"])
