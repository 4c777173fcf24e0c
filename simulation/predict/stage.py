"""The stage of a forecast: sampled images, their truths, and the crowds and crews that all options share."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pipeline.protocol.tasks.task import PROTOCOL_TASKS, Task
from pipeline.settings.settings import Settings
from simulation.crowd import CROWDS
from simulation.mixed_crowd import MixedCrowd, kinds_of
from simulation.predict.belief import Belief
from simulation.predict.crew import CrewPlan, Load, QualifiedCrew, qualify
from simulation.predict.draw_truth import TruthDrawer
from simulation.predict.play_image import Played, play_image
from simulation.predict.programs import NO_PROGRAMS, PROPOSER, Programs, as_new
from simulation.predict.quality_costs import QualityCosts
from simulation.predict.subject import Subject
from simulation.programs import BesidePrograms
from simulation.simulate import SECONDS
from simulation.view import GoldImage

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
    programs: Programs = NO_PROGRAMS
    """Those that judge under settings that name any."""


class Stage:
    """Images that are not finished, then finished ones, with the truths and crowds of each repetition.

    `phrases`: those of the whole project.
    """

    def __init__(
        self, todo: Sequence[Subject], belief: Belief, plan: ForecastPlan, phrases: float, done: Sequence[Subject] = ()
    ) -> None:
        self.todo, self.sample, self.plan = todo, [*todo, *done], plan
        self.control = QualityCosts(plan.crew, plan.crowd, plan.seed)
        self._load = Load({task: phrases * each for task, each in PER_PHRASE.items()}, plan.seconds)
        drawers = [TruthDrawer(image, belief) for image in self.sample]
        seeds = [f"{plan.seed} {number}" for number in range(plan.repetitions)]
        self.truths = [
            [drawer.draw(random.Random(f"{seed} {n}")) for n, drawer in enumerate(drawers)] for seed in seeds
        ]
        self.crowds = [self._crowd(truths, number) for number, truths in enumerate(self.truths)]
        self._crews: dict[tuple[str, int], QualifiedCrew] = {}
        self._new: tuple[Settings, Settings] | None = None

    def _crowd(self, truths: Sequence[GoldImage], number: int) -> MixedCrowd:
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
        if subject.said is not None:
            pre_annotated[settings.reference_set] = subject.said
        if programs.proposer and settings.pre_annotations:
            pre_annotated[PROPOSER] = {"boxes": programs.proposer.rows(truth, seed)}
        if not settings.model_annotators:
            return play_image(subject, truth, settings, self.crowds[number], crew, random.Random(name), pre_annotated)
        if programs.new and random.Random(f"{name} new").random() < programs.new:
            settings = self._as_new(settings)
        both = BesidePrograms(self.crowds[number], crew, programs.model_annotators, settings, seed)
        played = play_image(subject, truth, settings, both, both, random.Random(name), pre_annotated)
        played.judgments -= both.answered
        return played

    def _as_new(self, settings: Settings) -> Settings:
        """Return what `as_new` does; the newest settings are kept, since many images are played under them."""
        if self._new is None or self._new[0] is not settings:
            self._new = settings, as_new(settings)
        return self._new[1]
