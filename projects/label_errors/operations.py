"""Doubtful and wrong labels as JSON: the operations that read some, and the lines that commands write."""

import json
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Annotated, Any, NamedTuple, NotRequired

from annotated_types import Ge, Le
from pydantic import RootModel
from typing_extensions import TypedDict

from accounts.may import Action
from annotation.models import Image, Project
from annotation.rules.states import ImageState, NonVisual
from exchange.declared import Chance, Corners, Count, OneOf, TypeName
from pipeline.checking.doubt import LabelPart, LabelStatus
from pipeline.checking.reasons import DoubtReason, Why
from pipeline.checking.wrong_share import WrongShare, wrong_shares
from pipeline.learning.refit import MOST_WEIGHED, known_labels
from pipeline.project.settings_versions import checked_source, current_settings
from projects.label_errors.most_doubtful import DoubtfulLabel, check_state, describe_labels, most_doubtful
from projects.operation import LARGEST_ID, Caller, Choice, Input, Output, Refused, operation
from runtime.database import cached_read
from runtime.intervals import IntervalEstimate
from runtime.words import interval, percent

ALL = "all labels"
NOTHING_CHECKED = "This project checks no data set: import one to check it."
MIN_FINISHED_IMAGES = 15
"""Finished images that the first estimate waits for."""
TOLD = 10
"""A type with fewer labels has no row on the page."""


class ShareRow(TypedDict):
    """A share of labels, with the interval that holds the true one with a chance of 90 %."""

    share: Chance
    """The estimate."""
    least: Chance
    """The end of the interval below it."""
    most: Chance
    """The end above it."""


class WrongRow(TypedDict):
    """Shares of wrong labels, of all or of one type."""

    type: str
    """A type; empty: all labels."""
    labels: Count
    """Of the data set, in the images that were weighed."""
    before: ShareRow
    """Of them, those that are wrong."""
    mentions: ShareRow
    """Of them, those whose mentions are wrong."""
    boxes: ShareRow
    """Of them, those whose mentions are right, and whose boxes are wrong."""
    after: ShareRow
    """Of the labels as they are now, those that are wrong."""


class WrongRows(RootModel[list[WrongRow]]):
    """The shares of all labels first, then of each type."""


class ImagesToWeigh(Input):
    most: Annotated[int, Ge(1), Le(1_000_000)] = MOST_WEIGHED
    """The most finished images whose labels are weighed, drawn evenly."""


class WrongLabels(NamedTuple):
    """The shares of a project."""

    images: int
    """The finished images whose labels were weighed."""
    finished: int
    """All finished images."""
    shares: dict[str, WrongShare]
    """By type; "" stands for all. Types without labels are left out."""

    @property
    def is_enough(self) -> bool:
        return self.finished >= MIN_FINISHED_IMAGES

    @property
    def rows(self) -> list[WrongRow]:
        """The shares as JSON, of all labels first."""
        return [
            {
                "type": name,
                "labels": type_shares.labels,
                "before": _row(type_shares.before),
                "mentions": _row(type_shares.mentions),
                "boxes": _row(type_shares.boxes),
                "after": _row(type_shares.after),
            }
            for name, type_shares in self.shares.items()
        ]

    @property
    def before(self) -> tuple[str, str]:
        return describe_share(self.shares[""].before)

    @property
    def after(self) -> tuple[str, str]:
        return describe_share(self.shares[""].after)

    @property
    def table(self) -> dict[str, Any]:
        """The shares with their intervals in words, for `projects/table.html`."""
        return {
            "title": "Wrong labels by type",
            "numbers": True,
            "headers": ["Type", "labels", "wrong before", "of these, phrases", "of these, boxes", "wrong now"],
            "rows": [
                [
                    (name or ALL).capitalize(),
                    f"{type_shares.labels:,}",
                    *(" (".join(describe_share(figure)) + ")" for figure in type_shares[1:]),
                ]
                for name, type_shares in self.shares.items()
                if not name or type_shares.labels >= TOLD
            ],
        }


def wrong_labels(project: Project) -> WrongLabels:
    """Return the shares of a project, weighed a moment ago perhaps, of MOST_WEIGHED images at most."""
    return cached_read(f"wrong_labels:{project.pk}", lambda: read_wrong_labels(project, MOST_WEIGHED))


def read_wrong_labels(project: Project, most: int) -> WrongLabels:
    """Return what `wrong_labels` does, not kept from a moment ago, of `most` images at most, drawn evenly."""
    known = known_labels(project.pk, current_settings(project.pk)[1], most)
    shares = (
        {name: type_shares for name, type_shares in wrong_shares(known).items() if type_shares.labels} if known else {}
    )
    finished = Image.objects.filter(project=project, state=ImageState.MERGED.value).count()
    return WrongLabels(len(known), finished, shares)


def describe_share(share: IntervalEstimate) -> tuple[str, str]:
    """Return a share and its interval in per cent."""
    return percent(share.value, 1), interval(share.low, share.high, 1)


def _row(share: IntervalEstimate) -> ShareRow:
    return {"share": round(share.value, 4), "least": round(share.low, 4), "most": round(share.high, 4)}


def _lines(rows: WrongRows) -> str:
    if not rows.root:
        return "No image is finished yet: there is nothing to estimate from."
    lines = ["Shares of labels, with 90 % intervals:"]
    for row in rows.root:
        before, after = (
            f"{percent(share['share'], 1)} ({interval(share['least'], share['most'], 1)})"
            for share in (row["before"], row["after"])
        )
        lines.append(f"  {row['type'] or ALL}: {row['labels']:,}, wrong before {before}, after {after}")
    return "\n".join(lines)


@operation(
    name="wrong_labels",
    surveys=False,
    path="wrong-labels/",
    method="get",
    action=Action.REVIEW,
    command="wrong_labels",
    guide="../how-to/check_a_data_set.md",
    say=_lines,
)
def estimate_wrong_labels(project: Project, inputs: ImagesToWeigh, caller: Caller) -> WrongRows:
    """Estimate the share of wrong labels of a checked data set, by type, before and after, with 90 % intervals."""
    if not checked_source(project.pk):
        raise Refused("not_found", NOTHING_CHECKED, 404)
    return WrongRows(read_wrong_labels(project, inputs.most).rows)


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
    rows = list(most_doubtful(project, part=inputs.part, status=inputs.standing)[inputs.skip : end + 1])
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
