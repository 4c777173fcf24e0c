"""Protocol settings [paper 3]: every threshold with the paper's value as its default."""

import json
from dataclasses import asdict, dataclass, field, fields, replace
from functools import lru_cache
from typing import Any

from annotation.rules.dictionaries import Dictionaries, load_dictionaries
from annotation.rules.mention_type import MentionType
from pipeline.rules.linking.adaptive.link_prior import DEFAULT, LinkPrior
from pipeline.rules.linking.link_strategy import Strategy
from pipeline.rules.settings.ranges import in_range, is_of_kind
from pipeline.rules.tasks.task import Task
from workers.rules.score import Rule
from workers.rules.trust import TrustModel

T = MentionType
BATCH = {
    Task.COREFERENCE_LINK: 10,
    Task.CHAIN_VERIFICATION: 5,
    Task.BOX_REQUIREMENT: 10,
    Task.BOX_DRAWING: 5,
    Task.BOX_QUALITY: 10,
    Task.BOX_COVERAGE: 10,
}
MINIMUM = {
    Task.COREFERENCE_LINK: 0.80,
    Task.CHAIN_VERIFICATION: 0.83,
    Task.BOX_REQUIREMENT: 0.83,
    Task.BOX_DRAWING: 0.70,
    Task.BOX_QUALITY: 0.78,
    Task.BOX_COVERAGE: 0.80,
}
"""Minimum performance [paper table 3]."""
PAPER_SECONDS = {
    Task.COREFERENCE_LINK: 75,
    Task.CHAIN_VERIFICATION: 95,
    Task.BOX_REQUIREMENT: 81,
    Task.BOX_DRAWING: 134,
    Task.BOX_QUALITY: 110,
    Task.BOX_COVERAGE: 91,
}
"""How long an assignment takes on average [paper table 3]."""


def _mergeable() -> tuple[tuple[str, str], ...]:
    others = tuple((T.OTHER.value, other.value) for other in T if other is not T.OTHER)
    return (*others, (T.SCENE.value, T.VEHICLES.value))


@dataclass(frozen=True, slots=True)
class ProtocolSettings:
    """What a requester can change about the protocol. A wrong value raises ValueError with its name."""

    strategy: Strategy = Strategy.GREEDY_PLUS
    consensus_lead: int = 2
    """Contradicting links are asked again until one side leads by this many judgments ..."""
    consensus_most: int = 5
    """... or this many are in."""
    link_prior: dict[str, Any] = field(default_factory=dict)
    """For the adaptive strategy: the weights of a fitted prior, as LinkPrior.to_json() writes them; empty: no text."""
    link_stop: float = 0.1
    """An answer that is expected to tell less than this, in bits, is not asked for ..."""
    link_most: int = 15
    """... and one link is judged this often at most: then an expert decides."""
    verify_below: float = 1.0
    """A chain whose confidence is at least this is not verified; 1: every chain of several mentions is."""
    drawn_at_once: tuple[str, ...] = (T.PEOPLE.value, T.CLOTHING.value, T.BODY_PARTS.value)
    """A chain with a mention of one of these types starts in box drawing."""
    no_box_votes: int = 2
    """The least votes that mark a chain as non-visual."""
    coverage_votes: int = 2
    """Workers who must agree that all boxes are there."""
    fruitless_drawings: int = 4
    """The drawing judgment without an accepted box that sends a chain to review."""
    merge_iou: float = 0.8
    merge_iou_other: float = 0.9
    """The threshold where "other" is among the types."""
    mergeable_types: tuple[tuple[str, str], ...] = field(default_factory=_mergeable)
    """Pairs of different types whose boxes may merge."""
    reports_to_review: int = 2
    """Different workers whose report of an error sends a chain to review."""
    starved_hours: float = 24.0
    """How long a question that nobody may answer waits before it goes to review."""
    lease_minutes: float = 30.0
    """How long a worker has an assignment on loan; working on it extends the loan ..."""
    lease_most_minutes: float = 120.0
    """... up to this long."""
    batch: dict[str, int] = field(default_factory=lambda: {task.value: size for task, size in BATCH.items()})
    """Questions per assignment, per task [paper table 3]."""
    reward_cents: dict[str, int] = field(default_factory=lambda: {task.value: 0 for task in Task})
    """What a full assignment pays, per task, in hundredths of the currency; a smaller one pays its share. 0: unpaid."""
    currency: str = "USD"
    spend_cap_cents: int = 0
    """What the project may cost, in hundredths of the currency: nothing more is leased at it. 0: no cap."""
    trust: dict[str, str] = field(default_factory=lambda: {task.value: TrustModel.TRUSTED.value for task in Task})
    """How quality is controlled, per task [paper 3.3]."""
    minimum: dict[str, float] = field(default_factory=lambda: {task.value: share for task, share in MINIMUM.items()})
    """Minimum performance on verification questions, per task."""
    below_minimum: str = Rule.INTERVAL.value
    """When a score counts as below the minimum: by more than chance explains, or by the paper's bare comparison."""
    probation: int = 30
    """Verification questions that are asked before a worker is trusted ..."""
    probation_most: int = 60
    """... and up to how many, for who is neither at the minimum nor below it by then."""
    trusted_rate: float = 0.02
    """The share of verification questions that a trusted worker gets."""
    verification_rate: float = 0.2
    """The share that everybody gets in the verification model."""
    test_questions: int = 10
    """In the qualification test of a task; 0: there is none."""
    tests: int = 3
    """How often it may be taken ..."""
    test_wait_hours: float = 24.0
    """... and how long after failing it."""
    dictionaries: dict[str, Any] = field(default_factory=dict)
    """A requester's edits of the word lists: {"add": {list: words}, "remove": {list: words}}."""

    def __post_init__(self) -> None:
        self._refuse({each.name: is_of_kind(getattr(self, each.name), each.type) for each in fields(self)})
        self._refuse(in_range(self))
        try:
            self.prior()
        except ValueError as error:
            raise ValueError(f"Settings out of range: link_prior: {error}") from error

    def _refuse(self, checks: dict[str, bool]) -> None:
        wrong = [name for name, right in checks.items() if not right]
        if wrong:
            raise ValueError(
                f"Settings out of range: {', '.join(f'{name}={getattr(self, name)!r}' for name in wrong)}."
            )

    def edited_dictionaries(self) -> Dictionaries:
        """The shipped word lists with this project's edits. ValueError names a list or a word that isn't there."""
        shipped = load_dictionaries()
        return shipped.changed(**self.dictionaries) if self.dictionaries else shipped

    def prior(self) -> LinkPrior:
        """What the adaptive strategy believes of a group before the first answer; for equal weights the same object."""
        return _prior(json.dumps(self.link_prior, sort_keys=True)) if self.link_prior else DEFAULT

    def reward_of(self, task: Task, questions: int) -> int:
        """What an assignment of so many questions pays, in cents: its share of a full one's, rounded half up."""
        return (2 * self.reward_cents[task.value] * questions + self.batch[task.value]) // (2 * self.batch[task.value])

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> "ProtocolSettings":
        """Missing names keep their default; an unknown name or a wrong value raises ValueError."""
        unknown = sorted(set(values) - {each.name for each in fields(cls)})
        if unknown:
            raise ValueError(
                f"Unknown settings: {', '.join(unknown)}. Known: {', '.join(f.name for f in fields(cls))}."
            )
        known = dict(values)
        if "strategy" in known:
            known["strategy"] = _strategy(known["strategy"])
        for name in ("drawn_at_once", "mergeable_types"):
            # JSON has lists where we have tuples; anything else is refused by its name.
            if isinstance(known.get(name), list):
                known[name] = tuple(tuple(one) if isinstance(one, list) else one for one in known[name])
        return replace(cls(), **known)


@lru_cache(maxsize=64)
def _prior(text: str) -> LinkPrior:
    return LinkPrior.from_json(json.loads(text))


def _strategy(name: str) -> Strategy:
    if name not in tuple(Strategy):
        raise ValueError(f"Settings out of range: strategy={name!r}. There are: {', '.join(Strategy)}.")
    return Strategy(name)


def workers_needed(settings: ProtocolSettings) -> dict[Task, int]:
    """Per task the number of different workers that always suffices, so that no question can be starved.

    Counted at the worst: every tally as long as it can get, every drawing fruitless but the last.
    """
    fruitless = settings.fruitless_drawings
    visit = 2 * settings.coverage_votes - 1
    return {
        Task.COREFERENCE_LINK: _most_of_a_link(settings),
        Task.CHAIN_VERIFICATION: 1,
        Task.BOX_REQUIREMENT: 2 * settings.no_box_votes - 1 + fruitless,
        Task.BOX_DRAWING: 1,
        Task.BOX_QUALITY: 2,
        Task.BOX_COVERAGE: visit * fruitless + 1,
    }


def _most_of_a_link(settings: ProtocolSettings) -> int:
    if settings.strategy is Strategy.ADAPTIVE:
        return settings.link_most
    return settings.consensus_most if settings.strategy.is_plus else 1
