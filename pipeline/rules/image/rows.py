"""Rows of one image [paper 3]: what the tables show of its progress. The tables are a cache of the record."""

from dataclasses import dataclass
from typing import Any

from pipeline.rules.image.progress import ImageProgress
from pipeline.rules.image.shown import shown


@dataclass(slots=True)
class Rows:
    """Per table the row of each name or number, as plain values that compare."""

    state: str
    mentions: dict[int, tuple[Any, ...]]
    """(caption, start, end, types, text, chain)"""
    chains: dict[int, tuple[Any, ...]]
    """(state, representative, non_visual, doubted, review, merged_into)"""
    boxes: dict[int, tuple[Any, ...]]
    """(chain, box, state, id of the worker who drew it)"""
    questions: dict[int, tuple[Any, ...]]
    """Those not closed: (task, subject, barred, shown)"""
    merged: dict[int, tuple[Any, ...]]
    """(box, members)"""


def rows_of(progress: ImageProgress) -> Rows:
    chain_of = {number: chain.name for chain in progress.chains.values() for number in chain.mentions}
    return Rows(
        state=progress.state.value,
        mentions={
            m.number: (m.caption, m.start, m.end, tuple(m.types), m.text, chain_of.get(m.number))
            for m in progress.mentions.values()
        },
        chains={
            c.name: (
                c.state.value,
                None if c.representative < 0 else c.representative,
                c.non_visual,
                c.doubted,
                c.review,
                c.merged_into,
            )
            for c in progress.chains.values()
        },
        boxes={b.number: (b.chain, b.box, b.state.value, b.worker) for b in progress.boxes.values()},
        questions={
            q.number: (q.task.value, tuple(q.subject), tuple(q.barred), shown(progress, q))
            for q in progress.open.values()
        },
        merged={m.number: (m.box, tuple(m.members)) for m in progress.merged},
    )


def difference(old: dict[int, tuple[Any, ...]], new: dict[int, tuple[Any, ...]]) -> tuple[list[int], list[int]]:
    """The keys to write (new or changed) and the keys to take away."""
    return [key for key, row in new.items() if old.get(key) != row], [key for key in old if key not in new]
