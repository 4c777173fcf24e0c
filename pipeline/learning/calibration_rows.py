"""Claims that a project held against people's later answers: what was said with whose answers, and what was right."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from belief.boxes.box_prior import BoxPrior
from belief.links.link_prior import LinkPrior
from belief.models.calibration import ALONE, BOTH, PEOPLE, Calibration
from pipeline.policies.compose import engine_of
from pipeline.settings.settings import Settings
from runtime.words import interval, percent
from workers.models import Worker

LABELS = {PEOPLE: "people", BOTH: "people and all programs", ALONE: "programs alone"}


class CalibrationRow(NamedTuple):
    """One line: what was said of boxes or of links with somebody's answers, and what was right."""

    who: str
    """The name of a program, or one of LABELS."""
    about: str
    calibration: Calibration
    weight: float | None
    """The share of the program's evidence that counts; None: the line is not about one program."""

    @property
    def answers_of(self) -> str:
        """The answers that made the project sure, in words."""
        return self.who if self.weight is None else f"people and {self.who}"

    @property
    def sentence(self) -> str:
        """The fault, and what to do about it."""
        counts = "" if self.weight is None else f", so it counts {percent(self.weight)} until both agree"
        share, people = percent(self.calibration.mean_chance), percent(self.calibration.right)
        return (
            f"{self.who}: with its answers {share} of the {self.about} are said to be right, but people find {people} "
            f"({interval(self.calibration.low, self.calibration.high)}){counts}. See where it errs, or set it aside"
        )


def calibration_rows(settings: Settings) -> list[CalibrationRow]:
    """Return what was held: of boxes, then of links; people first, then each program at work, then all together."""
    engine = engine_of(settings)
    priors = {about: engine.prior(task) for about, task in engine.subjects.items()}
    names = _names(settings) if any(prior.calibrations for prior in priors.values()) else {}
    return [row for about, prior in priors.items() for row in _rows(about, prior, names)]


def _names(settings: Settings) -> dict[str, str]:
    rows = Worker.objects.filter(pk__in=settings.model_annotators).order_by("name").values_list("pk", "name")
    return {str(number): name for number, name in rows}


def _rows(about: str, prior: LinkPrior | BoxPrior, names: Mapping[str, str]) -> Iterator[CalibrationRow]:
    calibration: Mapping[str, Calibration] = prior.calibrations
    several = sum(name in calibration for name in names) > 1
    order = [(PEOPLE, LABELS[PEOPLE]), *names.items(), (BOTH, LABELS[BOTH]), (ALONE, LABELS[ALONE])]
    for key, who in order:
        if key in calibration and (key != BOTH or several) and (key == PEOPLE or names):
            record = prior.model_annotators.get(key)
            yield CalibrationRow(who, about, calibration[key], None if record is None else record.weight)
