"""Entries of an image's record, as exports show them: `pipeline.protocol.image` has them with workers' numbers."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, NotRequired

from annotated_types import Ge, Len
from typing_extensions import TypedDict

from annotation.rules.states import NonVisual
from exchange.declared import Corners, Count, OneOf, TypeName
from pipeline.protocol.image.expert import ACTIONS
from pipeline.protocol.tasks.task import SURVEY_TASKS

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


class Entry(TypedDict):
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


class ImportEntry(Entry):
    """The import."""

    kind: Literal["import"]
    data: Imported


class StartEntry(Entry):
    """The start of linking."""

    kind: Literal["start"]
    data: Started


class JudgmentEntry(Entry):
    """An answer."""

    kind: Literal["judgment"]
    data: Judged


class ReportEntry(Entry):
    """A report."""

    kind: Literal["report"]
    data: Reported


class AskEntry(Entry):
    """A survey's question."""

    kind: Literal["ask"]
    data: Asked


class StarveEntry(Entry):
    """A question without an answer."""

    kind: Literal["starve"]
    data: Starved


class VoidEntry(Entry):
    """Answers that no longer count."""

    kind: Literal["void"]
    data: Voided


class ExpertEntry(Entry):
    """An expert's act."""

    kind: Literal["expert"]
    data: Acted


class UndoEntry(Entry):
    """An undo."""

    kind: Literal["undo"]
    data: Undone


class MergeEntry(Entry):
    """The merge."""

    kind: Literal["merge"]
    data: Merged


class ProposeEntry(Entry):
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
