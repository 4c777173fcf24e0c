"""Workers of several kinds: honest ones, and others with a manner of their own in tests and at work."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from statistics import NormalDist

from annotation.rules.box import Box
from pipeline.known.question_mix import NONE_TENTHS
from pipeline.protocol.tasks.answers import CHOICES, drawing
from pipeline.protocol.tasks.task import Task
from simulation.crowd import QUALITY, WORKER_SD, BoxCrowd, Crowd, intercept, right_answer, stable_uniform
from simulation.view import KnownView, View
from workers.rules.score import sigmoid

HONEST_QUALITY = {Task.COREFERENCE_LINK: 0.906, **QUALITY}
RING = 10
"""The number of workers who share their answers."""
STANDARD = NormalDist()


class WorkerKind(StrEnum):
    """The manner in which a virtual worker answers."""

    HONEST = "honest"
    CARELESS_75 = "careless, 75 % right"
    CARELESS_65 = "careless, 65 % right"
    RANDOM = "random"
    ONE_BUTTON = "one button"
    RING = "ring that shares answers"


CHANCE = (WorkerKind.RANDOM, WorkerKind.ONE_BUTTON, WorkerKind.RING)
CARELESS = (WorkerKind.CARELESS_75, WorkerKind.CARELESS_65)
ACCURACY = {WorkerKind.CARELESS_75: 0.75, WorkerKind.CARELESS_65: 0.65}
"""The accuracy of these kinds. Guessing workers are right on half: two answers, equally frequent in gold."""
NOTHING_MISSING = NONE_TENTHS / 10
"""The largest share of known box drawing questions for which "none missing" is right."""
TESTS_FROM = 10_000
"""The first number of the qualification test's questions. Verification questions count from 0."""


@dataclass(frozen=True, slots=True)
class Person:
    """One virtual worker on one task."""

    task: Task
    kind: WorkerKind
    number: int
    seed: int
    fixed: float | None = None
    """An accuracy instead of the kind's own."""

    @property
    def accuracy(self) -> float:
        """Return the share of right answers in the long run."""
        if self.fixed is not None:
            return self.fixed
        if self.kind is WorkerKind.HONEST:
            return _honest_accuracy(self.task, self.number, self.seed)
        if self.kind is WorkerKind.ONE_BUTTON and self.task is Task.BOX_DRAWING:
            return NOTHING_MISSING
        return ACCURACY.get(self.kind, 0.5)

    @property
    def secret(self) -> str:
        """Return the seed for the places of this worker's verification questions."""
        return f"{self.seed} {self.kind} {self.number}"

    def known_questions(self, size: int) -> list[int]:
        """Return the task's verification questions in the order in which this worker meets them."""
        return random.Random(f"{self.seed} {self.task} {self.kind} {self.number}").sample(range(size), size)

    def tests(self, size: int) -> list[int]:
        """Return the questions of the qualification test in the order in which this worker meets them."""
        return [TESTS_FROM + question for question in self.known_questions(size)]

    def is_right(self, question: int) -> bool:
        """Tell whether the worker answers a known question right. One button is right on a fixed share of each ten."""
        if self.kind is WorkerKind.ONE_BUTTON:
            return question % 10 < 10 * self.accuracy
        member = self.number // RING if self.kind is WorkerKind.RING else self.number
        return stable_uniform(self.seed, self.task.value, self.kind.value, member, question) < self.accuracy

    def draws_box(self) -> bool:
        """Tell whether the worker's real answers are boxes, which others judge. The one button is "none missing"."""
        return self.task is Task.BOX_DRAWING and self.kind is not WorkerKind.ONE_BUTTON


@cache
def _honest_accuracy(task: Task, number: int, seed: int) -> float:
    drawn = STANDARD.inv_cdf(stable_uniform(seed, "honest", task.value, number))
    return 1 - sigmoid(_error_logit(HONEST_QUALITY[task]) + WORKER_SD * drawn)


@cache
def _error_logit(quality: float) -> float:
    return intercept([0.0], 1 - quality)


BAD = (*CARELESS, *CHANCE)


def kinds_of(workers: int, bad: float) -> list[WorkerKind]:
    """Return the kind of each worker: the share `bad` (0 to 1) is bad, in equal parts of the five bad kinds."""
    many = round(workers * bad)
    return [WorkerKind.HONEST] * (workers - many) + [BAD[number % len(BAD)] for number in range(many)]


class MixedCrowd(Crowd):
    """A crowd in which worker n is of the n-th kind; honest workers answer like those of another crowd."""

    def __init__(self, honest: Crowd, kinds: Sequence[WorkerKind], seed: int) -> None:
        super().__init__(len(kinds))
        self.kinds, self._seed = kinds, seed
        self._honest, self._careless = honest, BoxCrowd(seed)

    def answer(self, view: View | KnownView, worker: int) -> object:
        if view.task is Task.COREFERENCE_LINK and len(view.subject) > 2:
            return self._sweep(view, worker)
        match self.kinds[worker]:
            case WorkerKind.HONEST:
                return self._honest.answer(view, worker)
            case WorkerKind.ONE_BUTTON:
                return self._button(view.task, worker)
            case WorkerKind.RANDOM:
                return self._guess(view, f"worker {worker}")
            case WorkerKind.RING:
                return self._guess(view, "ring")
            case kind:
                wrong = self._uniform("careless", view, worker) >= ACCURACY[kind]
                return self._carelessly(view, worker, wrong=wrong)

    def accuracy(self, task: Task, worker: int) -> float:
        kind = self.kinds[worker]
        if kind is WorkerKind.HONEST:
            return self._honest.accuracy(task, worker)
        return Person(task, kind, worker, self._seed).accuracy

    def _carelessly(self, view: View | KnownView, worker: int, *, wrong: bool) -> object:
        """Answer like an honest worker who errs more often, and equally on every question."""
        if view.task is not Task.COREFERENCE_LINK:
            return self._careless.answer_as(view, worker, wrong=wrong)
        return next(answer for answer in CHOICES[view.task] if (answer == truth_of(view)) != wrong)

    def _sweep(self, view: View | KnownView, worker: int) -> object:
        """Answer a sweep: one button is "none of them", and who guesses touches half of the candidates."""
        kind, right = self.kinds[worker], truth_of(view)
        if kind is WorkerKind.HONEST:
            return self._honest.answer(view, worker)
        if kind is WorkerKind.ONE_BUTTON:
            return {"same": []}
        assert isinstance(right, dict)
        who = "ring" if kind is WorkerKind.RING else worker
        least = ACCURACY.get(kind, 0.5)
        others = view.subject[1:]
        wrong = {other for other in others if self._uniform(f"touch {other}", view, who) >= least}
        return {"same": [other for other in others if (other in right["same"]) != (other in wrong)]}

    def _button(self, task: Task, worker: int) -> object:
        """Give the same answer always: in box drawing "none missing"."""
        if task is Task.BOX_DRAWING:
            return drawing(None)
        answers = CHOICES[task]
        return answers[int(stable_uniform(self._seed, "button", task.value, worker) * len(answers))]

    def _guess(self, view: View | KnownView, who: str) -> object:
        """Give a random answer. In box drawing half of the answers are "none missing", the others random boxes."""
        draw = self._uniform("guess", view, who)
        if view.task is not Task.BOX_DRAWING:
            return CHOICES[view.task][int(draw * len(CHOICES[view.task]))]
        return drawing(None if draw < 0.5 else self._any_box(view, who))

    def _any_box(self, view: View | KnownView, who: str) -> Box:
        def side(name: str, length: int) -> tuple[int, int]:
            first, second = sorted(int(self._uniform(f"{name}{end}", view, who) * length) for end in (0, 1))
            return first, second + 1

        (x0, x1), (y0, y1) = side("x", view.image.width), side("y", view.image.height)
        return Box(x0, y0, x1, y1)

    def _uniform(self, what: str, view: View | KnownView, who: str | int) -> float:
        return stable_uniform(self._seed, what, view.task.value, view.image.key, view.number, who)


def truth_of(view: View | KnownView) -> object:
    """Return the right answer in the form that `pipeline.known.known_answer` takes."""
    if isinstance(view, KnownView):
        return view.truth
    if view.task is Task.BOX_DRAWING:
        return [list(box) for box in view.missing]
    return right_answer(view)
