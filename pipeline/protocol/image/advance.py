"""Advance a chain [paper 3.2]: ask the box policy what follows and let it happen, up to a question or an end.

A policy decides; every effect of its decisions is here or in `chain_steps`.
"""

from collections.abc import Callable, Sequence
from enum import StrEnum
from functools import partial

from annotation.rules.states import BoxState, ChainState
from pipeline.protocol.boxes.policy import BoxDecision, Show
from pipeline.protocol.image.chain_steps import (
    ImageUpdate,
    add_pre_annotated,
    close_questions_of,
    fix_representative,
    move_chain,
    open_question,
    settle_box,
)
from pipeline.protocol.state.progress import Cause, ChainAnswer, ChainProgress
from pipeline.protocol.tasks.box_quality import BoxQualityAnswer
from pipeline.protocol.tasks.flow import BOXING, TASK_OF_STATE, step
from pipeline.protocol.tasks.task import Task


def advance(
    update: ImageUpdate,
    chain: ChainProgress,
    new_answer: ChainAnswer | None = None,
    cause: StrEnum | None = None,
    outcome: StrEnum = Cause.NOT_NEEDED,
) -> None:
    """Let what follows from the answers about a chain happen.

    `new_answer`: nothing has followed from it yet, or it was withdrawn. `cause`: of the chain's
    move, if the verdict is not. `outcome`: that of an open question that is closed.
    """
    decide = partial(update.rules.boxes.step, update.progress, chain, new_answer, update.context.inactive)
    _follow(update, chain, decide, (), cause, outcome)


def enter(update: ImageUpdate, chain: ChainProgress, redraw: Sequence[int] = ()) -> None:
    """Ask what is asked in the state that a chain has come to, unless more follows at once.

    `redraw`: the box that is to be drawn once more.
    """
    if chain.state in BOXING:
        decide = partial(update.rules.boxes.enter, update.progress, chain)
        _follow(update, chain, decide, redraw, None, Cause.NOT_NEEDED)


def _follow(
    update: ImageUpdate,
    chain: ChainProgress,
    decide: Callable[[], Show | BoxDecision],
    redraw: Sequence[int],
    cause: StrEnum | None,
    outcome: StrEnum,
) -> None:
    fix_representative(update.progress, chain)
    before = _shown(update, chain)
    decided = decide()
    while isinstance(decided, Show):
        _show(update, chain, decided)
        decided = (decided.then or decide)()
    _settle(update, chain, decided)
    if decided.verdict is None:
        _ask(update, chain, redraw)
        return
    state = step(chain.state, decided.verdict, update.rules.boxes.transitions)
    if state not in BOXING:
        _accept_all_but(update, chain, None)
    subject = [chain.name, *(number for number in (decided.box, decided.redraw) if number is not None)]
    asked = TASK_OF_STATE.get(state), subject
    for question in update.progress.open.values():
        if (question.task, question.subject) == asked and before == _shown(update, chain):
            # The number stays, and so does a lease.
            question.bar(*update.rules.boxes.barred(update.progress, question.task, question.subject))
            return
    close_questions_of(update, chain, decided.outcome or outcome)
    chain.non_visual, chain.box_confidence = decided.non_visual, decided.confidence
    for box in update.progress.accepted(chain.name):
        box.confidence = decided.good_chances.get(box.number, box.confidence)
    move_chain(update, chain, decided.verdict, decided.cause or cause)
    if chain.state is ChainState.REVIEW:
        chain.review = Cause.CYCLING
    enter(update, chain, () if decided.redraw is None else (decided.redraw,))


def _shown(update: ImageUpdate, chain: ChainProgress) -> list[int]:
    return [box.number for box in update.progress.accepted(chain.name)]


# --- Boxes ---


def _show(update: ImageUpdate, chain: ChainProgress, decided: Show) -> None:
    _drop(update, chain, decided.drop)
    for pre_annotation in decided.pre_annotations:
        boxes = (box for box in update.progress.boxes.values() if box.chain == chain.name)
        shown = sorted(box.number for box in boxes if box.state is not BoxState.DISCARDED)
        box = add_pre_annotated(update, chain, pre_annotation)
        pre_annotated = ChainAnswer(
            update.entry, pre_annotation.worker, Task.BOX_DRAWING, box.number, shown, by_model=True
        )
        chain.answers.append(pre_annotated._replace(trust=decided.trust))


def _settle(update: ImageUpdate, chain: ChainProgress, decided: BoxDecision) -> None:
    """Discard what is dropped, and let all other boxes be accepted, but for the one to judge."""
    _drop(update, chain, decided.drop)
    _accept_all_but(update, chain, decided.box)
    if decided.box is not None and update.progress.boxes[decided.box].state is BoxState.ACCEPTED:
        settle_box(update, update.progress.boxes[decided.box], BoxState.PENDING, Cause.IN_DOUBT)


def _accept_all_but(update: ImageUpdate, chain: ChainProgress, judged: int | None) -> None:
    for box in update.progress.pending(chain.name):
        if box.number != judged:
            first = box.accepted
            settle_box(update, box, BoxState.ACCEPTED, _cause_of_end(chain, box.number, BoxState.ACCEPTED))
            box.accepted = box.accepted if first is None else first


def _drop(update: ImageUpdate, chain: ChainProgress, numbers: Sequence[int]) -> None:
    for number in numbers:
        cause = _cause_of_end(chain, number, BoxState.DISCARDED)
        settle_box(update, update.progress.boxes[number], BoxState.DISCARDED, cause)


def _cause_of_end(chain: ChainProgress, box: int, state: BoxState) -> Cause:
    """Return the judgment by which a box is accepted or discarded, or that the policy holds it likely good or bad.

    A box is accepted by the last answer alone: an earlier judgment has had the box accepted before.
    """

    def judged(answers: Sequence[ChainAnswer], verdict: BoxQualityAnswer) -> bool:
        return any(answer.counts and answer.boxes == [box] and answer.value == verdict for answer in answers)

    if state is BoxState.DISCARDED:
        return Cause.JUDGED_BAD if judged(chain.answers, BoxQualityAnswer.BAD) else Cause.DROPPED
    return Cause.JUDGED_GOOD if judged(chain.answers[-1:], BoxQualityAnswer.GOOD) else Cause.KEPT


# --- Questions ---


def _ask(update: ImageUpdate, chain: ChainProgress, redraw: Sequence[int]) -> None:
    """Open the question of the chain's state, or let the open one stay."""
    task = TASK_OF_STATE[chain.state]
    if not any(asked.task is task and asked.subject[0] == chain.name for asked in update.progress.open.values()):
        judged = [box.number for box in update.progress.pending(chain.name)]
        open_question(update, task, [chain.name, *(judged if task is Task.BOX_QUALITY else redraw)])
