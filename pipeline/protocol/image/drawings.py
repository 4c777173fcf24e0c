"""Drawings of one box [beyond paper 3.2.2]: a box that several workers have drawn is made of all their drawings."""

from collections.abc import Sequence

from annotation.rules.drawing import Drawing
from pipeline.protocol.image.chain_steps import Act, close_question
from pipeline.protocol.state.answer import Answer
from pipeline.protocol.state.progress import BoxProgress, Cause, Machine, OpenQuestion
from pipeline.protocol.tasks.task import Task


def drawings_of(box: BoxProgress) -> list[Drawing]:
    """Return all drawings of a box, the first one included."""
    return box.drawings or [Drawing(box.entry, box.worker, box.box)]


def draw_again(act: Act, box: BoxProgress, drawing: Drawing) -> None:
    """Add one more drawing to a box, which becomes what the box policy makes of all of them."""
    act.log(Machine.BOX, box.number, box.state.value, box.state.value, Cause.DRAWN_AGAIN)
    _make(act, box, [*drawings_of(box), drawing])


def take_drawing(act: Act, box: BoxProgress, entry: int) -> None:
    """Take one of several drawings back. If it was the first, the next drawer is the box's."""
    act.log(Machine.BOX, box.number, box.state.value, box.state.value, Cause.VOIDED)
    _make(act, box, [drawing for drawing in drawings_of(box) if drawing.entry != entry])
    if box.entry == entry:
        box.entry, box.worker = next(
            (drawing.entry, drawing.worker) for drawing in box.drawings if drawing.entry > entry
        )


def _make(act: Act, box: BoxProgress, drawings: Sequence[Drawing]) -> None:
    box.drawings, box.box = list(drawings), act.rules.boxes.box_of(drawings)


def give_up_redrawing(act: Act, question: OpenQuestion) -> Answer:
    """Let a box stay as it is that nobody may draw again, and return what stands for the answer."""
    chain, hidden = act.progress.chains[question.subject[0]], question.subject[1]
    shown = [box.number for box in act.progress.accepted(chain.name) if box.number != hidden]
    chain.answers.append(Answer(act.entry, None, Task.BOX_DRAWING, None, shown, again=hidden))
    close_question(act, question.number, Cause.STARVED)
    return chain.answers[-1]
