"""Second drawings [beyond paper 3.2.2]: one box of several drawings of a thing, and who is asked for another one.

A worker who is asked for a second drawing sees the chain without that box. So it is drawn as if for the first time, or
nobody misses it, or something else is drawn that is missing.
"""

from collections.abc import Callable, Iterable, Sequence

from annotation.rules.box import Box, iou
from annotation.rules.drawing import Drawing
from annotation.rules.mention_type import MentionType
from annotation.rules.states import BoxState
from belief.habits import Habits, fuse, habit_of, likely_iou
from pipeline.policies.box_policy import MAX_SAME_ANSWERS
from pipeline.protocol.boxes.paper_loop import MEETS
from pipeline.protocol.boxes.pre_annotations import COVERED
from pipeline.protocol.image.judgments import drawings_of
from pipeline.protocol.state.progress import BoxProgress, ChainProgress, ImageProgress, OpenQuestion
from pipeline.protocol.tasks.task import Task
from pipeline.settings.settings import Settings


def box_to_redraw(
    boxes: Iterable[BoxProgress],
    chain: ChainProgress,
    settings: Settings,
    habits: Habits,
    barred: Callable[[int], int],
) -> int | None:
    """Return the box of a chain that would be complete now which is to be drawn once more first; None: there is none.

    That is the one that is likely loosest. Earlier the worker would more often draw something else that is missing.
    `barred`: the number of workers who may not draw a box once more.
    """
    if not settings.fuse_boxes:
        return None
    exact = {box.number: _likely_iou(box, habits) for box in boxes}
    loose = [number for number in exact if exact[number] < settings.redraw_below]
    wanted = [number for number in loose if not _was_redrawn(chain, number) and barred(number) < MAX_SAME_ANSWERS]
    return min(wanted, key=lambda number: (exact[number], number), default=None)


def _likely_iou(box: BoxProgress, habits: Habits) -> float:
    """Return the expected IOU of a box of one drawing; 1 of any other and of an expert's."""
    drawings = drawings_of(box)
    if len(drawings) > 1 or box.worker is None:
        return 1.0
    return likely_iou(drawings[0].box, habit_of(box.worker, habits))


def _was_redrawn(chain: ChainProgress, number: int) -> bool:
    return any(answer.redraw_of == number and (answer.counts or answer.worker is None) for answer in chain.answers)


def box_drawn_before(image: ImageProgress, question: OpenQuestion, drawn: Box, settings: Settings) -> int | None:
    """Return the box that shows the same thing as what was drawn: the one that should be, or else a shown one.

    A worker who sees a box and draws another there may mean another thing; so the boxes must be as alike as any that
    merge.
    """
    chain = image.chains[question.subject[0]]
    for hidden in question.subject[1:]:
        if iou(image.boxes[hidden].box, drawn) >= MEETS:
            return hidden
    if not settings.fuse_boxes:
        return None
    other = image.has_type(chain, MentionType.OTHER)
    least = settings.merge_iou_other if other else settings.merge_iou
    shown = [box for box in image.accepted(chain.name) if box.number not in question.subject[1:]]
    alike = {box.number: iou(box.box, drawn) for box in shown if iou(box.box, drawn) >= least}
    return max(alike, key=lambda number: alike[number], default=None)


def dropped_drawings(image: ImageProgress, chain: ChainProgress, drawn: Box) -> list[Drawing]:
    """Return the drawings of the same thing in boxes that were dropped. Voided ones are not among them."""
    counted = [answer.value for answer in chain.answers if answer.task is Task.BOX_DRAWING and answer.counts]
    boxes = [image.boxes[number] for number in counted if number in image.boxes]
    gone = [box for box in boxes if box.state is BoxState.DISCARDED and iou(box.box, drawn) >= COVERED]
    found = {drawing.entry: drawing for box in gone for drawing in drawings_of(box)}
    return [found[entry] for entry in sorted(found)]


def fused(drawings: Sequence[Drawing], habits: Habits) -> Box:
    """Return the box of several drawings of a thing.

    A worker may draw a box once more that is shown: the later drawing counts, and one person counts once.
    """
    counted = {drawing.worker: drawing for drawing in drawings}
    return fuse(list(counted.values()), habits)
