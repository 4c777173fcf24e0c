"""Simulated programs beside people: some judge, some propose. No figure that they produce was measured with a program.

A model annotator errs about boxes and links as often as it is said to, or as it was measured. A proposer finds
boxes, and may predict chains. Models agree with each other more than with people: the assumed errors of models, the
proposer among them, are correlated.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any, NamedTuple

from annotation.rules.box import Box, iou
from annotation.rules.transitivity import LinkMention, groups
from belief.annotators import ErrorRates
from belief.boxes.box_prior import ProgramRecord
from belief.boxes.proposers import NO_BOXES
from belief.models.records import PERSON, BoxRecord, LinkRecord
from pipeline.learning.refit import FIRST_REFIT
from pipeline.policies.compose import engine_of
from pipeline.protocol.tasks.box_coverage import CoverageAnswer
from pipeline.protocol.tasks.box_quality import BoxQualityAnswer
from pipeline.protocol.tasks.box_requirement import RequirementAnswer
from pipeline.protocol.tasks.coreference_link import CoreferenceAnswer
from pipeline.protocol.tasks.task import Task
from pipeline.settings.settings import Settings
from runtime.words import percent
from simulation.crowd import right_answer, stable_uniform
from simulation.predict.play_image import AnswerSource, Crew
from simulation.view import COVERED, KnownView, TrueChain, TrueImage, View

FAULTS = {
    Task.COREFERENCE_LINK: (CoreferenceAnswer.DIFFERENT.value, CoreferenceAnswer.SAME.value),
    Task.BOX_REQUIREMENT: (RequirementAnswer.BOX.value, RequirementAnswer.NO_BOX.value),
    Task.BOX_QUALITY: (BoxQualityAnswer.BAD.value, BoxQualityAnswer.GOOD.value),
    Task.BOX_COVERAGE: (CoverageAnswer.MORE_NEEDED.value, CoverageAnswer.ALL_THERE.value),
}
"""Of each task that programs judge, the answer that finds something wrong or missing, and the other."""
MIN_BAD_BOX_SIDE, MAX_BAD_BOX_SIDE = 0.125, 0.5
"""The sides of a bad box, in shares of the image's."""
TRIES = 50


class AssumedErrors(NamedTuple):
    """Errors of a model annotator that was not measured."""

    wrong: float
    """The share of wrong answers, 0 to 1."""
    correlation: float = 0.0
    """Of its errors with those of each other model about the same subject, 0 to 1."""

    @property
    def described(self) -> str:
        return f"{percent(self.wrong)}, correlation {self.correlation:g}"


ERRORS, CORRELATIONS = (0.08, 0.15, 0.22, 0.30), (0.0, 0.25, 0.5)
"""The grid of assumed errors, from the lowest."""
MIDDLE = AssumedErrors(0.22, 0.25)


def band(wrong: float | None = None) -> tuple[AssumedErrors, AssumedErrors, AssumedErrors]:
    """Return the assumed errors that a figure is computed for: the middle, then the lowest and the highest.

    `wrong`: the share of wrong answers, where it is known; then the correlation alone differs.
    """
    lowest, middle, highest = (ERRORS[0], MIDDLE.wrong, ERRORS[-1]) if wrong is None else (wrong, wrong, wrong)
    return (
        AssumedErrors(middle, MIDDLE.correlation),
        AssumedErrors(lowest, CORRELATIONS[0]),
        AssumedErrors(highest, CORRELATIONS[-1]),
    )


def grid() -> list[AssumedErrors]:
    """Return the assumed errors of a whole study: the band, the middle first, then every other pair."""
    every = (AssumedErrors(wrong, correlation) for wrong in ERRORS for correlation in CORRELATIONS)
    return list(dict.fromkeys((*band(), *every)))


@dataclass(frozen=True, slots=True)
class SimulatedModel:
    """A model annotator. It gives one answer to one state, however often it is asked.

    Models, the proposer among them, share a draw for each subject. Each takes that draw with the chance
    sqrt(correlation), or else one of its own: so two that err in the share e are both wrong in c e + (1 - c) e², and
    the model passes the share c + (1 - c) e of what the proposer has wrong.
    """

    name: str
    """Tells its errors from those of other programs."""
    assumed: AssumedErrors
    """Its errors of each kind that was not measured."""
    boxes: BoxRecord = BoxRecord()  # noqa: RUF009  # cannot be changed
    links: LinkRecord = LinkRecord()  # noqa: RUF009
    proposer: int | None = None
    """The number of the program whose boxes and chains are wrong together with its assumed answers."""

    @property
    def described(self) -> str:
        """The shares of its errors, in words."""
        measured = [
            f"{percent(wrong)} about {what}"
            for what, wrong, known in (
                ("boxes", self.boxes.wrong, self.boxes.is_known),
                ("links", self.links.wrong, self.links.is_known),
            )
            if known
        ]
        if measured:
            return f"{self.name}: wrong in {' and '.join(measured)}, as measured"
        return f"{self.name}: wrong in {self.assumed.described}, as assumed"

    def is_measured(self, task: Task) -> bool:
        """Return whether enough answers of a task's kind were held against people's."""
        return (self.links if task is Task.COREFERENCE_LINK else self.boxes).is_known

    def answer(self, view: View, seed: int) -> Any:
        """Return its answer to a question: the right one, or the other by its chance of an error."""
        fault, no_fault = FAULTS[view.task]
        is_fault = right_answer(view) == fault
        passed, alarm = self._mistakes(view)
        is_wrong = self._draw(view, seed, is_fault=is_fault) < (passed if is_fault else alarm)
        return fault if is_fault is not is_wrong else no_fault

    def _draw(self, view: View, seed: int, *, is_fault: bool) -> float:
        """Return the number below whose chance of an error the answer is wrong: one of its own, or that of all."""
        subject, shown = (view.image.key, view.task.value, str(view.subject)), ""
        if view.task is not Task.COREFERENCE_LINK:
            shown = str(sorted(tuple(box.box) for box in view.progress.accepted(view.chain.name)))
        if self.is_measured(view.task) or not self._shares(seed, self.name, *subject):
            return stable_uniform(seed, self.name, *subject, shown)
        if self._is_proposed_wrongly(view, is_fault=is_fault) and self._shares(seed, "proposer", *subject):
            return 0.0
        return stable_uniform(seed, "all models", *subject, shown)

    def _shares(self, seed: int, program: str, *subject: str) -> bool:
        """Return whether a program takes the draw that all models share."""
        return stable_uniform(seed, "shares", program, *subject) < math.sqrt(self.assumed.correlation)

    def _is_proposed_wrongly(self, view: View, *, is_fault: bool) -> bool:
        """Return whether the proposer has the subject of the question wrong: a bad box, or the place of a phrase."""
        if view.task is Task.BOX_QUALITY:
            box = view.progress.boxes[view.subject[1]]
            return is_fault and box.pre_annotated and box.worker == self.proposer
        chains = view.progress.program_chains.get(self.proposer or 0, [])
        if view.task is not Task.COREFERENCE_LINK or not chains:
            return False
        # A fault of a pair: its phrases do not corefer.
        return any(set(view.subject) <= set(chain) for chain in chains) is is_fault

    def _mistakes(self, view: View) -> ErrorRates:
        if not self.is_measured(view.task):
            return ErrorRates(self.assumed.wrong, self.assumed.wrong)
        if view.task is Task.COREFERENCE_LINK:
            return self.links.of_pairs()
        if view.task is Task.BOX_REQUIREMENT:
            return self.boxes.of_requirement()
        if view.task is Task.BOX_COVERAGE:
            return self.boxes.of_missing()
        box = view.progress.boxes[view.subject[1]]
        return self.boxes.of_box(str(box.worker) if box.pre_annotated else PERSON)


@dataclass(frozen=True, slots=True)
class SimulatedProposer:
    """A program that proposes boxes.

    If it knows how many boxes each chain has, it proposes a bad one in place of each that it does not find, and for the
    same share of chains without a box. See `guessing` for the other kind.
    """

    good: float
    """The share of true boxes that it finds, 0 to 1; of a guessing one, its chance to find one while any is left."""
    guessed: Mapping[tuple[str, str], int] = field(default_factory=dict)
    """Of a guessing one, the boxes that it proposes, by the image's key and the chain's name."""

    @classmethod
    def guessing(cls, images: Sequence[TrueImage], good: float, seed: int) -> "SimulatedProposer":
        """Return a proposer of which about the share `good` of all its boxes in these images is good.

        It proposes as many boxes as a chain needs in half of the chains, else as many as another chain needs, and it
        proposes them for every phrase of the chain.
        """
        draw = Random(f"{seed} proposer")
        counts = [len(chain.boxes) for image in images for chain in image.chains]
        guessed = {
            (image.key, chain.name): len(chain.boxes) if draw.random() < 0.5 else draw.choice(counts)
            for image in images
            for chain in image.chains
        }
        every = [(guessed[image.key, chain.name], len(chain.boxes)) for image in images for chain in image.chains]
        can_be_good = sum(min(pair) for pair in every)
        right = min(1.0, good * sum(number for number, _ in every) / can_be_good) if can_be_good else 0.0
        return cls(right, guessed)

    def rows(self, image: TrueImage, seed: int) -> list[list[int]]:
        """Return what it predicts for the image: [mention, x0, y0, x1, y1] for each box."""
        draw = Random(f"{seed} proposer {image.key}")
        if not self.guessed:
            return [[chain.mentions[0], *box] for chain in image.chains for box in self._known(image, chain, draw)]
        return [
            [mention, *box]
            for chain in image.chains
            for box in self._guessed(image, chain, draw)
            for mention in chain.mentions
        ]

    def _known(self, image: TrueImage, chain: TrueChain, draw: Random) -> Iterator[Box]:
        found: list[Box | None] = [box if draw.random() < self.good else None for box in chain.boxes]
        if not chain.boxes and draw.random() >= self.good:
            found = [None]
        boxes = (bad_box(draw, image, chain.boxes) if box is None else box for box in found)
        yield from (box for box in boxes if box is not None)

    def _guessed(self, image: TrueImage, chain: TrueChain, draw: Random) -> Iterator[Box]:
        missing = list(chain.boxes)
        for _ in range(self.guessed[image.key, chain.name]):
            right = missing and draw.random() < self.good
            box = missing.pop(draw.randrange(len(missing))) if right else bad_box(draw, image, chain.boxes)
            if box is not None:
                yield box


def bad_box(draw: Random, image: TrueImage, boxes: Sequence[Box]) -> Box | None:
    """Return a box that shows none of the entities in these; None if they leave no room for one."""
    for _ in range(TRIES):
        width, height = (
            max(1, int(side * draw.uniform(MIN_BAD_BOX_SIDE, MAX_BAD_BOX_SIDE))) for side in (image.width, image.height)
        )
        x, y = draw.randrange(image.width - width + 1), draw.randrange(image.height - height + 1)
        made = Box(x, y, x + width, y + height)
        if all(iou(made, box) < COVERED for box in boxes):
            return made
    return None


def predicted_chains(image: TrueImage, mentions: Sequence[LinkMention], placed: float, seed: int) -> list[list[int]]:
    """Return the chains that a program predicts for the image.

    It puts the share `placed` of the phrases, 0 to 1, into their gold chains, and each other one into another gold
    chain of its group or into a chain of its own, all equally likely.
    """
    chains: dict[tuple[int, str], list[int]] = defaultdict(list)
    for group in groups(mentions):
        first, names = group[0].number, {image.chain_of[mention.number].name for mention in group}
        draw = Random(f"{seed} chains {image.key} {first}")
        for mention in group:
            own = image.chain_of[mention.number].name
            wrong = [*sorted(names - {own}), f"alone {mention.number}"]
            chains[first, own if draw.random() < placed else draw.choice(wrong)].append(mention.number)
    return list(chains.values())


class BesidePrograms:
    """A crowd and a crew with programs that are asked first whatever they may answer, at no cost."""

    def __init__(
        self,
        crowd: AnswerSource,
        crew: Crew,
        model_annotators: Mapping[int, SimulatedModel],
        settings: Settings,
        seed: int,
    ) -> None:
        """`model_annotators`: by number, those of the settings; the first ones are asked first."""
        self._crowd, self._crew, self._model_annotators, self._engine, self._seed = (
            crowd,
            crew,
            model_annotators,
            engine_of(settings),
            seed,
        )
        self.answered: Counter[Task] = Counter()
        """The questions that the programs answered."""

    def answer(self, view: View | KnownView, worker: int) -> Any:
        model_annotator = self._model_annotators.get(worker)
        if model_annotator is None or not isinstance(view, View):
            return self._crowd.answer(view, worker)
        return model_annotator.answer(view, self._seed)

    def pick(self, task: Task, barred: Collection[int], draw: Random) -> int | None:
        """Return a program that may answer, or else a worker."""
        for model_annotator in self._model_annotators:
            if model_annotator not in barred and model_annotator in self._engine.judges(task):
                self.answered[task] += 1
                return model_annotator
        return self._crew.pick(task, barred, draw)

    def counts(self, task: Task, worker: int, draw: Random) -> bool:
        # The crew is asked about programs, too: each answer takes one draw, whoever gives it.
        return self._crew.counts(task, worker, draw) or worker in self._model_annotators

    def checked(self, task: Task, worker: int) -> tuple[float, int] | None:
        return None if worker in self._model_annotators else self._crew.checked(task, worker)

    def is_model(self, worker: int) -> bool:
        return worker in self._model_annotators


PROPOSER = 10**9 - 1
FIRST_NUMBER = 10**9
"""The number of the first program in a forecast: those of simulated workers begin at 0."""
ANSWERS = 500.0
"""Answers of each kind that a program of which nothing was measured is known by, in the end."""


@dataclass(frozen=True, slots=True)
class Programs:
    """The programs of one forecast."""

    model_annotators: Mapping[int, SimulatedModel] = field(default_factory=dict)
    """By number."""
    proposer: SimulatedProposer | None = None
    """The program that proposes boxes, where any does."""
    new: float = 0.0
    """The share of images, 0 to 1, about which people answer whatever the programs say, since these are new."""
    assumed: AssumedErrors = MIDDLE
    """Errors of what was not measured."""

    @property
    def described(self) -> list[str]:
        """The errors of each, in words."""
        judging = [annotator.described for annotator in self.model_annotators.values()]
        return (
            judging
            if self.proposer is None
            else [f"Of proposed boxes {percent(self.proposer.good)} are good", *judging]
        )

    def are_assumed(self, settings: Settings) -> bool:
        """Return whether any errors are assumed of what the programs judge under these settings."""
        judged = engine_of(settings).subjects.values()
        return any(not model.is_measured(task) for model in self.model_annotators.values() for task in judged)

    def __bool__(self) -> bool:
        return bool(self.model_annotators) or self.proposer is not None


NO_PROGRAMS = Programs()


def with_programs(
    base: Settings,
    names: Mapping[int, str],
    images: int,
    assumed: AssumedErrors = MIDDLE,
    good: float | None = None,
    *,
    imagined: bool = False,
) -> tuple[Settings, Programs]:
    """Return the settings of a forecast, and its programs.

    `names`: of the programs at work, by number. `images`: all that are to be annotated. `assumed`: the errors of
    programs that were not measured. `good`: the share of good boxes of a program that proposes; None: nothing is
    proposed. `imagined`: a program that was not measured takes the place of those at work.
    """
    boxes, links = base.learned.boxes, base.learned.links
    proposer = None if good is None else PROPOSER
    if imagined:
        model_annotators = {FIRST_NUMBER: SimulatedModel("A program", assumed, proposer=proposer)}
    else:
        model_annotators = {
            FIRST_NUMBER + place: SimulatedModel(
                names.get(annotator, str(annotator)),
                assumed,
                boxes.model_annotators.get(str(annotator), BoxRecord()),
                links.model_annotators.get(str(annotator), LinkRecord()),
                proposer,
            )
            for place, annotator in enumerate(base.model_annotators)
        }
    base = replace(base, pre_annotations=good is not None or base.reference_set > 0)
    if not model_annotators and good is None:
        return base, NO_PROGRAMS
    trusted = {name: program for name, program in boxes.programs.items() if name == str(base.reference_set)}
    trusted |= {} if good is None else {str(PROPOSER): _record(good)}
    judging = {str(program): _boxes(annotator) for program, annotator in model_annotators.items()}
    settings = replace(
        base,
        model_annotators=tuple(model_annotators),
        learned=replace(
            base.learned,
            boxes=replace(boxes, model_annotators=judging, programs=trusted),
            links=replace(
                links,
                model_annotators={str(program): _links(annotator) for program, annotator in model_annotators.items()},
            ),
        ),
    )
    programs = Programs(model_annotators, None if good is None else SimulatedProposer(good), assumed=assumed)
    is_new = imagined or programs.are_assumed(base)
    return settings, replace(programs, new=min(1.0, FIRST_REFIT / max(images, 1)) if is_new else 0.0)


def as_new(settings: Settings) -> Settings:
    """Return the settings as they are before anything is known of the programs."""
    known = settings.learned
    learned = replace(
        known, boxes=replace(known.boxes, model_annotators={}), links=replace(known.links, model_annotators={})
    )
    return replace(settings, learned=learned)


def _record(good: float) -> ProgramRecord:
    """Return the record of a program whose boxes have no scores."""
    return ProgramRecord((*NO_BOXES[1:], ANSWERS * good), (*NO_BOXES[1:], ANSWERS * (1 - good)))


def _boxes(model: SimulatedModel) -> BoxRecord:
    if model.boxes.is_known:
        return model.boxes
    wrong, correlation = model.assumed
    each = _tally(wrong)
    passed = {} if model.proposer is None else {str(model.proposer): _tally(correlation + (1 - correlation) * wrong)}
    return BoxRecord(each, each, each, {PERSON: each, **passed}, each, each)


def _links(model: SimulatedModel) -> LinkRecord:
    each = _tally(model.assumed.wrong)
    return model.links if model.links.is_known else LinkRecord(each, each)


def _tally(wrong: float) -> tuple[float, float]:
    return ANSWERS * (1 - wrong), ANSWERS * wrong
