"""Forecast: what each option would take and give for a whole project, from a sample of its images.

Every option meets the same truths and the same crowd, so that differences between options are not chance. Work that is
done counts as it was: a forecast adds the images that are not finished.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import NamedTuple

from pipeline.protocol.tasks.task import PROTOCOL_TASKS, Task
from pipeline.settings.settings import Settings
from runtime.intervals import Estimate
from simulation.predict.crew import Load
from simulation.predict.estimate import MODEL_SD, Frame, Mean, Scale, crowd_sd, mean_share, scale_of, share
from simulation.predict.estimate import total as estimate_total
from simulation.predict.options import Option
from simulation.predict.play_image import Played
from simulation.predict.quality_costs import ToCome
from simulation.predict.read_project import SoFar
from simulation.predict.stage import Stage

Runs = list[list[Played]]
LABELS = ("wrong", "found", "spoiled")
"""Labels that the source has wrong, those among them that end right, and right ones that end wrong."""
LEAST_FINISHED = 5
"""Finished images from which answers per image are compared with the forecast."""


@dataclass(frozen=True, slots=True)
class Behind:
    """The work that is done of a project, and the scale that it sets for the rest."""

    so_far: SoFar = field(default_factory=SoFar)
    frame: Frame = Frame([], 0, 0)  # noqa: RUF009  # a tuple
    """The finished images and their sample."""
    exact: Mean = Mean(0.0, 0.0, 0)  # noqa: RUF009
    """The share of exactly right chains of finished images."""
    scale: Scale | None = None
    """Answers that finished images took, as a multiple of what was forecast for them; None: the priors alone."""
    review: float = 0.0
    """Chains of finished images that needed an expert."""
    labels: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """Labels of finished images, where a source is checked: see `LABELS`."""


class Part(NamedTuple):
    """One kind of answers of a forecast. Probation counts what is to come: what was answered is verification."""

    judgments: float
    hours: float
    cents: float


@dataclass(frozen=True, slots=True)
class Forecast:
    """The forecast of one option for all images, with the work that is done."""

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
    admitted: dict[Task, float]
    """The share of workers whom quality control admits to each task, 0 to 1."""
    parts: dict[str, Part]
    """All answers by kind: real questions, verification, probation, tests."""
    labels: dict[str, Estimate]
    """Of a check, labels of each kind in `LABELS`."""


def look_back(
    stage: Stage,
    base: Settings,
    frame: Frame,
    so_far: SoFar,
    actual: Sequence[float],
    step: Callable[[], object] = lambda: None,
) -> Behind:
    """Compare the finished images of the stage with what would have been forecast for them before they were begun.

    `actual`: the answers to real questions that each of them took. `frame`: these images among all finished ones.
    """
    if not frame.images:
        return Behind(so_far)
    played = _play(stage, base, range(len(stage.todo), len(stage.sample)), step)
    exact = mean_share(_column(played, "exact"), _column(played, "chains"), frame)
    review = frame.ratio * sum(fmean(one.review for one in row) for row in played)
    before, answers = MODEL_SD * frame.model, [[float(one.judgments.total()) for one in row] for row in played]
    scale = scale_of(actual, answers, before) if len(actual) >= LEAST_FINISHED else None
    labels = [frame.ratio * sum(map(fmean, _column(played, name))) for name in LABELS]
    return Behind(so_far, frame, exact, scale, review, (labels[0], labels[1], labels[2]))


def forecast(
    stage: Stage,
    option: Option,
    base: Settings,
    frame: Frame,
    behind: Behind | None = None,
    step: Callable[[], object] = lambda: None,
) -> Forecast:
    """Forecast one option. `frame`: the sample among the images that are not finished.

    `step` is called after each image; it may raise to stop the work.
    """
    behind, settings, plan = behind or Behind(), option.settings(base), stage.plan
    so_far, scale = behind.so_far, behind.scale or Scale(1.0, MODEL_SD * frame.model)
    played = _play(stage, settings, range(len(stage.todo)), step)
    sums = {task: sum(fmean(one.judgments[task] for one in row) for row in played) for task in PROTOCOL_TASKS}
    done = {task: so_far.real[task] - so_far.unfinished[task] for task in PROTOCOL_TASKS}
    by_task = {task: done[task] + scale.factor * frame.ratio * sums[task] for task in PROTOCOL_TASKS}
    load, control = Load(by_task, plan.seconds), stage.control
    crews = control.to_come(settings, load, so_far)
    cents = {task: settings.reward_cents[task.value] / settings.batch[task.value] for task in PROTOCOL_TASKS}
    hours = {task: plan.seconds[task] / 3600 for task in PROTOCOL_TASKS}
    ones = dict.fromkeys(PROTOCOL_TASKS, 1.0)

    def estimated(weights: Mapping[Task, float], behind_us: float, *, tests: bool) -> Estimate:
        runs = [[sum(weights[task] * one.judgments[task] for task in PROTOCOL_TASKS) for one in row] for row in played]
        extra = [_sum(weights, crew.known) + (_sum(weights, crew.tests) if tests else 0.0) for crew in crews]
        found = estimate_total(runs, frame, extra, scale, crowd_sd(plan.crew.workers, plan.crew.bad))
        return Estimate(*(behind_us + each for each in found))

    quality = {task: so_far.known[task] + so_far.tests[task] for task in PROTOCOL_TASKS}
    return Forecast(
        option,
        judgments=estimated(ones, _sum(ones, done) + _sum(ones, quality), tests=True),
        hours=estimated(hours, _sum(hours, done) + _sum(hours, quality), tests=True),
        cents=estimated(cents, so_far.cents - _sum(cents, so_far.unfinished), tests=False),
        exact=_exact(played, frame, behind, plan.crew.workers),
        by_task=by_task,
        known=_sum(ones, quality) + fmean(_sum(ones, crew.known) + _sum(ones, crew.tests) for crew in crews),
        review=behind.review + frame.ratio * sum(fmean(one.review for one in row) for row in played),
        admitted=control.admitted(settings, load),
        parts=_parts(by_task, crews, so_far, hours, cents),
        labels={
            name: Estimate(*(done + each for each in estimate_total(_column(played, name), frame)))
            for name, done in zip(LABELS, behind.labels, strict=True)
        }
        if settings.reference_set
        else {},
    )


def _parts(
    real: Mapping[Task, float],
    crews: Sequence[ToCome],
    so_far: SoFar,
    hours: Mapping[Task, float],
    cents: Mapping[Task, float],
) -> dict[str, Part]:
    probation = _means([crew.probation for crew in crews])
    known = _means([crew.known for crew in crews])
    verification = {task: known[task] - probation[task] + so_far.known[task] for task in PROTOCOL_TASKS}
    tests = _means([crew.tests for crew in crews])
    tests = {task: tests[task] + so_far.tests[task] for task in PROTOCOL_TASKS}
    unpaid = dict.fromkeys(PROTOCOL_TASKS, 0.0)

    def part(counts: Mapping[Task, float], weights: Mapping[Task, float] = cents) -> Part:
        return Part(sum(counts.values()), _sum(hours, counts), _sum(weights, counts))

    return {
        "real questions": part(real),
        "verification questions": part(verification),
        "probation": part(probation),
        "tests": part(tests, unpaid),
    }


def _means(counts: Sequence[Mapping[Task, float]]) -> dict[Task, float]:
    return {task: fmean(count[task] for count in counts) for task in PROTOCOL_TASKS}


def _play(stage: Stage, settings: Settings, places: range, step: Callable[[], object]) -> Runs:
    played = []
    for place in places:
        played.append([stage.play(settings, number, place) for number in range(stage.plan.repetitions)])
        step()
    return played


def _exact(played: Runs, frame: Frame, behind: Behind, workers: int) -> Estimate:
    to_come = mean_share(_column(played, "exact"), _column(played, "chains"), frame)
    return share([(to_come, frame), (behind.exact, behind.frame)], workers)


def _sum(weights: Mapping[Task, float], counts: Mapping[Task, float]) -> float:
    return sum(weights[task] * counts[task] for task in PROTOCOL_TASKS)


def _column(played: Runs, name: str) -> list[list[float]]:
    return [[float(getattr(one, name)) for one in row] for row in played]
