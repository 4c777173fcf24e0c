"""The share of wrong labels of a checked data set, by type, before the check and after it."""

from typing import Annotated, Any, NamedTuple

from annotated_types import Ge, Le
from pydantic import RootModel
from typing_extensions import TypedDict

from accounts.may import Action
from annotation.models import Image, Project
from annotation.rules.states import ImageState
from exchange.declared import Chance, Count
from pipeline.checking.wrong_share import WrongShare, wrong_shares
from pipeline.learning.refit import MOST_WEIGHED, known_labels
from pipeline.project.settings_versions import checked_source, current_settings
from projects.operation import Caller, Input, Refused, operation
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


def _lines(found: WrongRows) -> str:
    if not found.root:
        return "No image is finished yet: there is nothing to estimate from."
    lines = ["Shares of labels, with 90 % intervals:"]
    for row in found.root:
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
