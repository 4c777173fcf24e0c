"""The lines of an export as JSON Lines: the project, then each image with its result and its whole record."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, NotRequired

from annotated_types import Ge, Len
from typing_extensions import TypedDict

from annotation.rules.states import BoxState, ChainState, ImageState, NonVisual
from exchange.declared import Answered, Chance, Corners, Count, Id, OneOf, Pair, Pixels, TypeName
from pipeline.protocol.image.expert import ACTIONS
from pipeline.protocol.state.progress import LinkSource
from pipeline.protocol.tasks.task import SURVEY_TASKS, QuestionState, Task

MentionList = Annotated[list[Any], Len(6, 10)]
"""[number, caption, start, end, types, text, the words before it, its vector or "", the form in which it is compared or
"", the number of its sentence in the caption]; the last ones only where there are any."""
LabelList = Annotated[list[Any], Len(3, 3)]
"""[mentions, boxes, the reason for having no box or ""]."""
PreAnnotatedBox = Annotated[Sequence[int], Len(5, 6)]
"""[mention, x0, y0, x1, y1], with the program's score in percent behind if it gave one."""


class Data(TypedDict, total=False):
    """Two fields that the data of any entry may have."""

    inactive: Sequence[int]
    """The numbers of the model annotators that were not at work."""
    on_loan: Sequence[Count]
    """Under new settings of links, and of pre-annotations: the questions that were answered or leased, and stay."""


class ImportedChain(TypedDict):
    """A chain of an annotated import."""

    mentions: Sequence[Count]
    """Numbers of its mentions."""
    non_visual: Annotated[str, OneOf(["", *NonVisual])]
    """The reason for having no box, or empty."""
    doubted: NotRequired[str]
    """The reason why its source doubts it."""


class ImportedBox(TypedDict):
    """A box of an annotated import."""

    box: Corners
    """[x0, y0, x1, y1] in pixels, end exclusive."""
    chains: Sequence[Count]
    """The first mention of each of its chains."""


class Imported(Data):
    """The phrases of the image, and its annotation, if it came with one."""

    mentions: Sequence[MentionList]
    """Rows [number, caption, start, end, types, text, the words before it, its vector or "", the form in which it is
    compared or "", the number of its sentence in the caption]; the last ones only where there are any."""
    chains: NotRequired[Sequence[ImportedChain]]
    boxes: NotRequired[Sequence[ImportedBox]]
    waiting: NotRequired[Literal[True]]
    """Phrases are still to be found."""


class Started(Data):
    """Linking begins."""

    seed: NotRequired[int]
    """The seed of the draw by which people answer about a chain beside programs."""


class Judged(Data):
    """An answer acts. It changes nothing if an earlier entry closed the question."""

    question: Count
    """The number of the question."""
    worker: str
    """The worker who answered."""
    answer: Any
    """As in `judgments`."""
    skill: NotRequired[float]
    """The weight of the worker's skill, where it counts."""
    by_model: NotRequired[Literal[True]]
    """A program answered."""


class Reported(Data):
    """Somebody says that something is wrong."""

    what: Literal["mention", "caption", "image"]
    """The thing that is wrong."""
    number: Count
    """Of the mention or caption; 0 for the image."""
    worker: str | None
    """The worker who said so."""
    expert: bool
    """Whether an expert did: then one report is enough."""


class Asked(Data):
    """A question of a survey is opened; its subject is its own number."""

    task: Annotated[str, OneOf(SURVEY_TASKS)]
    """The kind of survey."""
    item: str
    """The name of the item in votes."""
    shown: dict[str, Any]
    """`caption`; or `atom`, `category`, `examples`."""
    truth: NotRequired[Any]
    """The right answer, if it is known."""


class Starved(Data):
    """A question is given up that nobody may answer."""

    question: Count
    """The number of the question."""


class Voided(Data):
    """Judgments are taken back."""

    entries: Sequence[Count]
    """The entries with which they came."""


class Acted(Data):
    """An expert decides."""

    action: Annotated[str, OneOf(ACTIONS)]
    """The arguments are: review (`chain`), send (`chain`, `to`, `kind`), ask others (`chain`, `to`), link (`first`,
    `second`, `same`), join (`chains`), split (`chain`, `parts`), draw (`chain`, `box`), move box (`box`, `to`), delete
    box (`box`), accept box (`box`), retype (`mention`, `types`), chunk (`add`), rechunk (`remove`, `add`), confirm
    (`labels`), take back (`labels`, `was`)."""
    chain: NotRequired[Count]
    """The name of a chain."""
    chains: NotRequired[Sequence[Count]]
    """Names of chains."""
    parts: NotRequired[Sequence[Sequence[Count]]]
    """Mentions of each part."""
    first: NotRequired[Count]
    """A mention of a link ..."""
    second: NotRequired[Count]
    """... and the other one."""
    same: NotRequired[bool]
    """Whether they are one thing."""
    box: NotRequired[Count | Corners]
    """The number of a box; of draw the new box."""
    to: NotRequired[str | Corners]
    """The state that the chain is sent to; of move box the new place."""
    kind: NotRequired[str]
    """The reason of a non-visual chain."""
    mention: NotRequired[Count]
    """The number of a mention."""
    types: NotRequired[Sequence[TypeName]]
    """The new types."""
    add: NotRequired[Sequence[MentionList]]
    """Rows as in `mentions` of an import."""
    remove: NotRequired[Sequence[Count]]
    """Numbers of mentions."""
    labels: NotRequired[Sequence[LabelList]]
    """Rows [mentions, boxes, the reason for having no box or ""]: labels that are right."""
    was: NotRequired[Sequence[LabelList]]
    """Of take back: the labels whose place they take."""


class Undone(Data):
    """An act of an expert, or an undo, counts as never written: the state is the fold of the record without its entry.
    Numbers of questions, boxes and mentions go on as if it had acted. An undone undo counts as never written, too."""

    undo: Annotated[int, Ge(0)]
    """The number of its entry."""


class PreAnnotated(Data):
    """A program predicts boxes and chains, in place of those of it that are left."""

    worker: str
    """The program."""
    boxes: Sequence[PreAnnotatedBox]
    """Rows [mention, x0, y0, x1, y1] in the order of trying them, with the score in percent behind if there is one."""
    chains: NotRequired[Sequence[Sequence[Count]]]
    """Lists of mentions that the program holds to be one thing. Absent: those it gave before stay."""
    flags: NotRequired[Mapping[str, Annotated[str, OneOf(list(NonVisual))]]]
    """Of a data set that is being checked: by the number of a mention, the reason for having no box."""


class Merged(Data):
    """Boxes and chains are merged."""


class BaseEntry(TypedDict):
    """An entry of the record; `data` depends on its kind."""

    sequence: Count
    """Its number, from 0."""
    settings: Count
    """The version of the settings under which it acted."""
    at: str
    """ISO 8601 in UTC."""
    actor: str
    """The pseudonym of the member of staff who acted, or empty."""
    reason: str
    """The words of who acted, or empty."""


class ImportEntry(BaseEntry):
    """The import."""

    kind: Literal["import"]
    data: Imported


class StartEntry(BaseEntry):
    """The start of linking."""

    kind: Literal["start"]
    data: Started


class JudgmentEntry(BaseEntry):
    """An answer."""

    kind: Literal["judgment"]
    data: Judged


class ReportEntry(BaseEntry):
    """A report."""

    kind: Literal["report"]
    data: Reported


class AskEntry(BaseEntry):
    """A survey's question."""

    kind: Literal["ask"]
    data: Asked


class StarveEntry(BaseEntry):
    """A question without an answer."""

    kind: Literal["starve"]
    data: Starved


class VoidEntry(BaseEntry):
    """Answers that no longer count."""

    kind: Literal["void"]
    data: Voided


class ExpertEntry(BaseEntry):
    """An expert's act."""

    kind: Literal["expert"]
    data: Acted


class UndoEntry(BaseEntry):
    """An undo."""

    kind: Literal["undo"]
    data: Undone


class MergeEntry(BaseEntry):
    """The merge."""

    kind: Literal["merge"]
    data: Merged


class ProposeEntry(BaseEntry):
    """A program's predictions."""

    kind: Literal["propose"]
    data: PreAnnotated


EntryRow = (
    ImportEntry
    | StartEntry
    | JudgmentEntry
    | ReportEntry
    | AskEntry
    | StarveEntry
    | VoidEntry
    | ExpertEntry
    | UndoEntry
    | MergeEntry
    | ProposeEntry
)


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
    """Two mentions, or that of a sweep and its candidates; a chain; a chain and a box; of a survey the question."""
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
