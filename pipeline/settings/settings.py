"""Protocol settings [paper 3]: every threshold with the paper's value as its default."""

from dataclasses import asdict, field, fields
from typing import Any

from pydantic import ConfigDict, ValidationInfo, field_validator
from pydantic.dataclasses import dataclass

from annotation.rules.dictionaries import Dictionaries, load_dictionaries
from annotation.rules.mention_type import MentionType
from annotation.rules.plain_errors import checked_plainly
from pipeline.policies.box_policy import BoxPolicy
from pipeline.protocol.links.strategies import Strategy
from pipeline.protocol.tasks.task import Task
from pipeline.settings.ranges import (
    MERGEABLE,
    BatchSizes,
    Bits,
    BoxPolicyName,
    BoxPriorJson,
    Cents,
    Count,
    CountOrNone,
    Currency,
    DrawByName,
    Errors,
    FamilyNames,
    Flag,
    Hours,
    HoursOrNone,
    Language,
    Minimums,
    Minutes,
    OddCount,
    Prior,
    ProgramCosts,
    ProgramErrors,
    Rate,
    Rewards,
    RuleName,
    Share,
    ShareOrNone,
    SmallShare,
    StrategyName,
    Sureness,
    TestQuestions,
    TrustModels,
    TypeNames,
    TypePairs,
    WordListEdits,
    WorkerNumbers,
    WorkerOrNone,
)
from pipeline.settings.table_3 import BATCH, MINIMUM
from workers.preferences import DrawBy
from workers.rules.score import Rule
from workers.rules.trust import TrustModel

T = MentionType


@checked_plainly
@dataclass(frozen=True, slots=True, config=ConfigDict(strict=True, allow_inf_nan=False))
class Settings:
    """The parts of the protocol that a requester can change. Values are checked when the settings are made.

    Raises ValueError that names each wrong value and what it should be.
    """

    strategy: StrategyName = Strategy.GREEDY_PLUS
    consensus_lead: Count = 2
    """Contradicting links are asked again until one side leads by this many judgments ..."""
    consensus_most: Count = 5
    """... or until a link has this many; at least `consensus_lead`."""
    link_prior: Prior = field(default_factory=dict)
    """For the adaptive strategy: a fitted prior as LinkPrior.to_json() writes it. Empty: the default prior."""
    link_stop: Bits = 0.1
    """The adaptive strategy asks for an answer only if it expects to learn this much from it, in bits."""
    link_most: Count = 15
    """The adaptive strategy asks for this many judgments of one link at most; then an expert decides."""
    link_errors: Errors = field(default_factory=dict)
    """For the adaptive strategy: the crowd's shares of wrong answers, as CrowdErrors names them. Empty: the paper's."""
    program_errors: ProgramErrors = field(default_factory=dict)
    """By the number of a program: its shares of wrong links, false negatives and false positives."""
    refit_links: Flag = True
    """The prior and the errors are fitted anew on the project's own answers as it goes on."""
    telling_first: Flag = True
    """Workers get the links of the adaptive strategy whose answers tell most; else the oldest."""
    reask_share: SmallShare = 0.01
    """The adaptive strategy asks this many links by lot for each judgment, to hold its confidence against answers."""
    beyond_rules: Flag = False
    """The adaptive strategy asks about chains that a rule of links keeps apart, where they are likely one thing."""
    part_answers: Flag = False
    """Workers may answer that one mention is part of the other. For chains this counts as "different"."""
    verify_below: Share = 0.95
    """Chains with a lower confidence are verified; those of the paper's strategies have none. 1: all are verified."""
    drawn_at_once: TypeNames = (T.PEOPLE.value, T.CLOTHING.value, T.BODY_PARTS.value)
    """A chain with a mention of one of these types goes to box drawing without the question whether it needs a box."""
    no_box_votes: Count = 2
    """The votes that a chain needs to be marked as non-visual, at least."""
    coverage_votes: Count = 2
    """The workers who must agree that all boxes are there."""
    drawer_judges_coverage: bool = False
    """For crews of fewer than six: the worker whose drawing led to a visit may judge the visit. Exports mark it."""
    fruitless_drawings: Count = 4
    """A chain goes to review after this many drawing judgments in a row without an accepted box."""
    box_policy: BoxPolicyName = BoxPolicy.PAPER
    """Decides which of the four box tasks comes next: the loop of the paper, or the belief in what is true."""
    box_sure: Sureness = 0.9
    """The belief policy asks on as long as 20 seconds of work raise a chain's chance of being right by 1 less this."""
    box_prior: BoxPriorJson = field(default_factory=dict)
    """For the belief policy: a fitted prior as BoxPrior.to_json() writes it. Empty: the default prior."""
    fuse_boxes: Flag = False
    """Under belief a box is made of all drawings of a thing, less the margin that each worker usually leaves."""
    redraw_below: ShareOrNone = 0.0
    """With `fuse_boxes`, a box is drawn once more if its expected IOU with the true one is below this. 0: none."""
    refit_boxes: Flag = True
    """The box prior and the trust in programs' boxes are fitted anew on the project's own chains as it goes on."""
    proposals: Flag = False
    """Boxes that programs predict are judged for quality instead of being drawn, and their chains tell of links."""
    jurors: WorkerNumbers = ()
    """The programs whose answers are evidence, by number: about adaptive links, and boxes under belief."""
    juror_lot: SmallShare = 0.03
    """People answer about this share of chains and links whatever jurors say, so that jurors' errors are known."""
    programs_alone: Flag = False
    """Programs finish chains without a person's answer while the lot shows that what they make the belief say holds."""
    program_cost_cents: ProgramCosts = field(default_factory=dict)
    """By the number of a program: what 1,000 of its answers cost, in hundredths of the currency."""
    families: FamilyNames = field(default_factory=dict)
    """By the number of a program: its family. Programs of one family count as one until answers show they are two."""
    own_proposals_judged: Flag = False
    """Jurors may judge boxes that they, or programs of their family, proposed; errors about them are learned apart."""
    checked: WorkerOrNone = 0
    """The program that stands for a data set whose chains and boxes are being checked. 0: nothing is checked."""
    checked_trust: Sureness = 0.95
    """The share of the checked chains that are taken to be right until answers tell."""
    checked_lot: SmallShare = 0.0
    """People answer about the boxes of at least this share of the checked chains while no program judges them."""
    merge_iou: Share = 0.8
    """The least IOU of boxes that merge."""
    merge_iou_other: Share = 0.9
    """The least IOU of boxes that merge if one of their chains has type "other"."""
    mergeable_types: TypePairs = MERGEABLE
    """The pairs of different types whose boxes may merge."""
    reports_to_review: Count = 2
    """A chain goes to review once this many workers have reported an error in it."""
    survey_votes: OddCount = 3
    """The workers who answer a survey's question; the majority decides."""
    starved_hours: Hours = 24.0
    """A question that no worker may answer goes to review after this many hours."""
    lease_minutes: Minutes = 30.0
    """A worker has an assignment for this many minutes; work on it extends the lease ..."""
    lease_most_minutes: Minutes = 120.0
    """... up to this many minutes."""
    batch: BatchSizes = field(default_factory=lambda: {task.value: size for task, size in BATCH.items()})
    """Questions per assignment, for each task [paper table 3]."""
    reward_cents: Rewards = field(default_factory=lambda: {task.value: 0 for task in Task})
    """The reward of a full assignment, for each task, in hundredths of the currency; a smaller one pays its share."""
    currency: Currency = "USD"
    spend_cap_cents: Cents = 0
    """The budget of the project in hundredths of the currency; when it is spent nothing more is leased. 0: no cap."""
    answer_cap: CountOrNone = 0
    """People give this many answers at most, verification questions included and tests not; 0: no cap."""
    trust: TrustModels = field(default_factory=lambda: {task.value: TrustModel.TRUSTED.value for task in Task})
    """The way of controlling quality, for each task [paper 3.3]."""
    minimum: Minimums = field(default_factory=lambda: {task.value: share for task, share in MINIMUM.items()})
    """The least share of verification questions that a worker must get right, for each task."""
    below_minimum: RuleName = Rule.INTERVAL.value
    """The test for a score below the minimum: by more than chance explains, or the paper's bare comparison."""
    probation: Count = 30
    """A worker on probation answers this many verification questions before the first decision ..."""
    probation_most: Count = 60
    """... and this many at most, while neither at the minimum nor clearly below; at least `probation`."""
    trusted_rate: Rate = 0.02
    """The share of verification questions that a trusted worker gets."""
    verification_rate: Rate = 0.2
    """The share of verification questions that every worker gets in the verification model."""
    test_questions: TestQuestions = 10
    """Questions in a task's qualification test. 0: there is no test."""
    tests: Count = 3
    """A worker may take the qualification test this many times ..."""
    test_wait_hours: HoursOrNone = 24.0
    """... and waits this many hours after failing it."""
    draw_by: DrawByName = DrawBy.DRAG.value
    """The way of drawing boxes: by a drag [paper 3.2.2], two clicks, or extreme points. Workers can set another way."""
    guests_trusted: Flag = False
    """Guests who press *Try it as a worker* need no test and no probation, as in the demo."""
    caption_language: Language = ""
    """The language of the captions as a BCP 47 tag, for browsers and screen readers. Empty: unknown."""
    pronouns: Flag = False
    """Pronouns such as "she" and "it" are mentions, of a type of their own, in captions whose phrases are found."""
    dictionaries: WordListEdits = field(default_factory=dict)
    """A requester's edits of the word lists: {"add": {list: words}, "remove": {list: words}}."""

    @field_validator("consensus_most", "probation_most")
    @classmethod
    def _is_at_least_the_first(cls, most: int, info: ValidationInfo) -> int:
        first = "consensus_lead" if info.field_name == "consensus_most" else "probation"
        if most < info.data.get(first, most):
            raise ValueError(f"{most} should be at least {first}, which is {info.data[first]}")
        return most

    def edited_dictionaries(self) -> Dictionaries:
        """Return the shipped word lists with this project's edits, by which pronouns are mentions or not.

        Raises ValueError if an edit names a list or a word that does not exist.
        """
        shipped = load_dictionaries()
        edited = shipped.changed(**self.dictionaries) if self.dictionaries else shipped
        return edited.with_pronouns() if self.pronouns else edited

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
