"""Learned values [beyond paper 3]: what was learned as JSON has it, by names under which people can give it."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Annotated, Any

from pydantic import AfterValidator, Field
from pydantic.dataclasses import dataclass

from annotation.rules.plain_errors import checked_plainly, one_of, should_be
from belief.boxes.box_prior import BoxPrior
from belief.learned import LearnedState
from belief.links.answer_model import MAX_ERROR, MIN_ERROR, CrowdErrors
from belief.links.link_prior import LinkPrior
from belief.links.program_links import VerdictErrors
from belief.models.error_correlation import ErrorCorrelation
from pipeline.protocol.settings import CHECKED, SettingKind, setting
from pipeline.settings.ranges import BY_PROGRAM, Rate

RATES = " and ".join(VerdictErrors._fields)
"""The shares of wrong answers, of people and of programs."""


def _link_prior(values: dict[str, Any]) -> dict[str, Any]:
    if values:
        LinkPrior.from_json(values)
    return values


def _box_prior(values: dict[str, Any]) -> dict[str, Any]:
    BoxPrior.from_json(values)
    return values


def _both_rates(values: dict[str, float]) -> dict[str, float]:
    if values and not values.keys() >= set(VerdictErrors._fields):
        raise ValueError(f"give both rates, {RATES}, or none")
    for name in VerdictErrors._fields:
        if values and values[name] < MIN_ERROR:
            raise ValueError(f"{name}: give a number from {MIN_ERROR} to {MAX_ERROR}")
    return values


def _both_rates_of_each(values: dict[str, list[float]]) -> dict[str, list[float]]:
    if wrong := [name for name, rates in values.items() if len(rates) != len(VerdictErrors._fields)]:
        raise ValueError(f"{wrong[0]!r}: give {RATES}")
    return values


Prior = Annotated[dict[str, Any], AfterValidator(_link_prior), SettingKind.PRIOR]
BoxPriorJson = Annotated[dict[str, Any], AfterValidator(_box_prior), SettingKind.PRIOR]
ErrorRate = Annotated[float, Field(ge=0, le=MAX_ERROR), should_be(f"a number up to {MAX_ERROR}", as_given=True)]
ErrorName = Annotated[str, one_of(CrowdErrors._fields)]
Errors = Annotated[dict[ErrorName, ErrorRate], AfterValidator(_both_rates), SettingKind.ERRORS]
ProgramErrors = Annotated[dict[str, list[Rate]], BY_PROGRAM, AfterValidator(_both_rates_of_each), SettingKind.PROGRAMS]


@dataclass(frozen=True, config=CHECKED)
class LearnedOfLinks:
    """The lessons about links."""

    link_prior: Prior = setting(
        {},
        "Prior of the adaptive strategy",
        "Weighs how likely phrases corefer before anybody answers; the command fit_link_prior fits it.",
    )
    link_errors: Errors = setting(
        {},
        "Errors of the crowd in links",
        "The adaptive strategy asks less or more, the less or more often answers are expected to be wrong.",
    )
    program_errors: ProgramErrors = setting(
        {},
        "Errors of programs in links",
        "The adaptive strategy trusts the chains of a program less, the more of its links are wrong.",
    )


@dataclass(frozen=True, config=CHECKED)
class LearnedOfBoxes:
    """The lessons about boxes."""

    box_prior: BoxPriorJson = setting(
        {},
        "Prior of the belief policy",
        "Weighs how many boxes phrases need, and how often workers err, before anybody answers.",
    )


@checked_plainly
@dataclass(frozen=True, config=CHECKED)
class LearnedValues(LearnedOfBoxes, LearnedOfLinks):
    """All learned values; an empty one is the default. Raises ValueError that names each wrong value."""


NOTHING_LEARNED: Mapping[str, Any] = asdict(LearnedValues())
"""The names of the learned values, with their defaults."""


def read_learned(values: Mapping[str, Any]) -> LearnedState:
    """Read what somebody gave. Raises WrongValuesError that names each wrong value and what it should be."""
    return LearnedState.from_json(asdict(LearnedValues(**values)))


def prior_in_words(values: Mapping[str, Any]) -> str:
    """Return where a prior of links or of boxes comes from."""
    if not values:
        return "the default prior"
    if images := values.get("refitted_on"):
        of_links = "sizes" in values  # its pairs are text features
        pairs = values.get("pairs_of_models" if of_links else "pairs", {})
        apart = [" and ".join(pair.split()) for pair, errors in pairs.items() if ErrorCorrelation(**errors).are_apart]
        two = f"; programs {', '.join(apart)} err apart" if apart else ""
        return f"fitted to own answers, {images:,} images{two}"
    return "fitted to finished projects" if values.get("fitted_on") else "given, not fitted"
