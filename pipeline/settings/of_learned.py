"""Learned values [beyond paper 3]: what was learned as JSON has it, by names under which people can give it."""

from collections.abc import Mapping
from dataclasses import asdict, field
from typing import Annotated, Any

from pydantic.dataclasses import dataclass

from annotation.rules.plain_errors import checked_plainly
from belief.learned import LearnedState
from pipeline.protocol.setting_words import Words
from pipeline.protocol.settings import CHECKED
from pipeline.settings.ranges import BoxPriorJson, Errors, Prior, ProgramErrors


@dataclass(frozen=True, config=CHECKED)
class LearnedOfLinks:
    """The lessons about links."""

    link_prior: Annotated[
        Prior,
        Words(
            "Prior of the adaptive strategy",
            "Weighs how likely phrases corefer before anybody answers; the command fit_link_prior fits it.",
        ),
    ] = field(default_factory=dict)
    link_errors: Annotated[
        Errors,
        Words(
            "Errors of the crowd in links",
            "The adaptive strategy asks less or more, the less or more often answers are expected to be wrong.",
        ),
    ] = field(default_factory=dict)
    program_errors: Annotated[
        ProgramErrors,
        Words(
            "Errors of programs in links",
            "The adaptive strategy trusts the chains of a program less, the more of its links are wrong.",
        ),
    ] = field(default_factory=dict)


@dataclass(frozen=True, config=CHECKED)
class LearnedOfBoxes:
    """The lessons about boxes."""

    box_prior: Annotated[
        BoxPriorJson,
        Words(
            "Prior of the belief policy",
            "Weighs how many boxes phrases need, and how often workers err, before anybody answers.",
        ),
    ] = field(default_factory=dict)


@checked_plainly
@dataclass(frozen=True, config=CHECKED)
class LearnedValues(LearnedOfBoxes, LearnedOfLinks):
    """All learned values; an empty one is the default. Raises ValueError that names each wrong value."""


NOTHING_LEARNED: Mapping[str, Any] = asdict(LearnedValues())
"""The names of the learned values, with their defaults."""


def read_learned(values: Mapping[str, Any]) -> LearnedState:
    """Read what somebody gave. Raises WrongValuesError that names each wrong value and what it should be."""
    return LearnedState.from_json(asdict(LearnedValues(**values)))
