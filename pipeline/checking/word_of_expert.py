"""Word of an expert [beyond paper 3.3.1]: acts that confirm a change of labels, or take it back."""

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from typing import Any, NamedTuple

from annotation.rules.box import Box
from pipeline.checking.changed_labels import LabelChange, change_of
from pipeline.checking.label import ChainLabel
from pipeline.protocol.image.expert import CONFIRM, TAKE_BACK
from pipeline.protocol.state.progress import ImageProgress
from pipeline.protocol.tasks.flow import SETTLED


class ChangeDecision(StrEnum):
    """The last word on a change."""

    BY_ANSWERS = "by answers"
    CONFIRMED = "confirmed by an expert"
    TAKEN_BACK = "taken back by an expert"


class ExpertAct(NamedTuple):
    """An act of an expert that is in force."""

    entry: int
    actor: str
    data: Mapping[str, Any]


class Decided(NamedTuple):
    """A change, and what experts have said of it."""

    change: LabelChange
    decision: ChangeDecision
    acts: tuple[ExpertAct, ...]
    """Those that confirm the change, made it, or took it back, the oldest first."""


ASKS = ("review", "ask others", CONFIRM, TAKE_BACK)
"""Acts that make no label by themselves; two of them are told by the labels that they name."""


def decided(change: LabelChange, progress: ImageProgress, acts: Iterable[ExpertAct]) -> Decided:
    """Return what experts have said of a change: they confirm it, or they made it."""

    def makes(data: Mapping[str, Any]) -> bool:
        if data["action"] in ASKS or (data["action"] == "send" and data["to"] not in SETTLED):
            return False
        return not change.mentions.isdisjoint(_touched(data, progress))

    found = tuple(act for act in acts if confirms(act, change.after) or makes(act.data))
    return Decided(change, ChangeDecision.CONFIRMED if found else ChangeDecision.BY_ANSWERS, found)


def confirms(act: ExpertAct, labels: Iterable[ChainLabel]) -> bool:
    """Return whether an act says that exactly these labels are right."""
    return act.data["action"] == CONFIRM and {*labels} == {*labels_from_rows(act.data["labels"])}


def taken_back(now: Iterable[ChainLabel], acts: Iterable[ExpertAct]) -> list[Decided]:
    """Return the changes that experts have taken back and that stay so, by first mention.

    `now`: the labels of the image.
    """
    there, found = {*now}, []
    for act in acts:
        if act.data["action"] == TAKE_BACK:
            before, was = labels_from_rows(act.data["labels"]), labels_from_rows(act.data["was"])
            change = change_of(before, was) if there.issuperset(before) else None
            found += [Decided(change, ChangeDecision.TAKEN_BACK, (act,))] if change else []
    return sorted(found, key=lambda one: one.change.before)


def labels_from_rows(rows: Iterable[Sequence[Any]]) -> list[ChainLabel]:
    """Return labels from the rows [mentions, boxes, flag] of an entry."""
    return [
        ChainLabel(tuple(sorted(mentions)), tuple(sorted(Box(*box) for box in boxes)), flag)
        for mentions, boxes, flag in rows
    ]


def label_rows(labels: Iterable[ChainLabel]) -> list[list[Any]]:
    """Return the rows of an entry for labels."""
    return [[[*label.mentions], [[*box] for box in label.boxes], label.flag] for label in labels]


def _touched(data: Mapping[str, Any], progress: ImageProgress) -> set[int]:
    """Return the mentions that an act names, and those that name the chains it is about. The chains may be gone."""
    found = {data[name] for name in ("chain", "mention", "first", "second") if name in data}
    found.update(data.get("chains", ()), data.get("remove", ()), (row[0] for row in data.get("add", ())))
    found.update(number for part in data.get("parts", ()) for number in part)
    number = data.get("box")
    box = progress.boxes.get(number) if isinstance(number, int) else None
    return found | ({box.chain} if box else set())
