"""Simulated programs of a campaign: a proposer of boxes and chains, and a model annotator; none was measured."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from types import MappingProxyType
from typing import Any

from django.core.management.base import CommandError, CommandParser

from pipeline.protocol.state.progress import ImageProgress
from pipeline.protocol.tasks.task import PROTOCOL_TASKS, Task
from pipeline.settings.settings import Settings
from simulation.crowd import Crowd
from simulation.predict.crew import Qualified, QualifiedCrew
from simulation.predict.play_image import ImagePlay
from simulation.predict.subject import Subject
from simulation.programs import AssumedErrors, BesidePrograms, SimulatedModel, SimulatedProposer, predicted_chains
from simulation.view import TrueImage

PROPOSER, MODEL = 900_001, 900_002
"""Their numbers as workers."""


@dataclass(frozen=True)
class Programs:
    """The programs of a campaign; all shares are from 0 to 1."""

    good: float | None = None
    """The share of good boxes of the proposer; None: it proposes none."""
    wrong: Callable[[int], float] | None = None
    """The model annotator's share of wrong answers by the place of the image; None: there is no model annotator."""
    correlation: float = 0.0
    """Of the model annotator's errors with the proposer's."""
    placed: float | None = None
    """The share of the phrases that the proposer puts into their gold chains; None: it predicts no chains."""

    def erring(self, assumed: AssumedErrors) -> "Programs":
        """Return these programs with a model annotator that errs as assumed about every image."""
        return replace(self, wrong=lambda image: assumed.wrong, correlation=assumed.correlation)


NO_PROGRAMS = Programs()


def settings_for(programs: Programs, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return a project's settings with these programs at work."""
    predicts = programs.good is not None or programs.placed is not None
    at_work = {"pre_annotations": predicts, "model_annotators": [] if programs.wrong is None else [MODEL]}
    return {**values, **at_work} if predicts or programs.wrong else dict(values)


class AtWork:
    """A crowd and the programs beside it, who annotate images one after the other."""

    def __init__(self, programs: Programs, crowd: Crowd, images: Sequence[TrueImage], seed: int) -> None:
        self._programs, self._crowd, self._seed = programs, crowd, seed
        self._crew = QualifiedCrew({task: Qualified(list(range(crowd.workers))) for task in PROTOCOL_TASKS}, {})
        self._proposer = None if programs.good is None else SimulatedProposer.guessing(images, programs.good, seed)

    def annotate(
        self,
        place: int,
        subject: Subject,
        gold: TrueImage,
        settings: Settings,
        draw: Random,
        pre_annotated: Mapping[int, Mapping[str, Any]] = MappingProxyType({}),
        begun: Callable[[ImageProgress], object] = lambda progress: None,
    ) -> tuple[ImageProgress, Counter[Task]]:
        """Return the image as they leave it, and people's answers by task. `place`: the number of the image, from 0.

        `pre_annotated` and `begun`: see `ImagePlay`.
        """
        both = BesidePrograms(self._crowd, self._crew, self._model_annotators(place), settings, self._seed)
        pre_annotated = {**pre_annotated, **self._predicted(gold, subject)}
        progress, judgments = ImagePlay(subject, gold, settings, both, both, draw, pre_annotated).annotate(begun)
        return progress, judgments - both.answered

    def _model_annotators(self, place: int) -> dict[int, SimulatedModel]:
        wrong = self._programs.wrong
        if wrong is None:
            return {}
        assumed = AssumedErrors(wrong(place), self._programs.correlation)
        return {MODEL: SimulatedModel("model_annotator", assumed, proposer=PROPOSER)}

    def _predicted(self, image: TrueImage, subject: Subject) -> dict[int, dict[str, Any]]:
        """Return what the proposer predicts for the image, as it is in an entry."""
        found: dict[str, Any] = {"boxes": self._proposer.rows(image, self._seed)} if self._proposer else {}
        if self._programs.placed is not None:
            found["chains"] = predicted_chains(image, subject.for_links(), self._programs.placed, self._seed)
        return {PROPOSER: found} if found else {}


SHARES = ("proposer", "placed", "annotator", "correlation")


def add_programs(parser: CommandParser) -> None:
    """Add the options of a proposer and a model annotator."""
    parser.add_argument("--proposer", type=float, metavar="SHARE", help="a program whose boxes are good this often")
    parser.add_argument(
        "--annotator", type=float, metavar="SHARE", help="a program whose judgments are wrong this often"
    )
    parser.add_argument("--turns", type=int, metavar="N", help="the model annotator guesses from this image on")
    parser.add_argument(
        "--correlation", type=float, default=0.0, metavar="SHARE", help="of its errors with the proposer's (0)"
    )


def programs_of(options: dict[str, Any]) -> Programs:
    """Return the programs that the options describe. Raises CommandError that names a wrong one."""
    for name in SHARES:
        share = options.get(name)
        if share is not None and not 0 <= share <= 1:
            raise CommandError(f"--{name} {share:g}: give a share from 0 to 1.")
    if options["annotator"] is None and (options["turns"] or options["correlation"]):
        raise CommandError("--turns and --correlation describe a model annotator: give --annotator, too.")
    wrong, turns = options["annotator"], options["turns"]
    model_annotator = None if wrong is None else lambda image: wrong if turns is None or image < turns else 0.5
    return Programs(options["proposer"], model_annotator, options["correlation"], options.get("placed"))
