"""Rows of one image [paper 3]: what the tables show of its progress. The tables are a cache of the record."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

from annotation.rules.box import Box
from pipeline.rules.progress.progress import ImageProgress
from pipeline.rules.progress.shown import shown

Row = TypeVar("Row")


class MentionRow(NamedTuple):
    caption: int
    start: int
    end: int
    types: tuple[str, ...]
    text: str
    chain: int | None
    """None: linking has not started."""


class ChainRow(NamedTuple):
    state: str
    representative: int | None
    non_visual: str
    doubted: str
    review: str
    merged_into: int | None


class BoxRow(NamedTuple):
    chain: int
    box: Box
    state: str
    worker: int | None
    """Id of the worker who drew or proposed the box."""
    proposed: bool


class QuestionRow(NamedTuple):
    task: str
    subject: tuple[int, ...]
    barred: tuple[int, ...]
    shown: dict[str, Any]
    value: float
    foretold: float | None


class MergedBoxRow(NamedTuple):
    box: Box
    members: tuple[int, ...]


@dataclass(slots=True)
class Rows:
    """The rows of one image, by the name of the chain or the number of anything else."""

    state: str
    mentions: dict[int, MentionRow]
    chains: dict[int, ChainRow]
    boxes: dict[int, BoxRow]
    questions: dict[int, QuestionRow]
    """Questions that are not closed."""
    merged: dict[int, MergedBoxRow]


def rows_of(progress: ImageProgress) -> Rows:
    chain_of = {number: chain.name for chain in progress.chains.values() for number in chain.mentions}
    return Rows(
        state=progress.state.value,
        mentions={
            m.number: MentionRow(m.caption, m.start, m.end, tuple(m.types), m.text, chain_of.get(m.number))
            for m in progress.mentions.values()
        },
        chains={
            c.name: ChainRow(
                c.state.value,
                None if c.representative < 0 else c.representative,
                c.non_visual,
                c.doubted,
                c.review.value if c.review else "",
                c.merged_into,
            )
            for c in progress.chains.values()
        },
        boxes={b.number: BoxRow(b.chain, b.box, b.state.value, b.worker, b.proposed) for b in progress.boxes.values()},
        questions={
            q.number: QuestionRow(
                q.task.value, tuple(q.subject), tuple(q.barred), shown(progress, q), q.value, q.foretold
            )
            for q in progress.open.values()
        },
        merged={m.number: MergedBoxRow(m.box, tuple(m.members)) for m in progress.merged},
    )


def difference(old: Mapping[int, Row], new: Mapping[int, Row]) -> tuple[list[int], list[int]]:
    """Return the keys to write (new or changed rows) and the keys to remove."""
    return [key for key, row in new.items() if old.get(key) != row], [key for key in old if key not in new]
