"""Virtual workers for the five tasks after linking: `perfect`, and `paper` with the qualities of table 3.

No figure that they produce was measured with people.
"""

from statistics import NormalDist

from annotation.rules.box import Box, iou
from pipeline.protocol.tasks.answers import CHOICES, drawing
from pipeline.protocol.tasks.box_coverage import CoverageAnswer
from pipeline.protocol.tasks.box_quality import BoxQualityAnswer
from pipeline.protocol.tasks.box_requirement import RequirementAnswer
from pipeline.protocol.tasks.chain_verification import VerificationAnswer
from pipeline.protocol.tasks.task import Task
from simulation.link_crowd import WORKER_SD, intercept, stable_uniform
from simulation.view import COVERED, KnownView, View
from workers.rules.share import sigmoid

QUALITY = {
    Task.CHAIN_VERIFICATION: 0.906,
    Task.BOX_REQUIREMENT: 0.884,
    Task.BOX_DRAWING: 0.824,
    Task.BOX_QUALITY: 0.880,
    Task.BOX_COVERAGE: 0.892,
}
"""Trusted worker quality [paper table 3]."""
EDGE_SD = 0.03
"""The standard deviation of a drawn edge, in shares of the side."""
STANDARD = NormalDist()


def right_answer(view: View | KnownView) -> object:
    """Return the gold answer."""
    if view.task is Task.BOX_DRAWING:
        return drawing(view.missing[0] if view.missing else None)
    if isinstance(view, KnownView):
        return view.truth
    match view.task:
        case Task.CHAIN_VERIFICATION:
            gold = {view.image.chain_of[number].name for number in view.chain.mentions}
            return (VerificationAnswer.TRUE if len(gold) == 1 else VerificationAnswer.FALSE).value
        case Task.BOX_REQUIREMENT:
            if view.gold.boxes:
                return RequirementAnswer.BOX.value
            return (RequirementAnswer.SCENE if view.gold.scene else RequirementAnswer.NO_BOX).value
        case Task.BOX_QUALITY:
            drawn = view.progress.boxes[view.subject[1]].box
            good = any(iou(drawn, gold) >= COVERED for gold in view.missing)
            return (BoxQualityAnswer.GOOD if good else BoxQualityAnswer.BAD).value
        case Task.BOX_COVERAGE:
            return (CoverageAnswer.MORE_NEEDED if view.missing else CoverageAnswer.ALL_THERE).value
        case _:
            raise ValueError(f"{view.task} is not for this crowd.")


class PerfectBoxes:
    """A crowd that always gives the gold answer and draws boxes to the pixel."""

    def answer(self, view: View | KnownView, worker: int) -> object:
        return right_answer(view)

    def error(self, task: Task, worker: int) -> float:
        """Return the share of wrong answers of this worker: none."""
        return 0.0


class BoxCrowd:
    """The crowd `paper`: each task has its quality, and workers differ by a normal distribution on the logit."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._intercepts = {task: intercept([0.0], 1 - quality) for task, quality in QUALITY.items()}

    def answer(self, view: View | KnownView, worker: int) -> object:
        """Answer a question. The answer depends only on the seed, the image, the question's number and the worker."""
        wrong = self._uniform("wrong", view, worker) < self.error(view.task, worker)
        return self.answer_as(view, worker, wrong=wrong)

    def error(self, task: Task, worker: int) -> float:
        """Return the share of wrong answers, 0 to 1, of this worker on a task."""
        bias = WORKER_SD * self._normal("worker", task.value, worker)
        return sigmoid(self._intercepts[task] + bias)

    def answer_as(self, view: View | KnownView, worker: int, *, wrong: bool) -> object:
        """Return the answer of a worker who is wrong, or of one who is right."""
        right = right_answer(view)
        if view.task is Task.BOX_DRAWING:
            return self._draw(view, worker, wrong=wrong)
        if not wrong:
            return right
        choices = [answer for answer in CHOICES[view.task] if answer != right]
        return choices[int(self._uniform("other", view, worker) * len(choices))]

    def _draw(self, view: View | KnownView, worker: int, *, wrong: bool) -> object:
        if not wrong:
            if not view.missing:
                return drawing(None)
            first = view.missing[int(self._uniform("which", view, worker) * len(view.missing))]
            return drawing(self._shaken(view, first, worker))
        aim = self._aim(view)
        kinds = ["half", "shifted", "duplicate"] if view.boxes else ["half", "shifted"]
        kind = kinds[int(self._uniform("kind", view, worker) * len(kinds))]
        if kind == "duplicate":
            return drawing(view.boxes[int(self._uniform("again", view, worker) * len(view.boxes))])
        width, height = aim.x1 - aim.x0, aim.y1 - aim.y0
        if kind == "half":
            return drawing(_inside(view, aim.x0, aim.y0, aim.x0 + width / 2, aim.y1))
        dx, dy = width / 2, height / 2
        return drawing(_inside(view, aim.x0 + dx, aim.y0 + dy, aim.x1 + dx, aim.y1 + dy))

    def _aim(self, view: View | KnownView) -> Box:
        """Return the box that a bad drawing misses: a missing gold box, any gold box, or the middle of the image."""
        if view.missing or view.gold.boxes:
            return (view.missing or view.gold.boxes)[0]
        width, height = view.image.width, view.image.height
        return Box(width // 4, height // 4, max(width // 4 + 1, 3 * width // 4), max(height // 4 + 1, 3 * height // 4))

    def _shaken(self, view: View | KnownView, box: Box, worker: int) -> Box:
        sides = {"x": box.x1 - box.x0, "y": box.y1 - box.y0}

        def moved(edge: str, at: int) -> float:
            return at + EDGE_SD * sides[edge[0]] * STANDARD.inv_cdf(self._uniform(edge, view, worker))

        edges = [moved(edge, at) for edge, at in zip(("x0", "y0", "x1", "y1"), box, strict=True)]
        return _inside(view, *edges)

    def _normal(self, *key: str | int) -> float:
        return STANDARD.inv_cdf(stable_uniform(self._seed, *key))

    def _uniform(self, what: str, view: View | KnownView, worker: int) -> float:
        return stable_uniform(self._seed, what, view.image.key, view.number, worker)


def _inside(view: View | KnownView, x0: float, y0: float, x1: float, y1: float) -> Box:
    """Round to whole pixels, inside the image, at least 1 x 1."""
    left = min(max(round(x0), 0), view.image.width - 1)
    top = min(max(round(y0), 0), view.image.height - 1)
    right = min(max(round(x1), left + 1), view.image.width)
    bottom = min(max(round(y1), top + 1), view.image.height)
    return Box(left, top, right, bottom)
