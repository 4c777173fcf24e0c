"""Forecast: what each option would take and give for a whole project, from a sample of its images.

Every option meets the same truths and the same crowd, so that differences between options are not chance.
"""

import random
from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from statistics import fmean

from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.tasks.task import Task
from simulation.crowd import CROWDS
from simulation.mixed_crowd import MixedCrowd, kinds_of
from simulation.predict.belief import Belief
from simulation.predict.crew import CrewPlan, QualifiedCrew, qualify
from simulation.predict.draw_truth import TruthDrawer
from simulation.predict.estimate import Estimate, Frame, share, total
from simulation.predict.options import Option
from simulation.predict.play_image import Played, play_image
from simulation.predict.subject import Subject
from simulation.simulate import SECONDS
from simulation.view import GoldImage


@dataclass(frozen=True, slots=True)
class ForecastPlan:
    """The assumptions. The same plan on the same images gives the same forecast."""

    crowd: str = "paper"
    """A name in `CROWDS`: the manner of the honest workers."""
    crew: CrewPlan = field(default_factory=CrewPlan)
    repetitions: int = 3
    seed: int = 0
    seconds: dict[Task, float] = field(default_factory=lambda: dict(SECONDS))
    """Seconds of work for one answer."""
    scale: float = 1.0
    """Answers that a finished image took, as a multiple of what was forecast for it."""


@dataclass(frozen=True, slots=True)
class Forecast:
    """The forecast of one option for all images."""

    option: Option
    judgments: Estimate
    """Answers of every kind, those to verification questions included."""
    hours: Estimate
    cents: Estimate
    exact: Estimate
    """The share of exactly right chains, 0 to 1."""
    by_task: dict[Task, float]
    """Answers to real questions."""
    known: float
    """Answers to verification questions, tests included."""
    review: float
    """Chains that need an expert."""
    each: list[float]
    """Answers to real questions of each sampled image."""
    admitted: dict[Task, float]
    """The share of workers whom quality control admits to each task, 0 to 1."""


class Stage:
    """The truths and the crowds of the repetitions, which all options share."""

    def __init__(self, sample: Sequence[Subject], belief: Belief, plan: ForecastPlan) -> None:
        self.sample, self.plan = sample, plan
        drawers = [TruthDrawer(image, belief) for image in sample]
        seeds = [f"{plan.seed} {number}" for number in range(plan.repetitions)]
        self.truths = [[one.draw(random.Random(f"{seed} {n}")) for n, one in enumerate(drawers)] for seed in seeds]
        self.crowds = [self._crowd(truths, number) for number, truths in enumerate(self.truths)]
        self._crews: dict[tuple[str, int], QualifiedCrew] = {}

    def _crowd(self, truths: Sequence[GoldImage], number: int) -> MixedCrowd:
        plan, seed = self.plan, self.plan.seed + 1000 * number
        images = [(truth, image.for_links()) for truth, image in zip(truths, self.sample, strict=True)]
        crowd = CROWDS[plan.crowd](images, seed)
        return MixedCrowd(crowd, kinds_of(plan.crew.workers, plan.crew.bad), seed)

    def scaled(self, scale: float) -> "Stage":
        """Return the stage with another multiple of answers for each image; the same truths and crowds."""
        other = copy(self)
        other.plan = replace(self.plan, scale=scale)
        return other

    def crew(self, settings: ProtocolSettings, number: int) -> QualifiedCrew:
        """Return the crew of a repetition; options with the same quality control share it."""
        key = repr((settings.trust, settings.minimum, settings.below_minimum)), number
        if key not in self._crews:
            seed = self.plan.seed + 1000 * number
            self._crews[key] = qualify(self.plan.crew, self.crowds[number], settings, seed)
        return self._crews[key]

    def play(self, settings: ProtocolSettings, number: int, place: int) -> Played:
        """Play one image of one repetition."""
        draw = random.Random(f"{self.plan.seed} {number} {place}")
        subject, truth = self.sample[place], self.truths[number][place]
        return play_image(subject, truth, settings, self.crowds[number], self.crew(settings, number), draw)


def forecast(
    stage: Stage, option: Option, base: ProtocolSettings, frame: Frame, step: Callable[[], object] = lambda: None
) -> Forecast:
    """Forecast one option. `step` is called after each image; it may raise to stop the work."""
    settings, plan = option.settings(base), stage.plan
    played: list[list[Played]] = []
    for place in range(len(stage.sample)):
        played.append([stage.play(settings, number, place) for number in range(plan.repetitions)])
        step()
    ratio = frame.all_sizes / sum(frame.sizes) if sum(frame.sizes) else 0.0
    by_task = {
        task: plan.scale * ratio * sum(fmean(one.judgments[task] for one in row) for row in played) for task in Task
    }
    crews = [stage.crew(settings, number) for number in range(plan.repetitions)]
    known = {task: [_known(crew, task, by_task[task]) for crew in crews] for task in Task}
    tests = {task: fmean(crew.tasks[task].tests for crew in crews) if by_task[task] else 0.0 for task in Task}
    cents = {task: settings.reward_cents[task.value] / settings.batch[task.value] for task in Task}

    def estimated(weights: dict[Task, float], unpaid: float = 0.0) -> Estimate:
        runs = [[sum(weights[task] * one.judgments[task] for task in Task) for one in row] for row in played]
        extra = [sum(weights[task] * known[task][n] for task in Task) for n in range(plan.repetitions)]
        return total(runs, frame, [one + unpaid for one in extra], plan.scale)

    return Forecast(
        option,
        judgments=estimated(dict.fromkeys(Task, 1.0), sum(tests.values())),
        hours=estimated(
            {task: plan.seconds[task] / 3600 for task in Task},
            sum(tests[task] * plan.seconds[task] / 3600 for task in Task),
        ),
        cents=estimated(cents),
        exact=share(_column(played, "exact"), _column(played, "chains"), frame),
        by_task=by_task,
        known=sum(map(fmean, known.values())) + sum(tests.values()),
        review=ratio * sum(fmean(one.review for one in row) for row in played),
        each=[fmean(one.judgments.total() for one in row) for row in played],
        admitted={task: fmean(len(crew.tasks[task].allowed) for crew in crews) / plan.crew.workers for task in Task},
    )


def _known(crew: QualifiedCrew, task: Task, real: float) -> float:
    """Return the paid verification questions of a task with so many real answers."""
    if not real:
        return 0.0
    one = crew.tasks[task]
    most = len(one.allowed) * crew.stock[task] + one.probation
    return min(one.probation + one.rate * real, most)


def _column(played: Sequence[Sequence[Played]], name: str) -> list[list[float]]:
    return [[float(getattr(one, name)) for one in row] for row in played]
