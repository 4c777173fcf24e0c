"""Settings [paper 3]: all settings of a project, composed of the groups in which each is declared once."""

from dataclasses import asdict, fields
from typing import Any

from pydantic.dataclasses import dataclass

from annotation.rules.plain_errors import checked_plainly
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
    """All settings that a requester can change, with the paper's values as defaults; flat in code and in JSON.

    Raises ValueError that names each wrong value and what it should be.
    """

    def reward_of(self, task: Task, questions: int) -> int:
        """Return the reward of an assignment with this many questions, in cents: its share of a full one, rounded."""
        return (2 * self.reward_cents[task.value] * questions + self.batch[task.value]) // (2 * self.batch[task.value])

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> "Settings":
        """Read settings; a missing name keeps its default. Raises ValueError for an unknown name or a wrong value."""
        known = [each.name for each in fields(cls)]
        if unknown := sorted(set(values).difference(known)):
            raise ValueError(f"Unknown settings: {', '.join(unknown)}. Known: {', '.join(known)}.")
        return cls(**values)
