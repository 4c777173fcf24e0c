"""Settings of the protocol [paper 3]: the thresholds that the paper's tasks, merging and review read, in groups.

A group is a base class, so a function's signature names just the group that it reads, and the names of all settings
are flat. `pipeline.settings.settings` adds the groups that go beyond the paper.
"""

from copy import deepcopy
from dataclasses import KW_ONLY, field
from enum import StrEnum
from typing import Annotated, Any, NamedTuple

from pydantic import AfterValidator, ConfigDict, Field, Strict, ValidationInfo
from pydantic.dataclasses import dataclass

from annotation.rules.mention_type import NOUN_TYPES, MentionType
from annotation.rules.plain_errors import checked_plainly, one_of, should_be


class SettingKind(StrEnum):
    """The shape of a setting's value. A range whose Python type does not tell its kind holds it as metadata."""

    NUMBER = "number"
    PERCENT = "percent"
    CHOICE = "choice"
    FLAG = "flag"
    TEXT = "text"
    TYPES = "types"
    PAIRS = "pairs"
    EDITS = "edits"
    PRIOR = "prior"
    ERRORS = "errors"
    PROGRAMS = "programs"
    COSTS = "costs"
    WORKERS = "workers"
    FAMILIES = "families"


class SettingChoice(NamedTuple):
    """One value that a setting may have, with a sentence that says what it does."""

    value: str
    sentence: str


@dataclass(frozen=True)
class Words:
    """The words that a requester reads about a setting."""

    label: str
    changes: str
    """A sentence: the effect of the setting."""
    _: KW_ONLY
    unit: str = ""
    """Of a number. A fraction without a unit is a share, and shown in per cent."""
    paper: Any = None
    """The paper's value; None: not in the paper."""
    paper_words: str = ""
    """The paper's own words, where it has no value that could be compared."""
    choices: tuple[SettingChoice, ...] = ()
    """The values, if there are few."""
    acts_on_images: bool = True
    """False: the fold of an image does not read it, though it reads the group."""
    common: int = 0
    """The setting's place among those that requesters turn most, which the form shows first. 0: the form folds it."""


WORDS_KEY = "words"
"""The key under which the metadata of a field holds its words."""


def setting(default: Any, label: str, changes: str, **more: Any) -> Any:
    """Return a field of a group of settings with this default and these words. `more`: further ones of `Words`."""
    words = {WORDS_KEY: Words(label, changes, **more)}
    if isinstance(default, dict):
        return field(default_factory=lambda: deepcopy(default), metadata=words)
    return field(default=default, metadata=words)


MOST_VOTES = 99
LONGEST_HOURS = 24 * 365
CHECKED = ConfigDict(strict=True, allow_inf_nan=False)
"""Of every group: values are checked when settings are made."""
FROM_JSON = Strict(False)
"""JSON has lists for tuples, and texts for names."""


def _odd(number: int) -> int:
    if number % 2 == 0:
        raise ValueError(f"{number} is even")
    return number


def at_least(first: str) -> AfterValidator:
    """Return a check that a number is at least another setting, which is declared before it."""

    def check(most: int, info: ValidationInfo) -> int:
        if most < info.data.get(first, most):
            raise ValueError(f"{most} should be at least {first}, which is {info.data[first]}")
        return most

    return AfterValidator(check)


ODD = AfterValidator(_odd)
Count = Annotated[int, Field(ge=1), should_be("a whole number from 1")]
OddCount = Annotated[int, Field(ge=1, le=MOST_VOTES), ODD, should_be(f"an odd number from 1 to {MOST_VOTES}")]
Flag = Annotated[bool, should_be("true or false")]
Share = Annotated[float, Field(gt=0, le=1), should_be("a number above 0 and at most 1", as_given=True)]
Hours = Annotated[
    float, Field(gt=0, le=LONGEST_HOURS), should_be(f"a number above 0 and at most {LONGEST_HOURS}", as_given=True)
]
TypeName = Annotated[str, one_of(NOUN_TYPES)]
TypeNames = Annotated[tuple[TypeName, ...], FROM_JSON, SettingKind.TYPES]
TypePairs = Annotated[tuple[Annotated[tuple[TypeName, TypeName], FROM_JSON], ...], FROM_JSON, SettingKind.PAIRS]

T = MentionType
DRAWN_AT_ONCE = (T.PEOPLE.value, T.CLOTHING.value, T.BODY_PARTS.value)
MERGEABLE = (
    *((T.OTHER.value, other.value) for other in NOUN_TYPES if other is not T.OTHER),
    (T.SCENE.value, T.VEHICLES.value),
)
"""The pairs of different types whose boxes may merge, unless a project's settings name others."""


@dataclass(frozen=True, config=CHECKED)
class LinkSettings:
    """Settings of coreference links [paper 3.1.1]."""

    consensus_lead: Count = setting(
        2,
        "Lead that settles a contradiction",
        "A link that contradicts others is asked again until one answer leads by this many.",
        unit="answers",
        paper_words="no number: asked “until we got a consensus”",
    )
    consensus_most: Annotated[Count, at_least("consensus_lead")] = setting(
        5,
        "Most answers to a contradicting link",
        "A link that contradicts others is asked no more after this many answers.",
        unit="answers",
    )


@dataclass(frozen=True, config=CHECKED)
class BoxSettings:
    """Settings of the four box tasks [paper 3.2]."""

    drawn_at_once: TypeNames = setting(
        DRAWN_AT_ONCE,
        "Types drawn at once",
        "Chains with a phrase of these types skip the question whether they need a box.",
        paper=DRAWN_AT_ONCE,
    )
    no_box_votes: Count = setting(
        2,
        "Votes for no box",
        "A chain becomes non-visual with at least this many votes that outnumber the others.",
        unit="votes",
        paper=2,
    )
    coverage_votes: Count = setting(
        2,
        "Votes for all boxes there",
        "A chain is complete once this many workers say that all its boxes are there.",
        unit="votes",
        paper=2,
    )
    drawer_judges_coverage: Flag = setting(
        False,
        "The drawer may judge coverage",
        "With fewer than six workers: who drew may also say that all boxes are there; exports mark it.",
    )
    fruitless_drawings: Count = setting(
        4,
        "Drawings without a box",
        "A chain goes to review after this many drawings in a row that brought no accepted box.",
        unit="drawings",
    )
    pre_annotations: Flag = setting(
        False,
        "Boxes and links of programs",
        "A box that a program predicts is judged for quality instead of being drawn; bad ones are drawn as usual. "
        "Links that it predicts are evidence where the link strategy weighs them.",
    )


@dataclass(frozen=True, config=CHECKED)
class MergeSettings:
    """Settings of merging [paper 3.3.2]."""

    merge_iou: Share = setting(
        0.8,
        "Overlap at which boxes merge",
        "Boxes of different chains become one if they overlap this much (IOU).",
        unit="IOU",
        paper=0.8,
    )
    merge_iou_other: Share = setting(
        0.9, "Overlap with type “other”", "The same for boxes of which one has the type other.", unit="IOU", paper=0.9
    )
    mergeable_types: TypePairs = setting(
        MERGEABLE,
        "Different types that may merge",
        "Boxes of different types become one only if their pair is chosen here.",
        paper_words="no list: only that people and clothing may not merge",
    )


@dataclass(frozen=True, config=CHECKED)
class ReviewSettings:
    """Settings of what goes to an expert [paper 3.2]."""

    reports_to_review: Count = setting(
        2,
        "Reports that send to review",
        "A chain goes to an expert once this many workers have reported an error in it.",
        unit="workers",
    )
    starved_hours: Hours = setting(
        24.0,
        "Wait of a question nobody may answer",
        "A question that no worker may answer goes to an expert after this time.",
        unit="hours",
        acts_on_images=False,
    )


@dataclass(frozen=True, config=CHECKED)
class SurveySettings:
    """Settings of the votes of surveys [beyond paper 3]."""

    survey_votes: OddCount = setting(
        3,
        "Votes on a survey's question",
        "A survey's question is asked to this many workers, and the majority decides.",
        unit="workers",
    )


@checked_plainly
@dataclass(frozen=True, config=CHECKED)
class ProtocolSettings(SurveySettings, ReviewSettings, MergeSettings, BoxSettings, LinkSettings):
    """All settings that the fold of the paper's protocol reads.

    Raises ValueError that names each wrong value and what it should be.
    """
