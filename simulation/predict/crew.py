"""Crew: virtual workers on their way through the test and probation, in memory, and what their verification costs."""

import math
import random
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from statistics import fmean
from typing import NamedTuple

from pipeline.protocol.tasks.task import PROTOCOL_TASKS, Task
from pipeline.settings.of_work import TrustSettings, batch_rules, needed_in_test, trust_rules
from pipeline.settings.settings import Settings
from pipeline.settings.table_3 import BATCH
from simulation.crowd import CROWDS, stable_uniform
from simulation.mixed_crowd import MixedCrowd, Person, WorkerKind, kinds_of
from simulation.predict.subject import SoFar
from workers.rules.score import Score, ScoreRule, Scores, below
from workers.rules.trust import Decision, Evidence, TrustModel, TrustRules, act, decide
from workers.rules.trust_states import Trust, TrustEvent, TrustState
from workers.rules.work import WorkKind, places, work_for

START = datetime(2026, 1, 1, tzinfo=UTC)
TRIES = 3
"""Tries for which the test has questions, even where fewer tries are allowed."""


@dataclass(slots=True)
class Career:
    """The history of a worker who wants to answer a number of real questions."""

    person: Person
    trust: Trust = field(default_factory=Trust)
    now: datetime = START
    tested: list[int] = field(default_factory=list)
    """Questions of the qualification tests taken."""
    seen: list[int] = field(default_factory=list)
    """Verification questions answered."""
    outcomes: list[bool] = field(default_factory=list)
    """Whether each verification question and, for box drawing, each judged box was right."""
    real: int = 0
    """Real judgments that count."""
    voided: int = 0
    """Real judgments of the assignment in which trust was lost."""
    events: list[TrustEvent] = field(default_factory=list)

    @property
    def was_trusted(self) -> bool:
        return TrustEvent.PASS_PROBATION in self.events

    @property
    def is_barred(self) -> bool:
        return self.trust.state is TrustState.BARRED

    def move(self, decision: Decision) -> None:
        self.trust = decision.trust
        self.events.append(decision.event)


def run_career(person: Person, settings: Settings, *, work: int, known_questions: int) -> Career:
    """Let the worker answer under the trusted-worker model until `work` real questions are answered.

    The career ends earlier if the worker is barred or must wait. `known_questions`: verification questions of the task.
    """
    rules = trust_rules(settings, person.task)
    career, questions, size = take_tests(person, settings), person.known_questions(known_questions), BATCH[person.task]
    seed = person.secret
    probation_from = outcomes_from = asked = verified = 0
    while career.real < work and not career.is_barred:
        career.now += timedelta(minutes=2)
        left = {"unseen": known_questions - len(career.seen), "answered": len(career.seen) - probation_from}
        given = work_for(career.trust, rules, career.now, **left)
        if given.kind is WorkKind.NONE:
            break
        drawn = len(places(seed, questions=asked, verified=verified, size=size, rate=given.rate))
        known = min(drawn, left["unseen"])
        real = size - known if given.kind is WorkKind.REAL else 0
        _answer(career, questions, known, real)
        asked, verified = asked + known + real, verified + known
        news = known or person.draws_box()
        evidence = Evidence(
            Scores.of(career.outcomes, recent=rules.recent),
            Score(sum(career.outcomes[outcomes_from:]), len(career.outcomes) - outcomes_from),
            known_used_up=len(career.seen) >= known_questions,
        )
        decision = _decided(career, evidence, rules) if news else None
        if decision and decision.voids:
            career.voided += real
        else:
            career.real += real
        if decision and decision.trust.state in (TrustState.PROBATION, TrustState.TRUSTED):
            probation_from, outcomes_from, asked, verified = len(career.seen), len(career.outcomes), 0, 0
            seed = f"{seed} {career.now}"
    return career


def take_tests(person: Person, settings: Settings) -> Career:
    """Let the worker take the qualification test, with new questions each time, until it is passed or the last try."""
    rules, size = trust_rules(settings, person.task), settings.test_questions
    career = Career(person)
    fresh = iter(person.tests(size * max(settings.tests, TRIES)))
    career.move(act(career.trust, TrustEvent.BEGIN_TEST if size else TrustEvent.WAIVE_TEST, rules, career.now))
    while work_for(career.trust, rules, career.now, unseen=0).kind is WorkKind.TEST:
        asked = [next(fresh) for _ in range(size)]
        career.tested += asked
        right = sum(person.is_right(question) for question in asked)
        passed = right >= needed_in_test(settings, person.task, size)
        career.move(act(career.trust, TrustEvent.PASS_TEST if passed else TrustEvent.FAIL_TEST, rules, career.now))
        career.now = career.trust.test_from or career.now
    return career


def _answer(career: Career, questions: list[int], known: int, real: int) -> None:
    """Answer unseen verification questions. In box drawing, judge the real boxes too: right ones are approved."""
    person = career.person
    for question in questions[len(career.seen) : len(career.seen) + known]:
        career.outcomes.append(person.is_right(question))
        career.seen.append(question)
    if person.draws_box():
        for number in range(career.real, career.real + real):
            draw = stable_uniform(person.seed, "box", person.kind.value, person.number, len(career.outcomes), number)
            career.outcomes.append(draw < person.accuracy)


def _decided(career: Career, evidence: Evidence, rules: TrustRules) -> Decision | None:
    decision = decide(career.trust, evidence, rules, career.now)
    if decision:
        career.move(decision)
    return decision


LOOKED_AT = 400
"""Real answers of each worker after which the rate of verification questions and the loss of trust are known."""
ADMITTED = 0.6
"""The share of workers among whom the real answers are divided."""
HOURS_A_DAY = 2.0
"""Hours that each worker gives on a day: whether anybody may take the test again before the work is done."""


@dataclass(frozen=True, slots=True)
class CrewPlan:
    """The workers who are expected."""

    workers: int = 20
    bad: float = 0.0
    """The share of bad workers, 0 to 1."""
    known_questions: Mapping[Task, int] = field(default_factory=lambda: dict.fromkeys(PROTOCOL_TASKS, 70))
    """Verification questions of each task."""
    trusted: int = 0
    """Workers, the first ones, who are trusted from the start; the others take the test and probation."""

    @property
    def new_workers(self) -> range:
        """Return the numbers of the workers who take the test and probation."""
        return range(self.trusted, self.workers)


@dataclass(slots=True)
class Qualified:
    """The outcome of quality control on one task."""

    allowed: list[int] = field(default_factory=list)
    """Workers who may answer real questions, by number."""
    refused: dict[int, float] = field(default_factory=dict)
    """The share of each worker's answers whose batch is refused, 0 to 1."""
    tests: int = 0
    """Answers in tests, which are not paid."""
    probation: int = 0
    """Answers to verification questions before trust, paid like any other."""
    rate: float = 0.0
    """Verification questions for each real question afterwards."""
    checked: dict[int, tuple[float, int]] = field(default_factory=dict)
    """The share of right answers, 0 to 1, of each worker whose answers were checked, and the number of checked ones.

    The service measures workers by the answers of others as well, so it knows more of them.
    """


class QualifiedCrew:
    """Workers who answer real questions, chosen among those whom quality control admits to the task."""

    def __init__(self, tasks: Mapping[Task, Qualified], known_questions: Mapping[Task, int]) -> None:
        self.tasks, self.stock = tasks, known_questions

    def pick(self, task: Task, barred: Collection[int], draw: random.Random) -> int | None:
        allowed = self.tasks[task].allowed
        for _ in range(3):
            if allowed and (worker := allowed[int(draw.random() * len(allowed))]) not in barred:
                return worker
        free = [worker for worker in allowed if worker not in barred]
        return draw.choice(free) if free else None

    def counts(self, task: Task, worker: int, draw: random.Random) -> bool:
        return draw.random() >= self.tasks[task].refused.get(worker, 0.0)

    def checked(self, task: Task, worker: int) -> tuple[float, int] | None:
        return self.tasks[task].checked.get(worker)

    def is_model(self, worker: int) -> bool:
        return False


@dataclass(frozen=True, slots=True)
class Load:
    """The work that the crew has before it."""

    answers: Mapping[Task, float]
    """Answers to real questions in the whole project."""
    seconds: Mapping[Task, float]
    """Seconds of work for one answer."""

    def tries(self, settings: TrustSettings, workers: int) -> int:
        """Return how often a worker may take the test before the work is done: again after a wait only."""
        if not settings.test_wait_hours:
            return settings.tests
        hours = sum(self.answers[task] * self.seconds[task] for task in PROTOCOL_TASKS) / 3600
        days = hours / (workers * HOURS_A_DAY)
        return min(settings.tests, 1 + int(24 * days / settings.test_wait_hours))

    def of_each(self, task: Task, workers: int) -> int:
        """Return about the real answers of each worker who is admitted: a power of two, and at most `LOOKED_AT`.

        So that ways to ask which differ little share their crews.
        """
        each = self.answers[task] / (ADMITTED * workers)
        return min(2 ** round(math.log2(max(each, 1.0))), LOOKED_AT)


def qualify(plan: CrewPlan, crowd: MixedCrowd, settings: Settings, seed: int, load: Load) -> QualifiedCrew:
    """Let every worker take what the settings demand, by the service's own rules of trust."""
    tries = load.tries(settings, plan.workers)
    found = {
        task: qualify_for(task, plan, crowd, settings, seed, work=load.of_each(task, plan.workers), tries=tries)
        for task in PROTOCOL_TASKS
    }
    return QualifiedCrew(found, plan.known_questions)


def qualify_for(
    task: Task, plan: CrewPlan, crowd: MixedCrowd, settings: Settings, seed: int, *, work: int, tries: int
) -> Qualified:
    """Let every worker take what one task demands. `work`: real answers of each; `tries`: of the test."""
    found = Qualified(allowed=list(range(plan.trusted)))
    settings = replace(settings, tests=tries)
    rules = trust_rules(settings, task)
    asked, real = 0, plan.trusted * work
    for number in plan.new_workers:
        person = _person(task, number, crowd, seed)
        if rules.model is TrustModel.VERIFICATION:
            career = take_tests(person, settings)
            found.tests += len(career.tested)
            if not career.is_barred:
                found.allowed.append(number)
            continue
        career = run_career(person, settings, work=work, known_questions=plan.known_questions[task])
        found.tests += len(career.tested)
        # Of a worker who was never trusted, all verification questions are those of probations.
        before = min(len(career.seen), rules.probation) if career.was_trusted else len(career.seen)
        found.probation += before
        if career.outcomes:
            found.checked[number] = fmean(career.outcomes), len(career.outcomes)
        if career.was_trusted and not career.is_barred:
            found.allowed.append(number)
            asked, real = asked + len(career.seen) - before, real + career.real + career.voided
    found.rate = asked / real if real else 0.0
    if rules.model is TrustModel.VERIFICATION:
        found.rate = rules.verification_rate / (1 - rules.verification_rate) if rules.verification_rate < 1 else 0.0
        limits = batch_rules(settings, task)
        for number in found.allowed:
            accuracy = crowd.accuracy(task, number)
            found.checked[number] = accuracy, round(work * found.rate)
            found.refused[number] = min(0.95, _share_refused(accuracy, limits.questions, limits.minimum, limits.rule))
    return found


def _person(task: Task, number: int, crowd: MixedCrowd, seed: int) -> Person:
    kind = crowd.kinds[number]
    # An honest worker is as good here as in the crowd; the other kinds have a manner of their own.
    fixed = crowd.accuracy(task, number) if kind is WorkerKind.HONEST else None
    return Person(task, kind, number, seed, fixed)


def _share_refused(accuracy: float, questions: int, minimum: float, rule: ScoreRule) -> float:
    """Return the chance that a batch with this number of verification questions is refused."""
    return sum(
        math.comb(questions, right) * accuracy**right * (1 - accuracy) ** (questions - right)
        for right in range(questions + 1)
        if below(Score(right, questions), minimum, rule)
    )


MOST_CREWS, LEAST_CREWS, WORKERS = 12, 3, 240
"""Crews that are looked at: fewer of large ones, which differ less."""


class ToCome(NamedTuple):
    """Answers that quality control still takes, by task."""

    known: Mapping[Task, float]
    """To verification questions, paid like any other."""
    probation: Mapping[Task, float]
    """Those among them before trust."""
    tests: Mapping[Task, float]
    """In tests, which are not paid."""


class QualityCosts:
    """Crews on their way through quality control, kept for all ways to ask that demand the same."""

    def __init__(self, plan: CrewPlan, crowd: str, seed: int) -> None:
        self._plan = plan
        self._seeds = [seed + 1000 * number for number in range(_crews(plan))]
        kinds = kinds_of(plan.workers, plan.bad)
        # The manner of a worker in quality control depends on no image.
        self._crowds = [MixedCrowd(CROWDS[crowd]([], seed), kinds, seed) for seed in self._seeds]
        self._kept: dict[tuple[str, Task, int, int], list[Qualified]] = {}

    def to_come(self, settings: Settings, load: Load, so_far: SoFar) -> list[ToCome]:
        """Return what is to come with each crew. `load`: the real answers of the whole project, with those so far."""
        tries = load.tries(settings, self._plan.workers)
        by_task = {task: self._qualified(task, settings, load, tries) for task in PROTOCOL_TASKS if load.answers[task]}
        found = []
        for number in range(len(self._seeds)):
            known, probation, tests = (dict.fromkeys(PROTOCOL_TASKS, 0.0) for _ in range(3))
            for task, crews in by_task.items():
                one, left = crews[number], load.answers[task] - so_far.real[task] + so_far.unfinished[task]
                if so_far.begun[task] < len(self._plan.new_workers) or tries > 1:
                    tests[task] = max(one.tests - so_far.tests[task], 0.0)
                    known[task] = max(self._known(one, task, load.answers[task]) - so_far.known[task], 0.0)
                    probation[task] = min(max(one.probation - so_far.known[task], 0.0), known[task])
                else:  # everybody has taken the test, and nobody will again
                    known[task] = one.rate * left
            found.append(ToCome(known, probation, tests))
        return found

    def admitted(self, settings: Settings, load: Load) -> dict[Task, list[float]]:
        """Return for each crew the share of its workers whom quality control admits to each task, 0 to 1."""
        tries = load.tries(settings, self._plan.workers)
        found = {task: self._qualified(task, settings, load, tries) for task in PROTOCOL_TASKS}
        return {task: [len(crew.allowed) / self._plan.workers for crew in crews] for task, crews in found.items()}

    def _known(self, crew: Qualified, task: Task, real: float) -> float:
        most = len(crew.allowed) * self._plan.known_questions[task] + crew.probation
        return min(crew.probation + crew.rate * real, most)

    def _qualified(self, task: Task, settings: Settings, load: Load, tries: int) -> list[Qualified]:
        plan, work = self._plan, load.of_each(task, self._plan.workers)
        demanded = repr((settings.trust[task.value], settings.minimum[task.value], settings.below_minimum))
        key = demanded, task, work, tries
        if key not in self._kept:
            self._kept[key] = [
                qualify_for(task, plan, crowd, settings, seed, work=work, tries=tries)
                for crowd, seed in zip(self._crowds, self._seeds, strict=True)
            ]
        return self._kept[key]


def _crews(plan: CrewPlan) -> int:
    """Return how many crews to look at; two where every worker is trusted, as nothing differs then."""
    return max(LEAST_CREWS, min(MOST_CREWS, WORKERS // plan.workers)) if plan.new_workers else 2
