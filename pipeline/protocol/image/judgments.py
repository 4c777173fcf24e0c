"""Judgments on a chain [paper 3.1.2, 3.2]: let an answer to one of the five tasks after linking act."""

from collections.abc import Sequence
from enum import StrEnum
from typing import Any

from annotation.rules.box import Box, Drawing
from annotation.rules.states import BoxState
from pipeline.protocol.image.advance import advance
from pipeline.protocol.image.chain_steps import ImageUpdate, add_box, close_question, split_chain
from pipeline.protocol.state.progress import (
    NOTHING_DRAWN,
    BoxProgress,
    Cause,
    ChainAnswer,
    ChainProgress,
    LinkSource,
    OpenQuestion,
    StateMachine,
)
from pipeline.protocol.tasks.box_coverage import CoverageAnswer
from pipeline.protocol.tasks.box_quality import BoxQualityAnswer
from pipeline.protocol.tasks.box_requirement import RequirementAnswer, RequirementVerdict
from pipeline.protocol.tasks.chain_verification import VerificationAnswer, split_by_head_noun
from pipeline.protocol.tasks.task import Task

JUDGED = frozenset({Cause.JUDGED_GOOD, Cause.JUDGED_BAD})
"""Causes by which a box counts as judged, for or against the worker who drew it."""


def judge_verification(update: ImageUpdate, question: OpenQuestion, worker: int, answer: Any) -> None:
    """Let one answer decide [paper 3.1.2]: the chain stays whole, or is broken by head noun; its parts go on."""
    chain = update.progress.chains[question.subject[0]]
    verdict = VerificationAnswer(answer)
    close_question(update, question.number, verdict)
    if verdict is VerificationAnswer.TRUE:
        advance(update, chain, cause=Cause.VERIFIED)
        return
    parts = split_by_head_noun((n, update.progress.mentions[n].head) for n in chain.mentions)
    if len(parts) == 1:
        chain.doubted = "verification failed, but all mentions share a head noun"
        advance(update, chain, cause=Cause.DOUBTED)
        return
    split_chain(update, chain, parts, LinkSource.SPLIT, Cause.BROKEN)
    for part in parts:
        advance(update, update.progress.chains[part[0]], cause=Cause.BROKEN)


def judge_boxes(update: ImageUpdate, question: OpenQuestion, worker: int, answer: Any) -> None:
    """Keep an answer to a box task with those that the chain has, and let what follows happen.

    A drawing is {"box": [x0, y0, x1, y1]} or {"none_missing": true}.
    """
    chain, policy = update.progress.chains[question.subject[0]], update.rules.boxes
    outcome = _outcome(question.task, answer)
    if question.task in policy.tallied:
        question.bar(worker)
    else:
        close_question(update, question.number, outcome)
    boxes = [box.number for box in update.progress.accepted(chain.name)]
    value, redraw_of = answer, None
    if question.task is Task.BOX_QUALITY:
        boxes = [question.subject[1]]
    elif question.task is Task.BOX_DRAWING:
        hidden = next(iter(question.subject[1:]), None)
        value = _drawn(update, chain, question, worker, Box(*answer["box"])) if "box" in answer else NOTHING_DRAWN
        redraw_of = value if hidden is None and value in boxes else hidden
        if hidden is not None and value in (hidden, NOTHING_DRAWN):
            boxes.remove(hidden)
    by_model, skill = policy.is_model(worker, question.task), update.context.skill
    new_answer = ChainAnswer(
        update.entry, worker, question.task, value, boxes, skill, by_model=by_model, redraw_of=redraw_of
    )
    chain.answers.append(new_answer)
    advance(update, chain, new_answer, outcome=outcome)


def _outcome(task: Task, answer: Any) -> StrEnum:
    """Return what the question that is answered so, and closed then, has come to. Raises ValueError for no answer."""
    match task:
        case Task.BOX_REQUIREMENT:
            needed = RequirementAnswer(answer) is RequirementAnswer.BOX
            return RequirementVerdict.BOX if needed else RequirementVerdict.NO_BOX
        case Task.BOX_DRAWING:
            return Cause.BOX_DRAWN if "box" in answer else Cause.NONE_MISSING
        case Task.BOX_QUALITY:
            return BoxQualityAnswer(answer)
    return CoverageAnswer(answer)


def _drawn(update: ImageUpdate, chain: ChainProgress, question: OpenQuestion, worker: int, drawn: Box) -> int:
    """Keep a drawn box, as a box of its own or as one more drawing of a box of the chain, and return its number."""
    drawing, policy = Drawing(update.entry, worker, drawn), update.rules.boxes
    before = policy.box_drawn_before(update.progress, question, drawn)
    if before is not None:
        draw_again(update, update.progress.boxes[before], drawing)
        return before
    box = add_box(update, chain, drawn, BoxState.PENDING, worker)
    if drawings := policy.drawings_of(update.progress, chain, drawing):
        box.drawings, box.box = drawings, policy.box_of(drawings)
    return box.number


# --- Boxes of several drawings ---


def drawings_of(box: BoxProgress) -> list[Drawing]:
    """Return all drawings of a box, the first one included."""
    return box.drawings or [Drawing(box.entry, box.worker, box.box)]


def draw_again(update: ImageUpdate, box: BoxProgress, drawing: Drawing) -> None:
    """Add one more drawing to a box, which becomes what the box policy makes of all of them."""
    update.log(StateMachine.BOX, box.number, box.state.value, box.state.value, Cause.DRAWN_AGAIN)
    _make(update, box, [*drawings_of(box), drawing])


def take_drawing(update: ImageUpdate, box: BoxProgress, entry: int) -> None:
    """Take one of several drawings back. If it was the first, the next drawer is the box's."""
    update.log(StateMachine.BOX, box.number, box.state.value, box.state.value, Cause.VOIDED)
    _make(update, box, [drawing for drawing in drawings_of(box) if drawing.entry != entry])
    if box.entry == entry:
        box.entry, box.worker = next(
            (drawing.entry, drawing.worker) for drawing in box.drawings if drawing.entry > entry
        )


def _make(update: ImageUpdate, box: BoxProgress, drawings: Sequence[Drawing]) -> None:
    box.drawings, box.box = list(drawings), update.rules.boxes.box_of(drawings)


def give_up_redrawing(update: ImageUpdate, question: OpenQuestion) -> ChainAnswer:
    """Let a box stay as it is that nobody may draw again, and return what stands for the answer."""
    chain, hidden = update.progress.chains[question.subject[0]], question.subject[1]
    shown = [box.number for box in update.progress.accepted(chain.name) if box.number != hidden]
    chain.answers.append(ChainAnswer(update.entry, None, Task.BOX_DRAWING, None, shown, redraw_of=hidden))
    close_question(update, question.number, Cause.STARVED)
    return chain.answers[-1]
