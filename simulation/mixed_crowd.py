"""A crowd with careless, guessing, one-button and colluding workers among its members.

No figure that it produces was measured with people.
"""

from collections.abc import Sequence

from annotation.rules.box import Box
from pipeline.known.known_answer import is_right_answer
from pipeline.protocol.tasks.answers import CHOICES, drawing
from pipeline.protocol.tasks.task import Task
from simulation.box_crowd import BoxCrowd, right_answer
from simulation.crowd import Crowd
from simulation.link_crowd import stable_uniform
from simulation.trust_crowd import ACCURACY, CARELESS, CHANCE, Person, WorkerKind
from simulation.view import KnownView, View

BAD = (*CARELESS, *CHANCE)


def kinds_of(workers: int, bad: float) -> list[WorkerKind]:
    """Return the kind of each worker: the share `bad` (0 to 1) is bad, in equal parts of the five bad kinds."""
    many = round(workers * bad)
    return [WorkerKind.HONEST] * (workers - many) + [BAD[number % len(BAD)] for number in range(many)]


class MixedCrowd(Crowd):
    """A crowd in which worker n is of the n-th kind; honest workers answer like those of another crowd."""

    def __init__(self, honest: Crowd, kinds: Sequence[WorkerKind], seed: int) -> None:
        self.kinds, self._seed = kinds, seed
        self.workers = len(kinds)
        self._honest, self._careless = honest, BoxCrowd(seed)

    def answer(self, view: View | KnownView, worker: int) -> object:
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
    if view.task is Task.COREFERENCE_LINK:
        first, second = (view.image.chain_of[number].name for number in view.subject)
        return "same" if first == second else "different"
    return right_answer(view)


def answers_right(view: View | KnownView, answer: object) -> bool:
    return is_right_answer(view.task, truth_of(view), answer)
