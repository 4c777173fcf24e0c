"""Judgments under the belief policy [beyond paper 3.2]: let an answer to a box task act, or take it back."""

from collections.abc import Callable
from enum import StrEnum
from functools import partial
from typing import Any

from annotation.rules.box import Box
from annotation.rules.states import BoxState
from pipeline.policies.belief_steps import go_on
from pipeline.policies.box_policy import BOXING
from pipeline.policies.change_box_policy import to_belief
from pipeline.policies.engine import engine_of
from pipeline.policies.redraw import hear_drawing, take_drawing
from pipeline.protocol.image.chain_steps import Act, close_questions_of, settle_box
from pipeline.protocol.state.heard_answer import NOTHING_DRAWN, HeardAnswer
from pipeline.protocol.state.progress import Cause, ChainProgress, OpenQuestion
from pipeline.protocol.tasks import box_coverage, box_quality, box_requirement
from pipeline.protocol.tasks.task import Task


def hear(act: Act, question: OpenQuestion, worker: int, answer: Any) -> None:
    """Add an answer to what was heard of the chain, and let the belief go on."""
    progress = act.progress
    chain = progress.chains[question.subject[0]]
    to_belief(progress, chain, engine_of(act.settings).box_rules.prior)
    boxes = [box.number for box in progress.accepted(chain.name)]
    again = None
    said: StrEnum
    if question.task is Task.BOX_DRAWING:
        drew = "box" in answer
        said = Cause.BOX_DRAWN if drew else Cause.NONE_MISSING
        kept: Any = hear_drawing(act, question, worker, Box(*answer["box"])) if drew else NOTHING_DRAWN
        again = next(iter(question.subject[1:]), kept if kept in boxes else None)
        if question.subject[1:] and kept in (again, NOTHING_DRAWN):
            boxes.remove(question.subject[1])
    elif question.task is Task.BOX_REQUIREMENT:
        kept = int(box_requirement.Answer(answer))
        wanted = kept == box_requirement.Answer.BOX
        said = box_requirement.Verdict.BOX if wanted else box_requirement.Verdict.NO_BOX
    elif question.task is Task.BOX_QUALITY:
        said, boxes = box_quality.Answer(answer), [question.subject[1]]
        kept = said.value
    else:
        said = box_coverage.Answer(answer)
        kept = said.value
    juror = engine_of(act.settings).is_juror(worker, question.task)
    skill = act.context.skill
    chain.heard.append(HeardAnswer(act.entry, worker, question.task, kept, boxes, skill, juror=juror, again=again))
    go_on(act, chain, said=said)


def take_heard(act: Act, entry: int) -> Callable[[], None] | None:
    """Take back an answer that is not resolved, and return what to do then; None if there is none.

    An answer is resolved once its chain is finished or in review, or if it is about a box that was dropped; a drawing
    also once others have answered with its box before them. A box that others have drawn, too, is made of
    theirs then. Who gave an answer that was taken back stays barred from the same question. An open question stays, as
    its answer counts whatever was heard before, unless it shows the box of a drawing that is taken back.
    """
    for chain in act.progress.chains.values():
        for place, one in enumerate(chain.heard):
            given = one.worker is not None and one.trust is None and one.answer is not None
            if 0 < one.entry == entry and given and chain.state in BOXING:
                return _take(act, chain, place)
    return None


def _take(act: Act, chain: ChainProgress, place: int) -> Callable[[], None] | None:
    one = chain.heard[place]
    drew = one.task is Task.BOX_DRAWING and one.answer != NOTHING_DRAWN
    number: int = one.answer if drew else one.boxes[0] if one.task is Task.BOX_QUALITY else NOTHING_DRAWN
    if number in act.progress.boxes and act.progress.boxes[number].state is BoxState.DISCARDED:
        return None
    if drew and any(number in other.boxes and other.answer is not None for other in chain.heard[place + 1 :]):
        return None
    chain.heard[place] = one._replace(answer=None)
    if not drew:
        return _nothing
    box = act.progress.boxes[number]
    left = [place for place, one in enumerate(chain.heard) if one.task is Task.BOX_DRAWING and one.answer == number]
    if left:
        take_drawing(act, box, one.entry)
        chain.heard[left[0]] = chain.heard[left[0]]._replace(again=None)
    else:
        settle_box(act, box, BoxState.DISCARDED, Cause.VOIDED)
    return partial(_ask_anew, act, chain)


def _ask_anew(act: Act, chain: ChainProgress) -> None:
    if chain.state in BOXING:  # else another of the voided answers has been the last that was missing
        close_questions_of(act, chain, Cause.BOX_VOIDED)
        go_on(act, chain)


def _nothing() -> None:
    """Leave the open question as it is."""
