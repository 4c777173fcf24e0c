"""Forecast: what each option would take and give for a whole project, from a sample of its images."""

import copy
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean
from typing import Any, NamedTuple

from pipeline.protocol.tasks.task import PROTOCOL_TASKS, Task
from pipeline.settings.settings import Settings
from pipeline.settings.table_3 import work_of_link
from runtime.intervals import IntervalEstimate
from simulation.crowd import CROWDS
from simulation.mixed_crowd import MixedCrowd, kinds_of
from simulation.predict.crew import CrewPlan, Load, QualifiedCrew, QualityCosts, ToCome, qualify
from simulation.predict.draw_truth import Belief, TruthDrawer
from simulation.predict.estimate import MODEL_SD, Mean, SamplingFrame, Scale, crowd_sd, mean_share, scale_of, share
from simulation.predict.estimate import total as estimate_total
from simulation.predict.options import ForecastOption
from simulation.predict.play_image import AskedChains, ImagePlay, Played
from simulation.predict.subject import SoFar, Subject
from simulation.programs import NO_PROGRAMS, PROPOSER, BesidePrograms, Programs, as_new
from simulation.simulate import SECONDS
from simulation.view import TrueImage

PER_PHRASE = dict(zip(PROTOCOL_TASKS, (1.2, 0.25, 0.3, 0.8, 0.8, 1.0), strict=True))
"""Answers to real questions for each phrase: how much each worker of the crew will have to do."""


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
    measured_seconds: dict[Task, float] = field(default_factory=lambda: dict(SECONDS))
    """The same as the project measured them, by which chains with and without a box are compared."""
    programs: Programs = NO_PROGRAMS
    """Those that judge under settings that name any."""


class ForecastImages:
    """Images that are not finished, then finished ones, with the truths and crowds of each repetition.

    `phrases`: those of the whole project.
    """

    def __init__(
        self, todo: Sequence[Subject], belief: Belief, plan: ForecastPlan, phrases: float, done: Sequence[Subject] = ()
    ) -> None:
        self.todo, self.sample, self.plan = todo, [*todo, *done], plan
        self.control = QualityCosts(plan.crew, plan.crowd, plan.seed)
        self._load = Load({task: phrases * number for task, number in PER_PHRASE.items()}, plan.seconds)
        drawers = [TruthDrawer(image, belief) for image in self.sample]
        seeds = [f"{plan.seed} {number}" for number in range(plan.repetitions)]
        self.truths = [
            [drawer.draw(random.Random(f"{seed} {n}")) for n, drawer in enumerate(drawers)] for seed in seeds
        ]
        self.crowds = [self._crowd(truths, number) for number, truths in enumerate(self.truths)]
        self._crews: dict[tuple[str, int], QualifiedCrew] = {}
        self._new: tuple[Settings, Settings] | None = None

    def beside(self, programs: Programs) -> "ForecastImages":
        """Return the same images, truths and crowds with other programs."""
        other = copy.copy(self)
        other.plan, other._new = replace(self.plan, programs=programs), None
        return other

    def _crowd(self, truths: Sequence[TrueImage], number: int) -> MixedCrowd:
        plan, seed = self.plan, self.plan.seed + 1000 * number
        images = [(truth, image.for_links()) for truth, image in zip(truths, self.sample, strict=True)]
        crowd = CROWDS[plan.crowd](images, seed)
        return MixedCrowd(crowd, kinds_of(plan.crew.workers, plan.crew.bad), seed)

    def crew(self, settings: Settings, number: int) -> QualifiedCrew:
        """Return the crew of a repetition; options with the same quality control share it."""
        key = repr((settings.trust, settings.minimum, settings.below_minimum)), number
        if key not in self._crews:
            seed = self.plan.seed + 1000 * number
            self._crews[key] = qualify(self.plan.crew, self.crowds[number], settings, seed, self._load)
        return self._crews[key]

    def play(self, settings: Settings, number: int, place: int) -> Played:
        """Play one image of one repetition."""
        name, programs = f"{self.plan.seed} {number} {place}", self.plan.programs
        subject, truth, crew = self.sample[place], self.truths[number][place], self.crew(settings, number)
        seed, pre_annotated = self.plan.seed + 1000 * number, dict[int, Mapping[str, Any]]()
        if subject.source_labels is not None:
            pre_annotated[settings.reference_set] = subject.source_labels
        if programs.proposer and settings.pre_annotations:
            pre_annotated[PROPOSER] = {"boxes": programs.proposer.rows(truth, seed)}
        if not settings.model_annotators:
            people, draw = self.crowds[number], random.Random(name)
            return ImagePlay(subject, truth, settings, people, crew, draw, pre_annotated).play()
        if programs.new and random.Random(f"{name} new").random() < programs.new:
            settings = self._as_new(settings)
        both = BesidePrograms(self.crowds[number], crew, programs.model_annotators, settings, seed)
        played = ImagePlay(subject, truth, settings, both, both, random.Random(name), pre_annotated).play()
        played.judgments -= both.answered
        return played

    def _as_new(self, settings: Settings) -> Settings:
        """Return what `as_new` does; the newest settings are kept, since many images are played under them."""
        if self._new is None or self._new[0] is not settings:
            self._new = settings, as_new(settings)
        return self._new[1]


Runs = list[list[Played]]
LABELS = ("wrong", "found", "spoiled")
"""Labels that the source has wrong, those among them that end right, and right ones that end wrong."""
LEAST_FINISHED = 5
"""Finished images from which answers per image are compared with the forecast."""


@dataclass(frozen=True, slots=True)
class Behind:
    """The work that is done of a project, and the scale that it sets for the rest."""

    so_far: SoFar = field(default_factory=SoFar)
    frame: SamplingFrame = SamplingFrame([], 0, 0)  # noqa: RUF009  # a tuple
    """The finished images and their sample."""
    exact: Mean = Mean(0.0, 0.0, 0)  # noqa: RUF009
    """The share of exactly right chains of finished images."""
    scale: Scale | None = None
    """Answers that finished images took, as a multiple of what was forecast for them; None: the priors alone."""
    review: float = 0.0
    """Chains of finished images that needed an expert."""
    labels: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """Labels of finished images, where a source is checked: see `LABELS`."""


class ForecastPart(NamedTuple):
    """One kind of answers of a forecast. Probation counts what is to come: what was answered is verification."""

    judgments: float
    hours: float
    cents: float


class ChainCost(NamedTuple):
    """The mean of people's answers to box tasks about a chain, and what they take."""

    answers: float
    seconds: float
    cents: float


@dataclass(frozen=True, slots=True)
class OptionForecast:
    """The forecast of one option for all images, with the work that is done."""

    option: ForecastOption
    judgments: IntervalEstimate
    """Answers of every kind, those to verification questions included."""
    hours: IntervalEstimate
    cents: IntervalEstimate
    exact: IntervalEstimate
    """The share of exactly right chains, 0 to 1."""
    by_task: dict[Task, float]
    """Answers to real questions."""
    known: float
    """Answers to verification questions, tests included."""
    review: float
    """Chains that need an expert."""
    admitted: dict[Task, list[float]]
    """The share of workers whom quality control admits to each task, 0 to 1, of each crew that was looked at."""
    parts: dict[str, ForecastPart]
    """All answers by kind: real questions, verification, probation, tests."""
    labels: dict[str, IntervalEstimate]
    """Of a check, labels of each kind in `LABELS`."""
    played: Runs
    """The images that are not finished, in each repetition."""
    negative: ChainCost | None
    """Of a chain without a box, which is no scene; None: none was simulated."""
    positive: ChainCost | None
    """Of a chain with boxes."""

    def over(self, others: Sequence["OptionForecast"]) -> "OptionForecast":
        """Return this forecast with intervals that hold those of others: of the option under other assumptions."""
        return replace(
            self,
            judgments=self.judgments.over(other.judgments for other in others),
            hours=self.hours.over(other.hours for other in others),
            cents=self.cents.over(other.cents for other in others),
            exact=self.exact.over(other.exact for other in others),
            labels={name: label.over(other.labels[name] for other in others) for name, label in self.labels.items()},
        )


def look_back(
    stage: ForecastImages,
    base: Settings,
    frame: SamplingFrame,
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
    review = frame.ratio * sum(fmean(play.review for play in row) for row in played)
    before, answers = MODEL_SD * frame.model, [[float(play.judgments.total()) for play in row] for row in played]
    scale = scale_of(actual, answers, before) if len(actual) >= LEAST_FINISHED else None
    labels = [frame.ratio * sum(map(fmean, _column(played, name))) for name in LABELS]
    return Behind(so_far, frame, exact, scale, review, (labels[0], labels[1], labels[2]))


def forecast(
    stage: ForecastImages,
    option: ForecastOption,
    base: Settings,
    frame: SamplingFrame,
    behind: Behind | None = None,
    step: Callable[[], object] = lambda: None,
) -> OptionForecast:
    """Forecast one option. `frame`: the sample among the images that are not finished.

    `step` is called after each image; it may raise to stop the work.
    """
    behind, settings, plan = behind or Behind(), option.settings(base), stage.plan
    so_far, scale = behind.so_far, behind.scale or Scale(1.0, MODEL_SD * frame.model)
    played = _play(stage, settings, range(len(stage.todo)), step)
    sums = {task: sum(fmean(play.judgments[task] for play in row) for row in played) for task in PROTOCOL_TASKS}
    done = {task: so_far.real[task] - so_far.unfinished[task] for task in PROTOCOL_TASKS}
    by_task = {task: done[task] + scale.factor * frame.ratio * sums[task] for task in PROTOCOL_TASKS}
    load, control = Load(by_task, plan.seconds), stage.control
    crews = control.to_come(settings, load, so_far)
    before, ahead = (_rates(settings, plan.seconds, work) for work in (so_far.link_work, _link_work(played)))
    ones = dict.fromkeys(PROTOCOL_TASKS, 1.0)

    def estimated(weights: Mapping[Task, float], behind_us: float, *, tests: bool) -> IntervalEstimate:
        runs = [
            [sum(weights[task] * play.judgments[task] for task in PROTOCOL_TASKS) for play in row] for row in played
        ]
        extra = [_sum(weights, crew.known) + (_sum(weights, crew.tests) if tests else 0.0) for crew in crews]
        found = estimate_total(runs, frame, extra, scale, crowd_sd(plan.crew.workers, plan.crew.bad))
        return IntervalEstimate(*(behind_us + amount for amount in found))

    quality = {task: so_far.known[task] + so_far.tests[task] for task in PROTOCOL_TASKS}
    return OptionForecast(
        option,
        judgments=estimated(ones, _sum(ones, done) + _sum(ones, quality), tests=True),
        hours=estimated(ahead.hours, _sum(before.hours, done) + _sum(before.hours, quality), tests=True),
        cents=estimated(ahead.cents, so_far.cents - _sum(before.cents, so_far.unfinished), tests=False),
        exact=_exact(played, frame, behind, plan.crew.workers),
        by_task=by_task,
        known=_sum(ones, quality) + fmean(_sum(ones, crew.known) + _sum(ones, crew.tests) for crew in crews),
        review=behind.review + frame.ratio * sum(fmean(play.review for play in row) for row in played),
        admitted=control.admitted(settings, load),
        parts=_parts(done, by_task, crews, so_far, before, ahead),
        labels={
            name: IntervalEstimate(*(done + amount for amount in estimate_total(_column(played, name), frame)))
            for name, done in zip(LABELS, behind.labels, strict=True)
        }
        if settings.reference_set
        else {},
        played=played,
        negative=_cost([play.negatives for row in played for play in row], plan.measured_seconds, ahead.cents),
        positive=_cost([play.positives for row in played for play in row], plan.measured_seconds, ahead.cents),
    )


class _Rates(NamedTuple):
    """Hours and cents of an answer, by task."""

    hours: Mapping[Task, float]
    cents: Mapping[Task, float]


def _rates(settings: Settings, seconds: Mapping[Task, float], link_work: float) -> _Rates:
    """`link_work`: the mean work of a question about links, in pairs."""
    work = {task: link_work if task is Task.COREFERENCE_LINK else 1.0 for task in PROTOCOL_TASKS}
    cents = {task: settings.reward_cents[task.value] / settings.batch[task.value] for task in PROTOCOL_TASKS}
    return _Rates(
        {task: work[task] * seconds[task] / 3600 for task in PROTOCOL_TASKS},
        {task: work[task] * cents[task] for task in PROTOCOL_TASKS},
    )


def _link_work(played: Runs) -> float:
    """Return the mean work of a question about links, in pairs."""
    runs = [play for row in played for play in row]
    links = sum(play.judgments[Task.COREFERENCE_LINK] for play in runs)
    return work_of_link(sum(play.further for play in runs) / links) if links else 1.0


def _cost(parts: Sequence[AskedChains], seconds: Mapping[Task, float], cents: Mapping[Task, float]) -> ChainCost | None:
    chains = sum(part.chains for part in parts)
    if not chains:
        return None
    means = {task: sum(part.answers[task] for part in parts) / chains for task in PROTOCOL_TASKS}
    return ChainCost(sum(means.values()), _sum(seconds, means), _sum(cents, means))


def _parts(
    done: Mapping[Task, float],
    real: Mapping[Task, float],
    crews: Sequence[ToCome],
    so_far: SoFar,
    before: _Rates,
    ahead: _Rates,
) -> dict[str, ForecastPart]:
    """`done`, `real`: answers to real questions that count as done, and all."""
    probation = _means([crew.probation for crew in crews])
    known = _means([crew.known for crew in crews])
    tests = _means([crew.tests for crew in crews])

    def part(answered: Mapping[Task, float], to_come: Mapping[Task, float]) -> ForecastPart:
        hours, cents = (_sum(was, answered) + _sum(rate, to_come) for was, rate in zip(before, ahead, strict=True))
        return ForecastPart(sum(answered.values()) + sum(to_come.values()), hours, cents)

    return {
        "real questions": part(done, {task: real[task] - done[task] for task in PROTOCOL_TASKS}),
        "verification questions": part(so_far.known, {task: known[task] - probation[task] for task in PROTOCOL_TASKS}),
        "probation": part({}, probation),
        "tests": part(so_far.tests, tests)._replace(cents=0.0),
    }


def _means(counts: Sequence[Mapping[Task, float]]) -> dict[Task, float]:
    return {task: fmean(count[task] for count in counts) for task in PROTOCOL_TASKS}


def _play(stage: ForecastImages, settings: Settings, places: range, step: Callable[[], object]) -> Runs:
    played = []
    for place in places:
        played.append([stage.play(settings, number, place) for number in range(stage.plan.repetitions)])
        step()
    return played


def _exact(played: Runs, frame: SamplingFrame, behind: Behind, workers: int) -> IntervalEstimate:
    to_come = mean_share(_column(played, "exact"), _column(played, "chains"), frame)
    return share([(to_come, frame), (behind.exact, behind.frame)], workers)


def _sum(weights: Mapping[Task, float], counts: Mapping[Task, float]) -> float:
    return sum(weights[task] * number for task, number in counts.items())


def _column(played: Runs, name: str) -> list[list[float]]:
    return [[float(getattr(play, name)) for play in row] for row in played]
