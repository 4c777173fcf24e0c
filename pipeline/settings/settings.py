"""Settings [paper 3]: all settings of a project, composed of the groups in which each is declared once."""

from collections.abc import Iterable, Mapping
from copy import deepcopy
from dataclasses import field, fields, replace
from fractions import Fraction
from typing import Any, NamedTuple

from pydantic import InstanceOf
from pydantic.dataclasses import dataclass

from annotation.rules.plain_errors import WrongValue, WrongValuesError, checked_plainly
from belief.learned import LearnedState
from pipeline.protocol.settings import (
    CHECKED,
    BoxSettings,
    LinkSettings,
    MergeSettings,
    ProtocolSettings,
    ReviewSettings,
    SurveySettings,
)
from pipeline.protocol.tasks.task import Task
from pipeline.settings.of_belief import (
    AdaptiveSettings,
    BeliefSettings,
    ModelSettings,
    ReferenceSettings,
    StrategySettings,
    VerificationSettings,
)
from pipeline.settings.of_learned import NOTHING_LEARNED, read_learned
from pipeline.settings.of_work import MoneySettings, PageSettings, TextSettings, TrustSettings, WorkSettings


# A dataclass takes the fields of its last base first: read from below, this is the order of the form.
@checked_plainly
@dataclass(frozen=True, config=CHECKED)
class Settings(
    ProtocolSettings,
    TextSettings,
    PageSettings,
    WorkSettings,
    MoneySettings,
    TrustSettings,
    SurveySettings,
    ReviewSettings,
    MergeSettings,
    ReferenceSettings,
    ModelSettings,
    BoxSettings,
    BeliefSettings,
    VerificationSettings,
    AdaptiveSettings,
    LinkSettings,
    StrategySettings,
):
    """All settings that a requester can change, with the paper's values as defaults, beside what was learned.

    Flat in code and in JSON. Raises ValueError that names each wrong value and what it should be.
    """

    learned: InstanceOf[LearnedState] = field(default_factory=LearnedState)
    """The lessons of answers, or what somebody gave. No setting: a refit replaces it and leaves the settings."""

    def reward_of(self, task: Task, work: Fraction) -> int:
        """Return the reward of an assignment in cents: its share of a full one, rounded half up.

        `work`: of its questions, see `work_of`.
        """
        return (2 * self.reward_cents[task.value] * work + self.batch[task.value]) // (2 * self.batch[task.value])

    def chosen(self) -> dict[str, Any]:
        """Return what the requester chose, by name."""
        return {item.name: deepcopy(getattr(self, item.name)) for item in fields(self) if item.name != "learned"}

    def to_json(self) -> dict[str, Any]:
        """Return what was chosen and what was learned, each value by its name."""
        return {**self.chosen(), **NOTHING_LEARNED, **self.learned.to_json()}

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> "Settings":
        """Read settings; a missing name keeps its default. Raises ValueError for an unknown name or a wrong value."""
        known = [*(declared.name for declared in fields(cls) if declared.name != "learned"), *NOTHING_LEARNED]
        if unknown := sorted(set(values).difference(known)):
            raise ValueError(f"Unknown settings: {', '.join(unknown)}. Known: {', '.join(known)}.")
        learned, wrong = LearnedState(), list[WrongValue]()
        try:
            learned = read_learned({name: values[name] for name in NOTHING_LEARNED if name in values})
        except WrongValuesError as error:
            wrong += error.wrong
        try:
            read = cls(**{name: value for name, value in values.items() if name not in NOTHING_LEARNED})
        except WrongValuesError as error:
            raise WrongValuesError("Settings", [*error.wrong, *wrong]) from error
        if wrong:
            raise WrongValuesError("Settings", wrong)
        return replace(read, learned=learned)


class VersionScope(NamedTuple):
    """One version of a project's settings."""

    number: int
    begun_from: int | None
    """Begun images follow only if their last entry was made under this version or a later one. None: they all do."""


def followed_version(versions: Iterable[VersionScope], last: int | None) -> int:
    """Return the number of the version that an image follows from its next entry on.

    `last`: the version of the last entry of a begun image; None for an image that is not begun. It is a function of the
    record alone: versions only follow one another, and each entry names its own.
    """
    return max(number for number, begun in versions if last is None or begun is None or begun <= last)


def begun_from(number: int, *, before: int | None, begun_follow: bool, changes_images: bool) -> int | None:
    """Return `begun_from` of a new version. `before`: that of the version before it.

    A version that changes nothing that acts on images, such as a batch size, leaves every image with what it has.
    """
    if not changes_images:
        return before
    return None if begun_follow else number
