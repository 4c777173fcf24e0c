"""Rows of one image [paper 3]: what the tables show of its progress. The tables are a cache of the record."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from operator import attrgetter
from types import UnionType
from typing import Any, NamedTuple, TypeVar, get_args, get_origin

from annotation.rules.box import Box
from pipeline.protocol.state.mention_progress import MentionProgress, declared
from pipeline.protocol.state.progress import (
    BoxProgress,
    ChainProgress,
    ImageProgress,
    MergedBoxProgress,
    OpenQuestion,
    StateMove,
)
from pipeline.protocol.tasks.task import SURVEY_TASKS, Task


def question_view(progress: ImageProgress, question: OpenQuestion) -> dict[str, Any]:
    """Return {"mentions": [[number, caption, first word, end], ...], "boxes": [...], "new_box": box | None}.

    A link shows its mentions, and {"preset": [...]} where candidates of a sweep are touched already. A verification
    shows all mentions of the chain. A box task shows the representative mention and the boxes accepted so far, without
    the one that is to be drawn once more. A survey shows no phrase and no box, but {"survey": ...} as it was asked. All
    of this stays the same as long as the question is open.
    """
    if question.task in SURVEY_TASKS:
        return {**_only(progress, []), "survey": progress.surveys[question.subject[0]].shown}
    if question.task is Task.COREFERENCE_LINK:
        return _only(progress, question.subject) | ({"preset": question.preset} if question.preset else {})
    chain = progress.chains[question.subject[0]]
    if question.task is Task.CHAIN_VERIFICATION:
        return _only(progress, chain.mentions)
    new = progress.boxes[question.subject[1]].box if question.task is Task.BOX_QUALITY else None
    hidden = question.subject[1:]
    return {
        "mentions": [_place(progress, chain.representative)],
        "boxes": [list(box.box) for box in progress.accepted(chain.name) if box.number not in hidden],
        "new_box": list(new) if new else None,
    }


def _only(progress: ImageProgress, mentions: list[int]) -> dict[str, Any]:
    return {"mentions": [_place(progress, number) for number in mentions], "boxes": [], "new_box": None}


def _place(progress: ImageProgress, number: int) -> list[int]:
    mention = progress.mentions[number]
    return [number, mention.caption, mention.start, mention.end]


Row = TypeVar("Row")


class RowTable:
    """A table that shows the fields of a class which have a column. `more`: columns that follow from other things.

    A box has four columns, and text that is None is empty in the table.
    """

    def __init__(self, kind: type, *more: str) -> None:
        paths: list[str] = []
        columns: list[str] = []
        self._changes: list[tuple[int, Callable[[Any], Any]]] = []
        for field in declared(kind):
            if (column := field.column) is None:
                continue
            if change := column.shows or _change(field.kind):
                self._changes.append((len(columns), change))
            edges = Box._fields if field.kind is Box else ()
            paths += [f"{field.name}.{edge}" for edge in edges] or [field.name]
            columns += edges or [column.name or field.name]
        self._cells = attrgetter(*paths)
        self.columns = (*columns, *more)
        row = NamedTuple(kind.__name__, [(column, Any) for column in self.columns])  # type: ignore[misc]
        self.made: Callable[[Iterable[Any]], Any] = partial(tuple.__new__, row)  # in a third of the time of a call

    def row(self, value: Any, *more: Any) -> Any:
        """Return the row of a value, as a tuple with the names of the columns."""
        cells = [*self._cells(value), *more]
        for place, change in self._changes:
            cells[place] = change(cells[place])
        return self.made(cells)


def _change(kind: Any) -> Callable[[Any], Any] | None:
    """Return what makes a cell of a value of this type; None: it is the value."""
    if get_origin(kind) is list:
        return list  # the fold goes on to change the list itself
    some = get_args(kind)[0] if get_origin(kind) is UnionType else kind
    if not (isinstance(some, type) and issubclass(some, StrEnum)):
        return None
    return str if some is kind else lambda value: str(value or "")


MENTIONS = RowTable(MentionProgress, "chain")
CHAINS = RowTable(ChainProgress)
BOXES = RowTable(BoxProgress)
QUESTIONS = RowTable(OpenQuestion, "shown")
MERGED = RowTable(MergedBoxProgress)
TRANSITIONS = RowTable(StateMove)


@dataclass(slots=True)
class TableRows:
    """The rows of one image, by the name of the chain or the number of anything else."""

    state: str
    mentions: dict[int, Any]
    chains: dict[int, Any]
    boxes: dict[int, Any]
    questions: dict[int, Any]
    """Questions that are not closed."""
    merged: dict[int, Any]


def image_rows(progress: ImageProgress) -> TableRows:
    """Return the rows of an image. A mention has no chain before linking has started."""
    chain_of = {number: chain.name for chain in progress.chains.values() for number in chain.mentions}
    return TableRows(
        state=progress.state.value,
        mentions={number: MENTIONS.row(mention, chain_of.get(number)) for number, mention in progress.mentions.items()},
        chains={name: CHAINS.row(chain) for name, chain in progress.chains.items()},
        boxes={number: BOXES.row(box) for number, box in progress.boxes.items()},
        questions={
            number: QUESTIONS.row(question, question_view(progress, question))
            for number, question in progress.open.items()
        },
        merged={box.number: MERGED.row(box) for box in progress.merged},
    )


def difference(old: Mapping[int, Row], new: Mapping[int, Row]) -> tuple[list[int], list[int]]:
    """Return the keys to write (new or changed rows) and the keys to remove."""
    return [key for key, row in new.items() if old.get(key) != row], [key for key in old if key not in new]
