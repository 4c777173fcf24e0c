"""Doubtful labels as JSON: the operation that reads some, and the lines that `manage.py doubts` writes."""

import json
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Annotated, NotRequired

from annotated_types import Ge, Le
from typing_extensions import TypedDict

from accounts.may import Action
from annotation.models import Project
from annotation.rules.states import NonVisual
from exchange.declared import Chance, Corners, Count, OneOf, TypeName
from pipeline.checking.doubt import LabelPart, LabelStatus
from pipeline.checking.reasons import DoubtReason, Why
from pipeline.project.settings_versions import checked_source
from projects.label_errors.most_doubtful import DoubtfulLabel, describe_labels, most_doubtful
from projects.label_errors.state import check_state
from projects.label_errors.wrong_labels import NOTHING_CHECKED
from projects.operation import LARGEST_ID, Caller, Choice, Input, Output, Refused, operation

LABELS_PER_BATCH = 100
"""The labels that are read together."""


class ChancesRow(TypedDict):
    """The chances that the parts of a label are right; their product is the chance of the whole label."""

    mentions: Chance
    """Exactly these mentions are one thing."""
    boxes: Chance
    """All boxes are there and good, given that it needs boxes; 1 for a label without boxes."""
    flag: Chance
    """It has boxes and needs some, or it has none and needs none."""


class ReasonRow(TypedDict):
    """A reason to doubt a label. Figures that have no meaning for a reason are left out."""

    why: Annotated[str, OneOf(Why)]
    """The kind of reason."""
    part: Annotated[str, OneOf(LabelPart)]
    """The part of the label that it concerns."""
    words: str
    """The reason as a sentence."""
    chance: NotRequired[Chance]
    """Of two mentions: that they are one thing. Of a number of boxes: that a chain has so many. Of two boxes: how much
    of them overlaps."""
    number: NotRequired[Count]
    """Boxes of the label, or people who answered so."""
    programs: NotRequired[Count]
    """Programs that say so, or the boxes that one of them found."""
    mention: NotRequired[Count]
    """A mention of the label."""
    other: NotRequired[Count]
    """The other mention; of boxes, the first mention of the other chain."""
    types: NotRequired[Sequence[TypeName]]
    """The types that the dictionaries have for the mention."""


class DoubtLine(TypedDict):
    """A label of a checked data set, as it is now, with the doubt about it."""

    image: str
    """The name of the image."""
    chain: Count
    """The number of its first mention."""
    mentions: Sequence[Count]
    """The numbers of its mentions, as in an export of the project's record."""
    phrases: Sequence[str]
    """Their words, in the same order."""
    boxes: Sequence[Corners]
    """Its boxes, those in question included, [x0, y0, x1, y1] in pixels, end exclusive."""
    flag: Annotated[str, OneOf(["", *NonVisual])]
    """The reason for having no box; empty: it has boxes, or nothing is said."""
    standing: Annotated[str, OneOf(LabelStatus)]
    """Whether it is in question, or else as the data set has it."""
    doubt: Chance
    """The chance that it is wrong."""
    right: ChancesRow
    """The chances that its parts are right."""
    reasons: Sequence[ReasonRow]
    """The reasons to doubt it, by part."""


def doubt_row(label: DoubtfulLabel) -> DoubtLine:
    """Return a label as JSON."""
    row = label.row
    return {
        "image": label.image.name,
        "chain": row.chain,
        "mentions": label.mentions,
        "phrases": label.texts,
        "boxes": [list(box) for box in label.boxes],
        "flag": label.non_visual,
        "standing": row.standing,
        "doubt": row.doubt,
        "right": {"mentions": row.mentions, "boxes": row.boxes, "flag": row.flag},
        "reasons": [_reason(reason, words) for reason, words in label.reasons],
    }


def _reason(reason: DoubtReason, words: str) -> ReasonRow:
    row: ReasonRow = {"why": reason.why.value, "part": reason.part.value, "words": words}
    if reason.chance is not None:
        row["chance"] = reason.chance
    if reason.number is not None:
        row["number"] = reason.number
    if reason.programs is not None:
        row["programs"] = reason.programs
    if reason.mention is not None:
        row["mention"] = reason.mention
    if reason.other is not None:
        row["other"] = reason.other
    if reason.types:
        row["types"] = list(reason.types)
    return row


def doubt_lines(project: Project, limit: int | None = None) -> Iterator[str]:
    """Yield a project's labels as lines of JSON, the most doubtful first, at most `limit` of them.

    Labels that are answered meanwhile are left out, or have the doubt of before.
    """
    rows = iter(most_doubtful(project)[:limit].iterator(chunk_size=LABELS_PER_BATCH))
    while part := list(islice(rows, LABELS_PER_BATCH)):
        for label in describe_labels(project, part):
            yield f"{json.dumps(doubt_row(label), ensure_ascii=False)}\n"


class DoubtsFrom(Input):
    skip: Annotated[int, Ge(0), Le(LARGEST_ID)] = 0
    """More doubtful labels to pass over."""
    most: Annotated[int, Ge(1), Le(LABELS_PER_BATCH)] = 20
    part: Annotated[str, Choice(("", *LabelPart))] = ""
    """The part that is most in doubt; empty: any."""
    standing: Annotated[str, Choice(("", *LabelStatus))] = ""


class Doubts(Output):
    data_set: str
    """The data set that is checked, by its name as a program."""
    labels: int
    in_question: int
    changed: int
    expected_wrong: float
    """Labels that are expected to be wrong: the sum of all doubts."""
    low: float
    """The low end of its 90 % interval, as the chances of the labels have it."""
    high: float
    doubts: list[DoubtLine]
    """The most doubtful labels first."""
    skip: int | None
    """Ask for the next labels with it; null: no more."""


@operation(name="doubts", surveys=False, path="doubts/", method="get", action=Action.REVIEW)
def read_doubts(project: Project, inputs: DoubtsFrom, caller: Caller) -> Doubts:
    """Return the state of the check of a data set, and its labels, the most doubtful first."""
    source = checked_source(project.pk)
    if not source:
        raise Refused("not_found", NOTHING_CHECKED, 404)
    end = inputs.skip + inputs.most
    rows = list(most_doubtful(project, part=inputs.part, standing=inputs.standing)[inputs.skip : end + 1])
    state = check_state(project, source)
    return Doubts(
        data_set=state.source,
        labels=state.labels,
        in_question=state.in_question,
        changed=state.changed,
        expected_wrong=state.expected.wrong,
        low=state.expected.low,
        high=state.expected.high,
        doubts=[doubt_row(label) for label in describe_labels(project, rows[: inputs.most])],
        skip=end if len(rows) > inputs.most else None,
    )
