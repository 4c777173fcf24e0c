"""Programs of a forecast: those that judge or propose in the project, as they were measured, or imagined ones.

No real program is asked: simulated ones answer in their place, and people as where programs judge.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from belief.boxes.box_prior import ProgramRecord
from belief.boxes.proposers import NO_BOXES
from belief.models.records import PERSON, BoxRecord, LinkRecord
from pipeline.learning.refit_due import FIRST_REFIT
from pipeline.policies.compose import engine_of
from pipeline.protocol.tasks.task import Task
from pipeline.settings.settings import Settings
from runtime.words import percent
from simulation.programs import SimulatedModel, SimulatedProposer

PROPOSER = 10**9 - 1
FIRST_NUMBER = 10**9
"""The number of the first program in a forecast: those of simulated workers begin at 0."""
ASSUMED = 0.1
"""The share of wrong answers of a program that was not measured yet; the belief begins with the same."""
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

    @property
    def described(self) -> list[str]:
        """The errors of each, in words."""
        judging = [annotator.described for annotator in self.model_annotators.values()]
        return (
            judging
            if self.proposer is None
            else [f"Of proposed boxes {percent(self.proposer.good)} are good", *judging]
        )

    def __bool__(self) -> bool:
        return bool(self.model_annotators) or self.proposer is not None


NO_PROGRAMS = Programs()


def with_programs(
    base: Settings,
    names: Mapping[int, str],
    images: int,
    wrong: float | None = None,
    good: float | None = None,
) -> tuple[Settings, Programs]:
    """Return the settings of a forecast, and its programs.

    `names`: of the programs at work, by number. `images`: all that are to be annotated. `wrong`: the share of wrong
    answers, 0 to 1, of a program that takes the place of those at work; None: those at work, as measured. `good`: the
    share of good boxes of a program that proposes; None: nothing is proposed.
    """
    boxes, links = base.learned.boxes, base.learned.links
    if wrong is not None:
        model_annotators = {FIRST_NUMBER: SimulatedModel("A program", wrong)}
    else:
        model_annotators = {
            FIRST_NUMBER + place: SimulatedModel(
                names.get(annotator, str(annotator)),
                ASSUMED,
                boxes.model_annotators.get(str(annotator), BoxRecord()),
                links.model_annotators.get(str(annotator), LinkRecord()),
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
    known = wrong is None and all(
        (annotator.boxes.is_known or not engine_of(base).weighs(Task.BOX_QUALITY))
        and (annotator.links.is_known or not engine_of(base).weighs(Task.COREFERENCE_LINK))
        for annotator in model_annotators.values()
    )
    proposer = None if good is None else SimulatedProposer(good)
    return settings, Programs(model_annotators, proposer, 0.0 if known else min(1.0, FIRST_REFIT / max(images, 1)))


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


def _boxes(one: SimulatedModel) -> BoxRecord:
    if one.boxes.is_known:
        return one.boxes
    each = ANSWERS * (1 - one.wrong), ANSWERS * one.wrong
    return BoxRecord(each, each, each, {PERSON: each})


def _links(one: SimulatedModel) -> LinkRecord:
    each = ANSWERS * (1 - one.wrong), ANSWERS * one.wrong
    return one.links if one.links.is_known else LinkRecord(each, each)
