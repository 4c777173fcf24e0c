"""Judgments on a chain [paper 3.1.2, 3.2]: let an answer to one of the five tasks after linking act."""

from typing import Any

from annotation.rules.box import Box
from annotation.rules.states import BoxState
from pipeline.policies.belief_steps import to_boxes
from pipeline.policies.redraw import hear_second
from pipeline.protocol.boxes.may_answer import bar, bar_from_drawing, bar_from_visit, forget_judges
from pipeline.protocol.image.chain_steps import (
    Act,
    add_box,
    close_question,
    drawn_at_once,
    move_chain,
    open_question,
    read_coverage,
    read_requirement,
    settle_box,
    split_chain,
)
from pipeline.protocol.state.link_source import LinkSource
from pipeline.protocol.state.progress import Cause, ChainProgress, OpenQuestion, Vote
from pipeline.protocol.tasks import box_coverage, box_drawing, box_quality, box_requirement, chain_verification
from pipeline.protocol.tasks.task import Task

JUDGED = frozenset({Cause.JUDGED_GOOD, Cause.JUDGED_BAD})
"""Causes by which a box counts as judged, for or against the worker who drew it."""


def judge_verification(act: Act, question: OpenQuestion, worker: int, answer: Any) -> None:
    chain = act.progress.chains[question.subject[0]]
    said = chain_verification.Answer(answer)
    close_question(act, question.number, said)
    if said is chain_verification.Answer.TRUE:
        after_verification(act, chain, Cause.VERIFIED)
        return
    parts = chain_verification.split_by_head_noun((n, act.progress.mentions[n].head) for n in chain.mentions)
    if len(parts) == 1:
        chain.doubted = "verification failed, but all mentions share a head noun"
        after_verification(act, chain, Cause.DOUBTED)
        return
    split_chain(act, chain, parts, LinkSource.SPLIT, Cause.BROKEN)
    for part in parts:
        after_verification(act, act.progress.chains[part[0]], Cause.BROKEN)


def after_verification(act: Act, chain: ChainProgress, cause: Cause) -> None:
    """Send a verified chain on.

    A chain that an expert sent to verification may have boxes already; then nobody is asked whether it can have any.
    """
    at_once = drawn_at_once(act, chain) or bool(act.progress.accepted(chain.name))
    to_boxes(act, chain, chain_verification.decide(drawn_at_once=at_once), cause)


def judge_requirement(act: Act, question: OpenQuestion, worker: int, answer: Any) -> None:
    chain = act.progress.chains[question.subject[0]]
    chain.requirement.append(Vote(act.entry, worker, int(box_requirement.Answer(answer))))
    bar(question, worker)
    read_requirement(act, chain)


def judge_drawing(act: Act, question: OpenQuestion, worker: int, answer: Any) -> None:
    """Let {"box": [x0, y0, x1, y1]} or {"none_missing": true} act."""
    progress = act.progress
    chain = progress.chains[question.subject[0]]
    drew = "box" in answer
    close_question(act, question.number, Cause.BOX_DRAWN if drew else Cause.NONE_MISSING)
    if question.subject[1:]:  # asked under belief, of a box that is not shown
        hear_second(act, question, worker, Box(*answer["box"]) if drew else None)
        move_chain(act, chain, box_drawing.Verdict.NONE_MISSING)
        bar_from_visit(progress, chain, worker, may_judge=act.settings.drawer_judges_coverage)
        return
    if drew:
        box = add_box(act, chain, Box(*answer["box"]), BoxState.PENDING, worker)
        move_chain(act, chain, box_drawing.Verdict.BOX)
        open_question(act, Task.BOX_QUALITY, [chain.name, box.number])
        return
    chain.fruitless += 1
    bar_from_drawing(chain, worker)
    accepted = len(progress.accepted(chain.name))
    most = act.settings.fruitless_drawings
    verdict = box_drawing.decide(drew=False, accepted_boxes=accepted, fruitless=chain.fruitless, most=most)
    if not accepted:
        chain.requirement.append(Vote(act.entry, worker, int(box_requirement.Answer.NONE_MISSING)))
    if verdict is box_drawing.Verdict.CYCLING:
        chain.review = Cause.CYCLING
    move_chain(act, chain, verdict)
    if verdict is box_drawing.Verdict.NONE_MISSING:
        bar_from_visit(progress, chain, worker, may_judge=act.settings.drawer_judges_coverage)


def judge_quality(act: Act, question: OpenQuestion, worker: int, answer: Any) -> None:
    chain = act.progress.chains[question.subject[0]]
    box = act.progress.boxes[question.subject[1]]
    said = box_quality.Answer(answer)
    close_question(act, question.number, said)
    if said is box_quality.Answer.GOOD:
        chain.fruitless = 0
    elif not box.proposed:  # a bad proposal is not a drawing that brought nothing
        chain.fruitless += 1
    verdict = box_quality.decide(said, fruitless=chain.fruitless, most=act.settings.fruitless_drawings)
    if verdict is box_quality.Verdict.GOOD:
        settle_box(act, box, BoxState.ACCEPTED, Cause.JUDGED_GOOD)
        forget_judges(chain)
        move_chain(act, chain, verdict)
        bar_from_visit(act.progress, chain, box.worker, may_judge=act.settings.drawer_judges_coverage)
        return
    settle_box(act, box, BoxState.DISCARDED, Cause.JUDGED_BAD)
    if verdict is box_quality.Verdict.CYCLING:
        chain.review = Cause.CYCLING
    move_chain(act, chain, verdict)


def judge_coverage(act: Act, question: OpenQuestion, worker: int, answer: Any) -> None:
    chain = act.progress.chains[question.subject[0]]
    chain.coverage.append(Vote(act.entry, worker, box_coverage.Answer(answer).value))
    bar(question, worker)
    read_coverage(act, chain)
