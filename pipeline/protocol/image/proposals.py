"""Proposals [beyond paper 3]: boxes and chains that programs predict.

Workers judge the boxes instead of drawing. Chains count as evidence of links for the adaptive strategy.

A proposed box belongs to a mention, so it follows the mention through joined, split and broken chains. It is taken when
its chain enters box drawing; then box quality is asked at once, as if a worker had drawn the box.
"""

from collections.abc import Iterable, Iterator, Sequence

from annotation.rules.box import Box, iou
from annotation.rules.states import BoxState
from belief.boxes.box_prior import BoxPrior
from belief.models.family import Families
from belief.models.program_trust import trust_of
from pipeline.protocol.state.progress import BoxProgress, ChainProgress, ImageProgress, Proposal
from pipeline.protocol.tasks.task import Task

COVERED = 0.5
"""A proposal that overlaps an accepted box of its chain this much (IOU) shows the same entity."""


def trust_in(worker: int, score: int | None, prior: BoxPrior) -> float:
    """Return the chance, 0 to 1, that a box of a program is good if one is missing. `score`: the program's, in percent.

    What workers said of the program's boxes of about this score tells it.
    """
    return trust_of(str(worker), None if score is None else score / 100, prior)


def keep_proposals(progress: ImageProgress, worker: int, rows: Iterable[Sequence[int]]) -> None:
    """Put a program's proposals in place of those of it that are left.

    Rows are [mention, x0, y0, x1, y1], or [mention, x0, y0, x1, y1, score in percent].

    They are tried in the order of the rows, after those of programs that came before. Rows of removed mentions are
    passed over.
    """
    new = [
        Proposal(row[0], worker, Box(*row[1:5]), row[5] if len(row) > 5 else None)
        for row in rows
        if row[0] in progress.mentions
    ]
    progress.proposals = [one for one in progress.proposals if one.worker != worker] + new


def keep_chains(progress: ImageProgress, worker: int, chains: Iterable[Sequence[int]]) -> bool:
    """Put a program's chains in place of those that it predicted before. Returns whether that changes anything.

    Removed mentions are passed over.
    """
    kept = [[number for number in chain if number in progress.mentions] for chain in chains]
    new, old = [chain for chain in kept if chain], progress.program_chains.pop(worker, [])
    if new:
        progress.program_chains[worker] = new
    return new != old


def proposed_numbers(progress: ImageProgress, chain: ChainProgress) -> dict[str, int]:
    """Return how many different boxes each program proposed for a chain, by the program's number.

    Programs that proposed no box in the image are left out. Boxes of several mentions that overlap as `COVERED` says
    are one.
    """
    return {program: len(boxes) for program, boxes in sorted(_proposed_boxes(progress, chain).items())}


def _proposed_boxes(progress: ImageProgress, chain: ChainProgress) -> dict[str, list[Box]]:
    there = (box for box in progress.boxes.values() if box.proposed and box.worker is not None)
    taken = [(box.worker, box.box, box.chain == chain.name) for box in there]
    left = [(one.worker, one.box, one.mention in chain.mentions) for one in progress.proposals]
    found: dict[str, list[Box]] = {}
    for worker, box, own in [*taken, *left]:
        boxes = found.setdefault(str(worker), [])
        if own and all(iou(box, other) < COVERED for other in boxes):
            boxes.append(box)
    return found


def beside(
    progress: ImageProgress, chain: ChainProgress, boxes: Iterable[BoxProgress], families: Families
) -> Iterator[tuple[BoxProgress, str, bool]]:
    """Yield for each of a chain's boxes that a program proposed: each other program, and whether it has the box, too.

    Programs that proposed no box in the image, or that count as one opinion with the box's, are left out.
    """
    found = sorted(_proposed_boxes(progress, chain).items())
    for box in boxes:
        for program, own in found:
            if box.proposed and box.worker is not None and not families.are_one(program, box.worker):
                yield box, program, any(iou(box.box, one) >= COVERED for one in own)


def next_proposal(progress: ImageProgress, chain: ChainProgress) -> Proposal | None:
    """Return the proposal to judge next, the first that came; None: a worker draws."""
    return next(iter(next_proposals(progress, chain)), None)


def most_trusted(progress: ImageProgress, chain: ChainProgress, prior: BoxPrior) -> Proposal | None:
    """Return the most trusted proposal, of equal ones the first that came; None: a worker draws."""
    return max(next_proposals(progress, chain), key=lambda one: trust_in(one.worker, one.score, prior), default=None)


def next_proposals(progress: ImageProgress, chain: ChainProgress) -> list[Proposal]:
    """Return the proposals that can be judged next, in the order in which they came.

    There are none, and a worker draws, where the chain's newest box was a proposal that was not accepted: one bad
    proposal costs one question, and no chain goes through a row of them. What jurors alone have judged cost nobody's
    time, so the next one follows.
    """
    own = [box for box in progress.boxes.values() if box.chain == chain.name]
    newest = max(own, key=lambda box: box.number, default=None)
    if newest is not None and newest.proposed and newest.state is BoxState.DISCARDED:
        by_juror = {one.juror for one in chain.heard if one.task is Task.BOX_QUALITY and one.boxes == [newest.number]}
        if by_juror != {True}:
            return []
    judged = {box.box for box in own}
    there = [box.box for box in own if box.state is BoxState.ACCEPTED]
    new = [one for one in progress.proposals if one.mention in chain.mentions and one.box not in judged]
    return [one for one in new if all(iou(one.box, box) < COVERED for box in there)]
