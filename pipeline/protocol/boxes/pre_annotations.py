"""Pre-annotations [beyond paper 3]: boxes and chains that programs predict.

Workers judge the boxes instead of drawing. Chains are kept for link policies that read them; the paper's do not.

A proposed box belongs to a mention, so it follows the mention through joined, split and broken chains. It is taken when
its chain enters box drawing; then box quality is asked at once, as if a worker had drawn the box.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from annotation.rules.box import Box, iou
from annotation.rules.states import BoxState, NonVisual
from pipeline.protocol.state.progress import ChainProgress, ImageProgress, PreAnnotation
from pipeline.protocol.tasks.task import Task

COVERED = 0.5
"""A pre-annotation that overlaps an accepted box of its chain this much (IOU) shows the same entity."""


def keep_pre_annotations(progress: ImageProgress, worker: int, rows: Iterable[Sequence[int]]) -> None:
    """Put a program's pre-annotations in place of those of it that are left.

    Rows are [mention, x0, y0, x1, y1], or [mention, x0, y0, x1, y1, score in percent].

    They are tried in the order of the rows, after those of programs that came before. Rows of removed mentions are
    passed over.
    """
    new = [
        PreAnnotation(row[0], worker, Box(*row[1:5]), row[5] if len(row) > 5 else None)
        for row in rows
        if row[0] in progress.mentions
    ]
    others = [candidate for candidate in progress.pre_annotations if candidate.worker != worker]
    progress.pre_annotations = others + new


def keep_chains(progress: ImageProgress, worker: int, chains: Iterable[Sequence[int]]) -> bool:
    """Put a program's chains in place of those that it predicted before. Returns whether that changes anything.

    Removed mentions are passed over.
    """
    kept = [[number for number in chain if number in progress.mentions] for chain in chains]
    new, old = [chain for chain in kept if chain], progress.program_chains.pop(worker, [])
    if new:
        progress.program_chains[worker] = new
    return new != old


def keep_labels(progress: ImageProgress, chains: Iterable[Sequence[int]], flags: Mapping[str, str]) -> None:
    """Keep what the labels of a data set that is checked say of mentions; removed ones are passed over.

    `flags`: by the number of a mention, why its chain has no box.
    """
    for chain in ([number for number in numbers if number in progress.mentions] for numbers in chains):
        types = {kind for number in chain for kind in progress.mentions[number].types}
        seen: dict[int, int] = defaultdict(int)
        for number in progress.reading_order(chain):
            mention = progress.mentions[number]
            mention.reference_types = sorted(types.difference(mention.types))
            mention.reference_rank = seen[mention.caption]
            seen[mention.caption] += 1
    for number in progress.mentions.keys() & set(map(int, flags)):
        progress.mentions[number].reference_flag = NonVisual(flags[str(number)]).value


def predicted_numbers(progress: ImageProgress, chain: ChainProgress) -> dict[str, int]:
    """Return how many different boxes each program proposed for a chain, by the program's number.

    Programs that proposed no box in the image are left out. Boxes of several mentions that overlap as `COVERED` says
    are one.
    """
    return {program: len(boxes) for program, boxes in sorted(predicted_boxes(progress, chain).items())}


def predicted_boxes(progress: ImageProgress, chain: ChainProgress) -> dict[str, list[Box]]:
    """Return the different boxes that each program proposed for a chain; see `predicted_numbers`."""
    there = (box for box in progress.boxes.values() if box.pre_annotated and box.worker is not None)
    taken = [(box.worker, box.box, box.chain == chain.name) for box in there]
    left = [
        (candidate.worker, candidate.box, candidate.mention in chain.mentions) for candidate in progress.pre_annotations
    ]
    found: dict[str, list[Box]] = {}
    for worker, box, is_own in [*taken, *left]:
        boxes = found.setdefault(str(worker), [])
        if is_own and all(iou(box, other) < COVERED for other in boxes):
            boxes.append(box)
    return found


def next_pre_annotation(progress: ImageProgress, chain: ChainProgress) -> PreAnnotation | None:
    """Return the pre-annotation to judge next, the first that came; None: a worker draws."""
    return next(iter(next_pre_annotations(progress, chain)), None)


def next_pre_annotations(progress: ImageProgress, chain: ChainProgress) -> list[PreAnnotation]:
    """Return the pre-annotations that can be judged next, in the order in which they came.

    There are none, and a worker draws, where the chain's newest box was a pre-annotation that was not accepted: one bad
    pre-annotation costs one question, and no chain goes through a row of them. What models alone have judged cost
    nobody's time, so the next one follows.
    """
    boxes = [box for box in progress.boxes.values() if box.chain == chain.name]
    newest = max(boxes, key=lambda box: box.number, default=None)
    if newest is not None and newest.pre_annotated and newest.state is BoxState.DISCARDED:
        judged = (
            answer for answer in chain.answers if answer.task is Task.BOX_QUALITY and answer.boxes == [newest.number]
        )
        if {answer.by_model for answer in judged} != {True}:
            return []
    seen = {box.box for box in boxes}
    there = [box.box for box in boxes if box.state is BoxState.ACCEPTED]
    return [
        candidate
        for candidate in progress.pre_annotations
        if candidate.mention in chain.mentions
        and candidate.box not in seen
        and all(iou(candidate.box, box) < COVERED for box in there)
    ]
