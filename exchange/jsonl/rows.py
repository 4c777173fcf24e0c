"""The lines of an export as JSON Lines: the project, then each image with its result and its whole record."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, NotRequired

from typing_extensions import TypedDict

from annotation.rules.states import BoxState, ChainState, ImageState, NonVisual
from exchange.declared import Answered, Chance, Corners, Count, Id, OneOf, Pair, Pixels, TypeName
from exchange.jsonl.record_rows import EntryRow
from pipeline.protocol.state.progress import LinkSource
from pipeline.protocol.tasks.task import QuestionState, Task

Worker = str
"""A pseudonym."""


class SettingsRow(TypedDict):
    """A version of the project's settings."""

    version: Count
    """Its number, from 1."""
    values: Mapping[str, Any]
    """The values by the names of settings.md; `habits` in `box_prior` by pseudonyms."""
    reason: str
    """The reason that was given for the change; may be empty."""
    at: str
    """The time of the change, ISO 8601 in UTC."""


class ProjectLine(TypedDict):
    """The first line: the project."""

    kind: Literal["project"]
    """Tells it from an image."""
    format: Literal[1]
    """The version of the format; a change that a reader must know of raises it."""
    name: str
    """The name in addresses and commands."""
    title: str
    """The name that people read."""
    settings: Sequence[SettingsRow]
    """Every version, oldest first."""


class CaptionRow(TypedDict):
    """A caption, its words, and the phrases that are not mentions."""

    text: str
    """As it was imported."""
    words: Sequence[str]
    """The words of the text."""
    offsets: Sequence[Count]
    """The place of each word in the text, in characters."""
    non_visual: Sequence[Pair]
    """Spans of words [start, end) that are not mentions."""
    chunked: bool
    """False if the phrases are still to be found."""


class MentionRow(TypedDict):
    """A noun phrase."""

    number: Count
    """Its number in the image, from 0."""
    caption: Count
    """The number of its caption, from 0."""
    start: Count
    """Its first word ..."""
    end: Count
    """... and the one behind its last."""
    text: str
    """Its words."""
    types: Sequence[TypeName]
    """Its coarse categories."""
    chain: int | None
    """The name of its chain; null before linking."""


class ChainRow(Answered):
    """A chain: mentions of one thing, named by the number of the first."""

    name: Count
    """The number of its first mention."""
    mentions: Sequence[Count]
    """In reading order."""
    state: Annotated[str, OneOf(ChainState)]
    """The task that is asked about it, or how it ended."""
    representative: int | None
    """The mention that stands for the chain in questions; null: none yet."""
    non_visual: Annotated[str, OneOf(["", *NonVisual])]
    """The reason for having no box, or empty."""
    doubted: str
    """The reason why the chain is in doubt, or empty."""
    review: str
    """The reason why it waits for an expert, or empty."""
    confidence: Chance | None
    """The chance that it has exactly the mentions of one thing, as it was when its group was placed; of chains joined
    by equal boxes 0.55. Null: not asked adaptively; merged into another; its mentions changed by a verification or an
    expert."""
    box_confidence: Chance | None
    """The chance that its boxes are all right and none is missing; of a non-visual chain, that it has none. Null: not
    finished by the policy *belief*."""
    merged_into: int | None
    """The chain with the same boxes that it became part of."""
    drawer_judged: bool
    """True: the worker whose drawing led to the last coverage visit was one of its judges (setting
    `drawer_judges_coverage`)."""
    judgments: Mapping[str, Count]
    """The number of judgments about it, by task."""


class BoxRow(Answered):
    """A box that was drawn, proposed or imported."""

    number: Count
    """Its number in the image, from 0."""
    chain: Count
    """The chain that it was drawn for."""
    box: Corners
    """[x0, y0, x1, y1] in pixels of the upright image, end exclusive."""
    state: Annotated[str, OneOf(BoxState)]
    """Whether workers judged it good."""
    drawn_by: Worker | None
    """Null: the import or an expert."""
    pre_annotated: bool
    """True: a program predicted it."""
    drawn: int | None
    """The entry with which it came."""
    accepted: int | None
    """The entry with which it was accepted."""
    confidence: Chance | None
    """The chance that it shows the chain's thing as the task asks for. Null: not accepted; not finished by *belief*."""


class KnownBoxRow(TypedDict):
    """A box of the import that has a category and no chain."""

    category: str
    """Its name in the import."""
    box: Corners
    """[x0, y0, x1, y1] in pixels, end exclusive."""


class MergedBoxRow(TypedDict):
    """A box of the result: the accepted boxes of one place together."""

    number: Count
    """Its number in the image, from 0."""
    box: Corners
    """[x0, y0, x1, y1] in pixels, end exclusive."""
    members: Sequence[Count]
    """The numbers of its boxes."""
    chains: Sequence[Count]
    """The chains that it shows."""


class LinkRow(Answered):
    """A pair of mentions."""

    mentions: Pair
    """The numbers of two mentions, in reading order."""
    source: Annotated[str, OneOf(LinkSource)]
    """The way in which it was decided."""
    yes: Count
    """Votes that count; those of model annotators are under `programs` alone."""
    no: Count
    """Votes against, counted likewise."""
    a_is_part_of_b: NotRequired[Count]
    """Votes among `no` by which the first mention is part of the second. Left out where there are none ..."""
    b_is_part_of_a: NotRequired[Count]
    """... and by which the second is part of the first."""
    same: NotRequired[Chance]
    """The chance that both mentions are one thing, by answers about links and by text. Left out where the strategy is
    not adaptive, and where caption, type, boxes, a verification or an expert decided."""


class ProgramRow(TypedDict):
    """A program that drew, proposed or answered."""

    worker: Worker
    """Its pseudonym."""
    number: Count
    """Its number, by which settings and `inactive` name it."""


class JudgmentRow(TypedDict):
    """An answer of a worker."""

    worker: Worker
    """The worker who answered."""
    answer: Any
    """As the task has it: a word, a number, or an object such as {"box": [x0, y0, x1, y1]}."""
    seconds: float | None
    """The time that the page was looked at."""
    comment: str
    """The worker's words, or empty."""
    at: str
    """The time of the answer, ISO 8601 in UTC."""
    entry: int | None
    """The entry with which it counted; null: it does not yet, or was not used."""
    voided: int | None
    """The entry that took it back."""


class QuestionRow(TypedDict):
    """A question with its answers."""

    number: Count
    """Its number in the image, from 0."""
    task: Annotated[str, OneOf(Task)]
    """The kind of question."""
    subject: Sequence[int]
    """Two mentions; a chain; a chain and a box; or, of a survey, the question itself."""
    chain: int | None
    """The chain that it is about."""
    state: Annotated[str, OneOf(QuestionState)]
    """Whether it is still asked."""
    outcome: str
    """The answer or event that closed it; empty while it is open."""
    closed: int | None
    """The entry that closed it."""
    judgments: Sequence[JudgmentRow]


class ImageLine(TypedDict):
    """Each further line: an image."""

    kind: Literal["image"]
    """Tells it from the project."""
    name: str
    """Its name here."""
    path: str
    """Its path in the import, with the ending; empty: unknown."""
    coco_id: Id | None
    """Its id in COCO files; null: it has none yet."""
    position: Count
    """Its place in the order of the import."""
    width: Pixels
    """In pixels of the upright image."""
    height: Pixels
    """In pixels of the upright image."""
    state: Annotated[str, OneOf(ImageState)]
    """Its progress."""
    captions: Sequence[CaptionRow]
    mentions: Sequence[MentionRow]
    """In reading order."""
    chains: Sequence[ChainRow]
    boxes: Sequence[BoxRow]
    known_boxes: Sequence[KnownBoxRow]
    merged_boxes: Sequence[MergedBoxRow]
    links: Sequence[LinkRow]
    """A row for every two mentions; none before linking."""
    programs: Mapping[str, ProgramRow]
    """By name; all other workers are people, or virtual workers of a simulation."""
    questions: Sequence[QuestionRow]
    record: Sequence[EntryRow]
    """The entries in order: whoever repeats them gets all the rest."""


JsonlLine = ProjectLine | ImageLine
