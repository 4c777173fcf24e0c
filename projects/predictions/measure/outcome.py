"""Outcome of a copy, image by image: answers, time, money, and how much of what was found is right."""

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from django.db.models import Count

from annotation.models import Project
from pipeline.models import Judgment
from pipeline.project.queries import stream_progress
from pipeline.protocol.tasks.task import Task
from pipeline.settings.settings import Settings
from projects.operation import Output
from projects.value_with_interval import Estimate
from runtime.intervals import IntervalEstimate as Interval
from simulation.predict.estimate import change_of_share, change_of_sum
from simulation.predict.subject import OVER
from simulation.score import MatchCounts, SimulationScore, score_boxes, score_chains
from simulation.simulate import SECONDS, load_gold

LINKING = (Task.COREFERENCE_LINK, Task.CHAIN_VERIFICATION)


@dataclass(slots=True)
class ImageOutcome:
    """The work that one image took, and its result."""

    answers: Counter[Task] = field(default_factory=Counter)
    boxes: MatchCounts = field(default_factory=MatchCounts)
    """Its boxes as they would be exported; matched: those that are right."""
    chains: MatchCounts = field(default_factory=MatchCounts)
    review: int = 0
    """Chains that are left to an expert."""

    @property
    def linking(self) -> int:
        return sum(self.answers[task] for task in LINKING)

    @property
    def hours(self) -> float:
        """Return the time of workers at the usual seconds of an answer, as in a prediction of the project."""
        return sum(number * SECONDS[task] for task, number in self.answers.items()) / 3600

    def cents(self, settings: Settings) -> float:
        """Return what the answers earn."""
        rewards, sizes = settings.reward_cents, settings.batch
        return sum(number * rewards[task.value] / sizes[task.value] for task, number in self.answers.items())


def outcomes(copy: Project) -> dict[str, ImageOutcome]:
    """Return the outcome of each image of the copy, by its name."""
    gold, answers, found = load_gold(copy), answers_by_image(copy), {}
    for image, progress in stream_progress(copy):
        score = SimulationScore()
        score_chains(score, progress, gold[image])
        score_boxes(score, progress, gold[image])
        # An image that waits for an expert has no merged boxes: its accepted ones are what there is.
        boxes = score.merged_boxes if progress.merged else score.boxes
        found[gold[image].key] = ImageOutcome(answers[image], boxes, score.merged_chains, score.review.total())
    return found


def answers_by_image(copy: Project) -> dict[int, Counter[Task]]:
    """Count the answers to real questions by image and task."""
    found: dict[int, Counter[Task]] = defaultdict(Counter)
    rows = Judgment.objects.filter(question__project=copy).order_by().values_list("question__image", "question__task")
    for image, task, number in rows.annotate(Count("id")):
        found[image][Task(task)] += number
    return found


def finished_images(copy: Project) -> int:
    """Count the images about which nobody is asked any more."""
    return copy.images.filter(state__in=OVER).count()


Found = Mapping[str, ImageOutcome]
"""The outcomes of a copy by the names of its images."""
Share = Callable[[MatchCounts], tuple[float, float]]

SHARES: dict[str, Callable[[ImageOutcome], tuple[float, float]]] = {
    "boxes_right": lambda one: (one.boxes.matched, one.boxes.found),
    "boxes_found": lambda one: (one.boxes.matched, one.boxes.gold),
    "chains_exact": lambda one: (one.chains.matched, one.chains.gold),
}


class MeasuredFigure(Output):
    without: float | tuple[float, float]
    """In the copy without predictions; of a share its part and its whole."""
    with_program: float | tuple[float, float]
    """In the copy with the program's predictions, likewise."""
    change: Estimate | None
    """Of answers, hours and cents a share of what they are without; of a share the difference."""


def compare_figures(without: Found, with_it: Found, settings: Settings) -> dict[str, MeasuredFigure]:
    """Return each figure without the program and with it, and its change with a 90 % interval.

    Sums change by a share of what they were, shares by their difference. Both copies hold the same images.
    """
    names = sorted(without)
    pairs = [without[name] for name in names], [with_it[name] for name in names]
    sums: dict[str, Callable[[ImageOutcome], float]] = {
        "answers": lambda one: one.answers.total(),
        "linking": lambda one: one.linking,
        "boxing": lambda one: one.answers.total() - one.linking,
        "hours": lambda one: one.hours,
        "cents": lambda one: one.cents(settings),
        "review": lambda one: one.review,
    }
    figures = {name: _sums(*([get(play) for play in side] for side in pairs)) for name, get in sums.items()}
    figures |= {name: _shares(*([get(play) for play in side] for side in pairs)) for name, get in SHARES.items()}
    return figures


def _sums(before: Sequence[float], after: Sequence[float]) -> MeasuredFigure:
    without, with_program = (round(sum(side), 4) for side in (before, after))
    return MeasuredFigure(without=without, with_program=with_program, change=_rounded(change_of_sum(before, after)))


def _shares(before: Sequence[tuple[float, float]], after: Sequence[tuple[float, float]]) -> MeasuredFigure:
    old, new = ((sum(part for part, _ in side), sum(whole for _, whole in side)) for side in (before, after))
    return MeasuredFigure(without=old, with_program=new, change=_rounded(change_of_share(before, after)))


def _rounded(change: Interval | None) -> Estimate | None:
    if change is None:
        return None
    value, low, high = (round(number, 5) for number in change)
    return Estimate(value=value, low=low, high=high)
