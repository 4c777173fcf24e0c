"""Proposals [beyond paper 3]: boxes that programs predict for phrases, which workers judge instead of drawing.

A proposal belongs to a mention, so it follows the mention through joined, split and broken chains. It is taken when its
chain enters box drawing; then box quality is asked at once, as if a worker had drawn the box.
"""

from collections.abc import Iterable, Sequence

from annotation.rules.box import Box, iou
from annotation.rules.states import BoxState
from pipeline.rules.image.progress import ChainProgress, ImageProgress, Proposal

COVERED = 0.5
"""A proposal that overlaps an accepted box of its chain this much (IOU) shows the same entity."""


def keep_proposals(progress: ImageProgress, worker: int, rows: Iterable[Sequence[int]]) -> None:
    """Put a program's proposals, rows of [mention, x0, y0, x1, y1], in place of those of it that are left.

    They are tried in the order of the rows, after those of programs that came before. Rows of removed mentions are
    passed over.
    """
    new = [Proposal(row[0], worker, Box(*row[1:])) for row in rows if row[0] in progress.mentions]
    progress.proposals = [one for one in progress.proposals if one.worker != worker] + new


def next_proposal(progress: ImageProgress, chain: ChainProgress) -> Proposal | None:
    """Return the proposal to judge next; None: a worker draws.

    A worker draws where the chain's newest box was a proposal that was not accepted: one bad proposal costs one
    question, and no chain goes through a row of them.
    """
    own = [box for box in progress.boxes.values() if box.chain == chain.name]
    newest = max(own, key=lambda box: box.number, default=None)
    if newest is not None and newest.proposed and newest.state is BoxState.DISCARDED:
        return None
    judged = {box.box for box in own}
    there = [box.box for box in own if box.state is BoxState.ACCEPTED]
    for one in progress.proposals:
        new = one.mention in chain.mentions and one.box not in judged
        if new and all(iou(one.box, box) < COVERED for box in there):
            return one
    return None
