"""Calibration [beyond paper 3.3]: how sure a belief was with programs' answers, and how often people agree.

A claim is what a belief was sure of at one moment. What people answer later tells whether it is right, not for certain,
since people err, but as a ratio of likelihoods. The share of right claims is the one under which all these later
answers are likeliest; so people's own doubt is no fault of a program.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal, NamedTuple, Protocol, TypeVar, cast

import numpy as np

from annotation.rules.plain_errors import should_be
from belief.models.records import ModelRecord
from belief.values import ProgramNumber, Share, Stored, Whole

MIN_CONFIDENCE = 0.9
"""A belief that is at least this sure makes a claim."""
NEWEST_AUDITED = 400
"""The newest audited chains, or groups of phrases, that count."""
MAX_RATIO = 1000.0
"""Later answers count as no stronger evidence than this, either way."""
HALF_CHI_SQUARE = 3.317
"""Half of the chi-square that chance exceeds in 1 of 100: shares that are less likely by more lie outside."""
GRID = np.linspace(0, 1, 1001)
MIN_AUDITED_CHAINS = 200
"""The audited chains that must show said and right together before programs may finish chains alone."""
TRIED_WEIGHTS = tuple(place / 10 for place in range(9, -1, -1))
"""The shares of a program's evidence that are tried in turn, if all of it says too much."""
SHARE_DIGITS = 4

PEOPLE, BOTH, ALONE = "people", "both", "alone"
"""The answers that made the claims: people's, about known questions; people's and programs'; all programs' alone.

Claims with people's answers and those of one program have the number of the program.
"""
ForecastSource = Annotated[Literal["people", "both", "alone"] | ProgramNumber, should_be("the number of a program")]


class SureForecast(NamedTuple):
    """One thing that a belief was sure of."""

    chance: float
    """The chance that it is right, from MIN_CONFIDENCE to 1."""
    ratio: float
    """The likelihood of people's later answers if the claim is right, over that if it is not."""


@dataclass(frozen=True)
class Calibration(Stored):
    """The claims of an audit, held against what people answered later. Shares are 0 to 1."""

    chains: Whole = 0
    """Audited chains, or groups of phrases, that were looked at."""
    forecasts: Whole = 0
    mean_chance: Share = 0.0
    """The mean of what was said ..."""
    right: Share = 0.0
    """... the share that was right ..."""
    low: Share = 0.0
    """... and the low and the high end of its 99 % interval."""
    high: Share = 1.0

    @property
    def is_too_sure(self) -> bool:
        """Whether more was said than was right, by more than chance."""
        return self.mean_chance > self.high

    @property
    def is_off(self) -> bool:
        """Whether said and right differ, either way, by more than chance."""
        return bool(self.forecasts) and not self.low <= self.mean_chance <= self.high

    @property
    def lets_programs_finish(self) -> bool:
        """Whether enough was seen, and nothing against it, to let programs finish chains alone."""
        return self.chains >= MIN_AUDITED_CHAINS and self.forecasts > 0 and not self.is_too_sure


NOT_MEASURED = Calibration()


def calibration_of(chains: int, forecasts: Iterable[SureForecast]) -> Calibration:
    """Return what was said and what was right. `chains`: those that were looked at."""
    made = list(forecasts)
    if not made:
        return Calibration(chains)
    ratios = np.array([forecast.ratio for forecast in made]).clip(1 / MAX_RATIO, MAX_RATIO)
    likely = np.log1p(np.outer(GRID, ratios - 1)).sum(axis=1)
    best = int(likely.argmax())
    inside = GRID[likely >= likely[best] - HALF_CHI_SQUARE]
    mean_chance = sum(forecast.chance for forecast in made) / len(made)
    shares = (float(round(share, SHARE_DIGITS)) for share in (mean_chance, GRID[best], inside[0], inside[-1]))
    return Calibration(chains, len(made), *shares)


class Weighed(Protocol):
    """A prior, a dataclass, with the records of programs by their numbers."""

    @property
    def model_annotators(self) -> Mapping[str, ModelRecord]: ...


P = TypeVar("P", bound=Weighed)
Q = TypeVar("Q", contravariant=True)


class Measure(Protocol[Q]):
    """Measures the calibration of a belief under a prior, with these models' answers alone or with people's, too."""

    def __call__(self, prior: Q, models: Collection[str], /, *, people: bool) -> Calibration: ...


def calibrate(prior: P, measure: Measure[P], of_people: Calibration = NOT_MEASURED) -> P:
    """Return the prior, a dataclass, with its calibration, and with how much of each model's evidence counts.

    `of_people`: the calibration of people's answers to known questions.
    """
    prior, calibrations = weigh_models(prior, lambda prior, models: measure(prior, models, people=True))
    if of_people.forecasts:
        calibrations[PEOPLE] = of_people
    if prior.model_annotators:
        calibrations[ALONE] = measure(prior, list(prior.model_annotators), people=False)
    return cast(P, replace(cast(Any, prior), calibrations=calibrations))


def weigh_models(prior: P, measure: Callable[[P, Collection[str]], Calibration]) -> tuple[P, dict[str, Calibration]]:
    """Return the prior with the share of each model's evidence that counts, and what is said and right in full.

    All of it counts unless too much is said by more than chance; then as much as leaves no more said than is right, of
    each model, and of all together. `measure`: what people and these models say under a prior, and what is right.
    """
    models, calibrations = list(prior.model_annotators), dict[str, Calibration]()
    prior = _with_weights(prior, dict.fromkeys(models, 1.0))
    for model in models:
        prior, calibrations[model] = _tempered(prior, [model], measure)
    if len(models) == 1 and prior.model_annotators[models[0]].weight == 1.0:
        calibrations[BOTH] = calibrations[models[0]]  # the same answers under the same prior
    elif models:
        prior, calibrations[BOTH] = _tempered(prior, models, measure)
    return prior, calibrations


def _tempered(
    prior: P, models: Collection[str], measure: Callable[[P, Collection[str]], Calibration]
) -> tuple[P, Calibration]:
    full = measure(prior, models)
    if not full.is_too_sure:
        return prior, full
    for share in TRIED_WEIGHTS:
        weights = {model: round(prior.model_annotators[model].weight * share, 2) for model in models}
        lighter = _with_weights(prior, weights)
        tempered = measure(lighter, models)
        if tempered.mean_chance <= tempered.right:
            break
    return lighter, full


def _with_weights(prior: P, weights: Mapping[str, float]) -> P:
    records = prior.model_annotators.items()
    known = {model: replace(record, weight=weights.get(model, record.weight)) for model, record in records}
    return cast(P, replace(cast(Any, prior), model_annotators=known))
