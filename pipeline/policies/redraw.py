"""Second drawings [beyond paper 3.2.2]: one box of several drawings of a thing, and who is asked for another one.

A worker who is asked for a second drawing sees the chain without that box. So it is drawn as if for the first time, or
nobody misses it, or something else is drawn that is missing.
"""

from annotation.rules.box import Box, iou
from annotation.rules.mention_type import MentionType
from annotation.rules.states import BoxState
from belief.habits.fuse_boxes import Drawing, fuse
from belief.habits.habit import habit_of, likely_iou
from pipeline.policies.box_policy import MOST_ALIKE
from pipeline.policies.engine import engine_of
from pipeline.protocol.boxes.may_answer import barred_from
from pipeline.protocol.image.chain_steps import Act, add_box, close_question
from pipeline.protocol.image.proposals import COVERED
from pipeline.protocol.state.heard_answer import HeardAnswer
from pipeline.protocol.state.progress import BoxProgress, Cause, ChainProgress, Machine, OpenQuestion
from pipeline.protocol.tasks.task import Task

MEETS = 0.3
"""A box that was drawn where one is hidden shows the same thing from this IOU on: whatever else is there is shown."""


def box_to_redraw(act: Act, chain: ChainProgress) -> int | None:
    """Return the box of a chain that would be complete now which is to be drawn once more first; None: there is none.

    That is the one that is likely loosest. Earlier the worker would more often draw something else that is missing.
    """
    if not act.settings.fuse_boxes:
        return None
    own = [*act.progress.accepted(chain.name), *act.progress.pending(chain.name)]
    exact = {box.number: _likely_iou(act, box) for box in own}
    loose = [number for number in exact if exact[number] < act.settings.redraw_below]
    wanted = [number for number in loose if _may_be_drawn_again(act, chain, number)]
    return min(wanted, key=lambda number: (exact[number], number), default=None)


def _likely_iou(act: Act, box: BoxProgress) -> float:
    """Return the expected IOU of a box of one drawing; 1 of any other and of an expert's."""
    drawings = drawings_of(box)
    if len(drawings) > 1 or box.worker is None:
        return 1.0
    return likely_iou(drawings[0].box, habit_of(box.worker, engine_of(act.settings).box_rules.prior.habits))


def _may_be_drawn_again(act: Act, chain: ChainProgress, number: int) -> bool:
    asked = any(one.again == number and (one.answer is not None or one.worker is None) for one in chain.heard)
    return not asked and len(barred_from(act.progress, Task.BOX_DRAWING, [chain.name, number])) < MOST_ALIKE


def hear_drawing(act: Act, question: OpenQuestion, worker: int, drawn: Box) -> int:
    """Keep a drawn box, as a box of its own or as one more drawing of a box of the chain, and return its number."""
    chain = act.progress.chains[question.subject[0]]
    same = _drawn_before(act, chain, question, drawn)
    if same is not None:
        draw_again(act, same, Drawing(act.entry, worker, drawn))
        return same.number
    box = add_box(act, chain, drawn, BoxState.PENDING, worker)
    if act.settings.fuse_boxes:
        _fuse(act, box, [*_dropped_drawings(act, chain, drawn), Drawing(act.entry, worker, drawn)])
    return box.number


def hear_second(act: Act, question: OpenQuestion, worker: int, drawn: Box | None) -> None:
    """Let a second drawing count that was asked for before the paper's loop came: as one, or not at all."""
    box = act.progress.boxes[question.subject[1]]
    if drawn is not None and iou(box.box, drawn) >= MEETS:
        draw_again(act, box, Drawing(act.entry, worker, drawn))


def _drawn_before(act: Act, chain: ChainProgress, question: OpenQuestion, drawn: Box) -> BoxProgress | None:
    """Return the box that shows the same thing as what was drawn: the one that should be, or else a shown one.

    A worker who sees a box and draws another there may mean another thing; so the boxes must be as alike as any that
    merge.
    """
    for hidden in question.subject[1:]:
        if iou(act.progress.boxes[hidden].box, drawn) >= MEETS:
            return act.progress.boxes[hidden]
    if not act.settings.fuse_boxes:
        return None
    other = act.progress.has_type(chain, MentionType.OTHER)
    least = act.settings.merge_iou_other if other else act.settings.merge_iou
    shown = [box for box in act.progress.accepted(chain.name) if box.number not in question.subject[1:]]
    alike = [box for box in shown if iou(box.box, drawn) >= least]
    return max(alike, key=lambda box: iou(box.box, drawn), default=None)


def _dropped_drawings(act: Act, chain: ChainProgress, drawn: Box) -> list[Drawing]:
    """Return the drawings of the same thing in boxes that were dropped. Voided ones are not among them."""
    heard = [one.answer for one in chain.heard if one.task is Task.BOX_DRAWING and one.answer in act.progress.boxes]
    boxes = [act.progress.boxes[number] for number in heard]
    gone = [box for box in boxes if box.state is BoxState.DISCARDED and iou(box.box, drawn) >= COVERED]
    found = {drawing.entry: drawing for box in gone for drawing in drawings_of(box)}
    return [found[entry] for entry in sorted(found)]


def drawings_of(box: BoxProgress) -> list[Drawing]:
    return box.drawings or [Drawing(box.entry, box.worker, box.box)]


def draw_again(act: Act, box: BoxProgress, drawing: Drawing) -> None:
    act.log(Machine.BOX, box.number, box.state.value, box.state.value, Cause.DRAWN_AGAIN)
    _fuse(act, box, [*drawings_of(box), drawing])


def take_drawing(act: Act, box: BoxProgress, entry: int) -> None:
    """Take one of several drawings back. If it was the first, the next drawer is the box's."""
    act.log(Machine.BOX, box.number, box.state.value, box.state.value, Cause.VOIDED)
    _fuse(act, box, [one for one in drawings_of(box) if one.entry != entry])
    if box.entry == entry:
        box.entry, box.worker = next((one.entry, one.worker) for one in box.drawings if one.entry > entry)


def _fuse(act: Act, box: BoxProgress, drawings: list[Drawing]) -> None:
    # A worker may draw a box once more that is shown: the later drawing counts, and one person counts once.
    counted = {drawing.worker: drawing for drawing in drawings}
    box.drawings, box.box = drawings, fuse(list(counted.values()), engine_of(act.settings).box_rules.prior.habits)


def give_up_redrawing(act: Act, question: OpenQuestion) -> ChainProgress:
    """Let a box stay as it is that nobody may draw again, and return its chain."""
    chain, hidden = act.progress.chains[question.subject[0]], question.subject[1]
    shown = [box.number for box in act.progress.accepted(chain.name) if box.number != hidden]
    if chain.heard:
        chain.heard.append(HeardAnswer(act.entry, None, Task.BOX_DRAWING, None, shown, again=hidden))
    close_question(act, question.number, Cause.STARVED)
    return chain
