"""Progress of one image [paper 3]: the fold of its record, as plain values that go to JSON and back."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Annotated, Any, NamedTuple

from annotation.rules.box import Box, Drawing
from annotation.rules.mention_type import MentionType
from annotation.rules.states import BoxState, ChainState, ImageState
from annotation.rules.transitivity import Pair
from pipeline.protocol.state.mention_progress import (
    InTable,
    MentionProgress,
    SortedByKey,
    TableColumn,
    UnlessDefault,
    Unstored,
)
from pipeline.protocol.tasks.coreference_link import pairs_of
from pipeline.protocol.tasks.task import Task

NOTHING_DRAWN = -1
"""The answer of a worker who was to draw a box and found none missing."""


class ChainAnswer(NamedTuple):
    """One answer to a box task, or one box that a program proposed and that was shown.

    The tallies of the paper's loop follow from a chain's answers (see `boxes/tallies.py`), and so does all else that a
    policy weighs.
    """

    entry: int
    worker: int | None
    """The person or program that answered; None: an expert's word, or nobody could answer."""
    task: Task
    value: Any
    """As the worker gave it; of a drawing the number of the box, or NOTHING_DRAWN. None: it was not given, or an expert
    has others asked instead."""
    boxes: list[int]
    """The boxes that were shown; of box quality the one that was judged."""
    skill: float = 0.0
    """The logit of the worker's error above the crowd's, at the time of the answer."""
    trust: float | None = None
    """Of a box that a program proposed: the chance that it is good if one is missing, when it was shown; None: it was
    not weighed."""
    by_model: bool = False
    """A program proposed the box, or judged as a model whose answers are evidence."""
    redraw_of: int | None = None
    """Of a drawing: the number of the box that was drawn, or should be drawn, once more."""
    withdrawn: bool = False
    """It was voided. Its worker is still not asked the same again."""

    @property
    def counts(self) -> bool:
        """Whether the answer was given and not withdrawn."""
        return self.value is not None and not self.withdrawn

    @property
    def is_pre_annotation(self) -> bool:
        """Whether a program predicted the box, and nobody was asked to draw it."""
        return self.by_model and self.task is Task.BOX_DRAWING

    @property
    def is_judged_by_model(self) -> bool:
        """Whether a program gave the answer, as evidence."""
        return self.by_model and self.task is not Task.BOX_DRAWING

    @property
    def redrawn_box(self) -> int | None:
        """The old box that a second drawing is about; None: a new box was drawn.

        That is the hidden box, even if the worker found none missing, or a shown box that was drawn again.
        """
        if self.redraw_of is None or not self.counts:
            return None
        if self.value == NOTHING_DRAWN:
            return self.redraw_of
        return self.value if self.value in (self.redraw_of, *self.boxes) else None

    @property
    def is_redrawing(self) -> bool:
        """Whether no new box was drawn where one could be drawn once more."""
        return self.redrawn_box is not None

    def packed(self) -> list[Any]:
        """Return the answer as JSON: entry, worker, what was said of which task, boxes, and the rest up to defaults.

        What was said of which task is one letter, and of a drawing a number; see LETTERS.
        """
        drew = self.task is Task.BOX_DRAWING and self.value is not None
        row = [self.entry, self.worker, self.value if drew else LETTERS[self.task, self.value], self.boxes, *self[5:]]
        for default in reversed(_DEFAULTS):
            if row[-1] != default:
                break
            del row[-1]
        return row

    @classmethod
    def unpacked(cls, row: list[Any]) -> "ChainAnswer":
        """Return the answer that `packed` wrote. Raises ValueError for any other row."""
        entry, worker, kind, boxes, *more = row
        if isinstance(kind, int):
            return cls(entry, worker, Task.BOX_DRAWING, kind, boxes, *more)
        if kind not in _OF_LETTER:
            raise ValueError(f"{kind!r} stands for no answer.")
        return cls(entry, worker, *_OF_LETTER[kind], boxes, *more)


LETTERS: dict[tuple[Task, Any], str] = {
    (Task.BOX_REQUIREMENT, 1): "b",
    (Task.BOX_REQUIREMENT, 2): "s",
    (Task.BOX_REQUIREMENT, 3): "n",
    (Task.BOX_QUALITY, "good"): "g",
    (Task.BOX_QUALITY, "bad"): "x",
    (Task.BOX_COVERAGE, "all there"): "a",
    (Task.BOX_COVERAGE, "more needed"): "m",
    # Answers that an expert has others give.
    (Task.CHAIN_VERIFICATION, None): "V",
    (Task.BOX_REQUIREMENT, None): "R",
    (Task.BOX_DRAWING, None): "D",
    (Task.BOX_QUALITY, None): "Q",
    (Task.BOX_COVERAGE, None): "C",
}
_OF_LETTER = {letter: kind for kind, letter in LETTERS.items()}
_DEFAULTS = [ChainAnswer._field_defaults[name] for name in ChainAnswer._fields[5:]]


class StateMachine(StrEnum):
    """The kinds of state machine: an image, its chains, its boxes and its questions."""

    IMAGE = "image"
    CHAIN = "chain"
    BOX = "box"
    QUESTION = "question"


class Cause(StrEnum):
    """The reason for a move, where no answer, verdict or step of the flow is the cause.

    The value is the text that is stored and shown. `{chain}` stands for the name of another chain, `StateMove.chain`.
    """

    # A question is closed.
    BOX_DRAWN = "box"
    NONE_MISSING = "none missing"
    SWEPT = "swept"
    NOT_NEEDED = "not needed"
    BOX_VOIDED = "box voided"
    MENTION_REMOVED = "mention removed"
    LATE_JUDGMENT = "late judgment"
    # The judgment of a program that was set aside changes nothing; the question stays open.
    SET_ASIDE = "its program is set aside"
    # A chain goes on after its verification.
    VERIFIED = "verified"
    DOUBTED = "doubted"
    BROKEN = "broken by head noun"
    # A chain goes to review.
    CYCLING = "cycling"
    STARVED = "starved"
    NO_CONSENSUS = "a link left without consensus"
    MENTION_REPORTED = "mention reported as wrong"
    CAPTION_REPORTED = "caption reported as wrong"
    IMAGE_REPORTED = "image reported as wrong"
    EXPERT = "changed by an expert"
    # A chain is part of another one now; its own state stays.
    SAME_BOXES = "merged into chain {chain}, same boxes"
    # A chain goes, or gets another name.
    JOINED = "joined to chain {chain}"
    RENAMED_TO = "now chain {chain}"
    RENAMED_FROM = "was chain {chain}"
    # A box is drawn, judged or taken away.
    DRAWN = "drawn"
    DRAWN_AGAIN = "drawn again"
    PRE_ANNOTATED = "pre_annotated"
    JUDGED_GOOD = "judged good"
    JUDGED_BAD = "judged bad"
    VOIDED = "voided"
    VOTE_VOIDED = "vote voided"
    NO_MENTION_LEFT = "its chain has no mention left"
    KEPT = "kept as likely good"
    IN_DOUBT = "judged once more"
    DROPPED = "likely bad"
    # An expert's act is undone: whatever it had moved moves back.
    UNDONE = "undone"
    # A merged image is opened again, or an image is merged.
    TAKEN_UP = "taken up by an expert"
    REOPENED = "a chain was opened again"
    MERGED = "merged"


CHANGED_NOTHING = (Cause.LATE_JUDGMENT, Cause.SET_ASIDE)
"""The causes that are noted of a judgment that changes nothing."""


class LinkSource(StrEnum):
    """The last thing that acted on a link [figure 3]. Beyond the paper: the posterior, and a program."""

    ASKED_YES = "asked yes"
    ASKED_NO = "asked no"
    REASKED = "re-asked"
    TRANSITIVITY = "inferred by transitivity"
    POSTERIOR = "inferred from the posterior"
    PROGRAM = "judged by a program"
    OVERRULED = "overruled"
    SPLIT = "split by verification"
    MERGED = "merged by boxes"
    EXPERT = "set by an expert"
    CAPTION = "ruled out by caption"
    TYPE = "ruled out by type"


class TallyVote(NamedTuple):
    """One answer in a tally, and the number of the entry that brought it."""

    entry: int
    worker: int
    answer: Any
    skill: UnlessDefault[float] = 0.0
    """Of a link's vote: the logit of the worker's error above the crowd's, at the time of the answer."""
    part_answer: UnlessDefault[str] = ""
    """Of a link's vote that counts as "different": the `PartAnswer` that was given; empty: none."""
    by_model: UnlessDefault[bool] = False
    """Of a link's vote: a program gave it as evidence of its own. The strategies of the paper do not read it."""


class ErrorReport(NamedTuple):
    """One report that something is wrong."""

    what: str
    """"mention", "caption" or "image"."""
    number: int
    worker: int | None


class PreAnnotation(NamedTuple):
    """A box that a program predicts for a mention, and that nobody has judged yet."""

    mention: int
    worker: int
    """The program."""
    box: Box
    score: UnlessDefault[int | None] = None
    """The program's score of the box, in percent; None: it gives none."""


@dataclass(slots=True)
class ChainProgress:
    """A coreference chain, named by its first mention in reading order."""

    name: int
    mentions: list[int]
    state: InTable[ChainState] = ChainState.LINKING
    representative: Annotated[int, TableColumn(shows=lambda number: None if number < 0 else number)] = -1
    non_visual: InTable[str] = ""
    doubted: InTable[str] = ""
    review: InTable[Cause | None] = None
    merged_into: InTable[int | None] = None
    answers: list[ChainAnswer] = field(default_factory=list)
    """All answers to its box tasks since it was made, or since an expert has sent it on."""
    confidence: UnlessDefault[float | None] = None
    """The chance that exactly these mentions are a chain of the data set; None: the link policy gives none."""
    box_confidence: UnlessDefault[float | None] = None
    """The chance that the finished chain's boxes are all right and none is missing; None: the box policy gives none."""
    notes: UnlessDefault[dict[str, Any]] = field(default_factory=dict)
    """Decisions of the box policy about the chain that are taken once and for all. Only policies read them."""


@dataclass(slots=True)
class BoxProgress:
    """A box that was drawn for a chain, proposed or imported. It keeps its number when it is discarded."""

    number: int
    chain: InTable[int]
    box: InTable[Box]
    state: InTable[BoxState]
    worker: Annotated[int | None, TableColumn("drawn_by_id")]
    """The worker who drew or proposed the box; None if it was known at import or drawn by an expert."""
    entry: int
    accepted: int | None = None
    """Number of the entry that accepted the box."""
    pre_annotated: InTable[UnlessDefault[bool]] = False
    """A program predicted the box; nobody was asked to draw it."""
    confidence: UnlessDefault[float | None] = None
    """The chance that the box is good, from the end of its chain on; None: the box policy gives none."""
    score: UnlessDefault[int | None] = None
    """Of a proposed box: as in `PreAnnotation`."""
    drawings: UnlessDefault[list[Drawing]] = field(default_factory=list)
    """All drawings that `box` is made of; empty: it is as it was drawn."""


@dataclass(slots=True)
class OpenQuestion:
    """A question that is not closed.

    `subject`: the two mentions of a link; of a sweep the mention that is given, then the candidates; both in reading
    order. Else the chain, and then the box to judge, or the one to draw once more; of a survey the question's number.
    """

    number: int
    task: InTable[Task]
    subject: InTable[list[int]]
    barred: InTable[list[int]] = field(default_factory=list)
    pinned: UnlessDefault[bool] = False
    """A link that was answered or on loan when the settings of links changed: it stays open until its answer counts."""
    value: InTable[UnlessDefault[float]] = 0.0
    """Of a link: the bits that its answer is expected to tell. Workers get large values first."""
    predicted: InTable[UnlessDefault[float | None]] = None
    """Of an audit, a link that is asked once to check the policy: the chance, 0 to 1, that the answer is "same"."""
    preset: UnlessDefault[list[int]] = field(default_factory=list)
    """Of a sweep: the candidates that are touched when the worker sees the question."""

    def bar(self, *workers: int) -> None:
        """Bar workers, such as one who has answered, from the question, which stays open."""
        self.barred = sorted({*self.barred, *workers})


@dataclass(slots=True)
class SurveyProgress:
    """One survey question on the image, open or closed."""

    number: int
    task: Task
    item: str
    """The name of what is asked about, as the requester's file has it."""
    shown: dict[str, Any]
    """Shown to workers beside the picture."""
    truth: Any = None
    """The right answer, if it is known by construction; workers are not shown it."""
    votes: list[TallyVote] = field(default_factory=list)
    voided: list[int] = field(default_factory=list)
    """Workers whose vote was voided."""


@dataclass(slots=True)
class MergedBoxProgress:
    """A box of the finished image: the mean of the accepted boxes whose numbers are its members."""

    number: int
    box: InTable[Box]
    members: InTable[list[int]]


@dataclass(slots=True)
class StateMove:
    """One line for the table of transitions. The two states are equal if something else happened: see the cause."""

    machine: InTable[StateMachine]
    subject: Annotated[int, TableColumn(shows=str)]
    old: InTable[str]
    new: InTable[str]
    cause: StrEnum
    """A Cause; or the answer or verdict of a task, the step of the flow, or the state that follows."""
    entry: Annotated[int, TableColumn("sequence")]
    chain: int | None = None
    """The other chain that the cause is about."""

    @property
    def reason(self) -> str:
        """The cause in words."""
        return self.cause.value if self.chain is None else self.cause.value.format(chain=self.chain)


@dataclass(slots=True)
class ImageProgress:
    """Everything that the next entry of an image's record acts on."""

    sequence: int = 0
    state: ImageState = ImageState.LINKING
    started: bool = False
    waiting: bool = False
    """The image's phrases are still to be found, so there is nothing to link yet."""
    next_mention: int = 0
    """The number of the next mention; numbers of removed mentions are not used again."""
    next_question: int = 0
    """The number of the next question."""
    next_box: int = 0
    """The number of the next box."""
    mentions: dict[int, MentionProgress] = field(default_factory=dict)
    chains: SortedByKey[dict[int, ChainProgress]] = field(default_factory=dict)
    boxes: dict[int, BoxProgress] = field(default_factory=dict)
    open: dict[int, OpenQuestion] = field(default_factory=dict)
    votes: dict[Pair, list[TallyVote]] = field(default_factory=dict)
    """For each link that somebody answered, the votes that count, one or more, of people and of models."""
    expert_links: dict[Pair, bool] = field(default_factory=dict)
    """The links that an expert set; True: the mentions corefer."""
    voided: UnlessDefault[dict[Pair, list[int]]] = field(default_factory=dict)
    """For each link, the workers whose judgment of it was voided."""
    skipped: list[Pair] = field(default_factory=list)
    """The links that nobody may answer: they place their mentions as "different", and overrule nothing."""
    review_when_placed: dict[int, Cause] = field(default_factory=dict)
    """Mentions whose chain goes to review once it is placed, with the cause."""
    sources: dict[Pair, LinkSource] = field(default_factory=dict)
    """The last source of each link that was asked, set, split or joined; `merging.sources_of_pairs` adds the others."""
    reports: list[ErrorReport] = field(default_factory=list)
    """Reports that have not sent a chain to review yet."""
    merged: list[MergedBoxProgress] = field(default_factory=list)
    link_rules: str = ""
    """The digest of the policy that planned the open links: see `LinkPolicy.digest`."""
    pre_annotations: UnlessDefault[list[PreAnnotation]] = field(default_factory=list)
    """Pre-annotations that were not taken yet, in the order in which they are tried."""
    surveys: UnlessDefault[dict[int, SurveyProgress]] = field(default_factory=dict)
    program_chains: UnlessDefault[dict[int, list[list[int]]]] = field(default_factory=dict)
    """For each program, the lists of mentions that it holds to be one thing."""
    together: UnlessDefault[dict[Pair, float]] = field(default_factory=dict)
    """The chance that a pair corefers, once it is placed; empty where the link policy says nothing of it."""
    seed: UnlessDefault[int] = 0
    """The seed by which policies draw links and chains for an audit."""
    notes: UnlessDefault[dict[str, Any]] = field(default_factory=dict)
    """Decisions of the link policy about the image that are taken once and for all. Only policies read them."""
    unswept: UnlessDefault[list[int]] = field(default_factory=list)
    """The mentions whose sweeps nobody may answer: policies ask pairs of them."""
    moves: Unstored[list[StateMove]] = field(default_factory=list)
    """Moves since the progress was loaded."""

    def votes_by(self, *, model: bool) -> dict[Pair, list[TallyVote]]:
        """Return the votes of people, or those of models, on each link that has any."""
        found = {pair: [vote for vote in votes if vote.by_model is model] for pair, votes in self.votes.items()}
        return {pair: votes for pair, votes in found.items() if votes}

    def reading_order(self, numbers: Iterable[int]) -> list[int]:
        """Sort the numbers of mentions by caption, then by first word."""
        return sorted(numbers, key=lambda number: self.mentions[number].order)

    def pairs_of(self, subject: Sequence[int]) -> list[Pair]:
        """Return the pairs of a link question: that of a pair, or one for each candidate of a sweep."""
        return pairs_of(subject, lambda number: self.mentions[number].order)

    def types_of(self, chain: ChainProgress) -> frozenset[str]:
        """Return the types of its nouns; of a chain of pronouns alone those that they may stand for."""
        mentions = [self.mentions[number] for number in chain.mentions]
        nouns = [mention for mention in mentions if not mention.is_pronoun]
        return frozenset(
            kind for mention in nouns or mentions for kind in (mention.types if nouns else mention.linked_types)
        )

    def has_type(self, chain: ChainProgress, mention_type: MentionType) -> bool:
        return mention_type.value in self.types_of(chain)

    def accepted(self, chain: int) -> list[BoxProgress]:
        """Return the accepted boxes of a chain, in the order in which they were accepted."""
        boxes = [box for box in self.boxes.values() if box.chain == chain and box.state is BoxState.ACCEPTED]
        return sorted(boxes, key=lambda box: (box.accepted or 0, box.number))

    def pending(self, chain: int) -> list[BoxProgress]:
        """Return the box of a chain whose quality is being judged; none in another state."""
        return [box for box in self.boxes.values() if box.chain == chain and box.state is BoxState.PENDING]

    def chain_of(self, mention: int) -> ChainProgress:
        """Return the chain of a mention. Every mention has one from the start of linking on."""
        return next(chain for chain in self.chains.values() if mention in chain.mentions)
