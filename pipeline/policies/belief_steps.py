"""Steps of the belief policy [beyond paper 3.2]: what follows for a chain from all that was heard about its boxes."""

from collections.abc import Collection, Mapping
from enum import StrEnum

from annotation.rules.mention_type import MentionType
from annotation.rules.states import BoxState
from belief.boxes.next_box_question import BoxRules, BoxStep, Move, Offer, next_step
from belief.boxes.tasks import BoxTask
from belief.models.family import Families
from pipeline.policies.box_evidence import agreements, box_evidence, requirement_tally, shown_boxes
from pipeline.policies.box_policy import AFTER, MOST_ALIKE, Verdict
from pipeline.policies.change_box_policy import to_belief
from pipeline.policies.checked import (
    boxes_of_source,
    changes,
    flag_of,
    is_of,
    needs_a_person,
    number_of_source,
    stands,
    trust_in_boxes,
)
from pipeline.policies.engine import engine_of
from pipeline.policies.juror_questions import asked_of_jurors, draw_lot
from pipeline.policies.redraw import box_to_redraw
from pipeline.protocol.boxes.may_answer import barred_from, kin_barred_from
from pipeline.protocol.image.chain_steps import (
    Act,
    add_proposed,
    close_questions_of,
    fix_representative,
    move_chain,
    open_question,
    settle_box,
)
from pipeline.protocol.image.proposals import most_trusted, proposed_numbers, trust_in
from pipeline.protocol.state.heard_answer import HeardAnswer
from pipeline.protocol.state.progress import Cause, ChainProgress, Proposal
from pipeline.protocol.tasks import box_quality, box_requirement
from pipeline.protocol.tasks.flow import ASKED
from pipeline.protocol.tasks.task import Task
from pipeline.settings.policy_names import BoxPolicy

LOOKED_AT_TOGETHER = 0.8
"""Boxes of programs that are likelier good than this are looked at together, by who judges coverage."""
VOTES_BELOW = 0.2
"""A juror that overlooks less than this share of what is missing has a vote for no box."""
CHANGED = 0.25
"""The share of the usual doubt that may be left before a label of a checked data set is changed."""
JUDGED, JUDGED_BESIDE, LOOKED_AT = 0.55, 0.7, 0.5
"""The same of chains of a checked data set that jurors, or people, have judged: there questions find most errors.

`JUDGED_BESIDE`: that jurors have judged, where other programs' boxes tell already which of their alarms are false.
"""
LOT_SURE = 0.95
"""The wanted sureness, at least, of chains that tell how many labels of a checked data set are wrong."""
ENDS = (Move.COMPLETE, Move.NON_VISUAL)
DIGITS = 4
"""The digits that are kept of a chance."""
VERDICT: Mapping[BoxTask | Move, Verdict] = {
    BoxTask.REQUIREMENT: Verdict.ASK,
    BoxTask.DRAWING: Verdict.DRAW,
    BoxTask.QUALITY: Verdict.JUDGE,
    BoxTask.COVERAGE: Verdict.COVER,
    Move.COMPLETE: Verdict.COMPLETE,
    Move.NON_VISUAL: Verdict.NON_VISUAL,
    Move.REVIEW: Verdict.EXPERT,
}


def follows_belief(act: Act) -> bool:
    return act.settings.box_policy is BoxPolicy.BELIEF


def to_boxes(act: Act, chain: ChainProgress, verdict: StrEnum, cause: StrEnum | None = None) -> None:
    """Send a chain whose mentions are settled to its boxes. `verdict`: the step that the paper's loop takes."""
    if follows_belief(act):
        go_on(act, chain, cause)
    else:
        move_chain(act, chain, verdict, cause)


def go_on(act: Act, chain: ChainProgress, cause: StrEnum | None = None, said: StrEnum = Cause.NOT_NEEDED) -> None:
    """Let the belief decide what follows for the chain, and open the question.

    A question stays open if the same is asked once more, of another worker. `cause`: of the chain's move; None: the
    verdict. `said`: the outcome of an open question that is closed.
    """
    progress = act.progress
    fix_representative(progress, chain)
    to_belief(progress, chain, engine_of(act.settings).box_rules.prior)
    draw_lot(progress, chain, act.settings)
    before = _shown(act, chain)
    step = _decided(act, chain)
    verdict, box = _allowed(act, chain, step)
    if verdict is not Verdict.EXPERT:
        verdict, box = asked_of_jurors(progress, chain, act.settings, act.context.silent) or (verdict, box)
    again = box_to_redraw(act, chain) if verdict is Verdict.COMPLETE else None
    _settle_boxes(act, chain, step, box)
    if again is not None:
        verdict, box = Verdict.DRAW, again
    task, subject = ASKED.get(AFTER[verdict]), [chain.name] if box is None else [chain.name, box]
    if task is not None and again is None and len(_barred(act, task, subject)) >= MOST_ALIKE:
        verdict, task = Verdict.EXPERT, None
        _settle_boxes(act, chain, step, None)
    for question in progress.open.values():
        if (question.task, question.subject) == (task, subject) and before == _shown(act, chain):
            kin = kin_barred_from(progress, question.task, subject, act.settings)
            question.barred = sorted({*question.barred, *_barred(act, question.task, subject), *kin})
            return
    close_questions_of(act, chain, said)
    if verdict is Verdict.EXPERT:
        chain.review = Cause.CYCLING
    elif task is None:
        _finish(act, chain, step, verdict)
    act.again = () if again is None else (again,)
    move_chain(act, chain, verdict, cause)
    act.again = ()
    if task is Task.BOX_QUALITY:
        open_question(act, task, subject)


def _barred(act: Act, task: Task, subject: list[int]) -> list[int]:
    return barred_from(act.progress, task, subject, act.settings)


def _shown(act: Act, chain: ChainProgress) -> list[int]:
    return [box.number for box in act.progress.accepted(chain.name)]


def _decided(act: Act, chain: ChainProgress) -> BoxStep:
    """Drop the boxes that are likely bad, take the programs' boxes that are worth it, and return what follows then."""
    source = engine_of(act.settings).source
    proposed = proposed_numbers(act.progress, chain) if act.settings.proposals else {}
    types = act.progress.types_of(chain)
    if from_source := is_of(act.progress, chain, source):
        proposed.pop(str(source.program), None)
    rules = _rules(act, chain, beside=any(name != str(source.program) for name in proposed))
    number = number_of_source(act.progress, chain, source)
    for own in boxes_of_source(act.progress, chain, source):
        _take(act, chain, own, trust_in_boxes(source, types, number, rules.prior))
    while True:
        proposal = most_trusted(act.progress, chain, rules.prior) if act.settings.proposals else None
        offer = Offer(trust_in(proposal.worker, proposal.score, rules.prior)) if proposal else None
        counting = _jurors(act, chain), _families(act)
        evidence = box_evidence(act.progress, chain, rules.prior, proposed, *counting)
        if from_source:
            told = agreements(act.progress, chain, source.program, rules.prior, _families(act))
            counts = source.of_boxes(types).weigh(evidence.counts, number)
            evidence = evidence._replace(counts=counts, answers=(*evidence.answers, *told))
        step = next_step(evidence, rules, offer)
        if step.kind in ENDS and changes(act.progress, chain, source, step.kept):
            step = next_step(evidence, rules._replace(sure=1 - (1 - rules.sure) * CHANGED), offer)
        dropped = [number for number in shown_boxes(act.progress, chain) if number not in step.kept]
        if doubted := [one for one in dropped if needs_a_person(act.progress, chain, source, one)]:
            return step._replace(kind=BoxTask.QUALITY, box=doubted[0], kept=tuple(shown_boxes(act.progress, chain)))
        for number in dropped:
            _drop(act, chain, number)
        if step.kind is not Move.PROPOSAL or proposal is None or offer is None:
            return step
        _take(act, chain, proposal, offer.trust)


def _rules(act: Act, chain: ChainProgress, *, beside: bool) -> BoxRules:
    """Return the rules for the chain. Where a checked data set has no box, nobody need vote for that.

    `beside`: other programs than the one that stands for the data set have boxes in the image.
    """
    source, rules = engine_of(act.settings).source, engine_of(act.settings).box_rules
    if source.program:
        rules = rules._replace(sure=1 - (1 - rules.sure) * _doubt_left(chain, beside=beside))
    if source.errs_much:
        rules = rules._replace(sure=max(rules.sure, BoxRules().sure))
    if chain.in_lot and act.settings.checked_lot:
        rules = rules._replace(sure=max(rules.sure, LOT_SURE))
    if stands(act.progress, chain, source, ()):
        return rules._replace(no_box_votes=0, programs_alone=True)
    return rules


def _drop(act: Act, chain: ChainProgress, number: int) -> None:
    judged = any(one.boxes == [number] and one.answer == box_quality.Answer.BAD for one in chain.heard)
    settle_box(act, act.progress.boxes[number], BoxState.DISCARDED, Cause.JUDGED_BAD if judged else Cause.DROPPED)


def _take(act: Act, chain: ChainProgress, proposal: Proposal, trust: float) -> None:
    """Show a program's box from now on, as if it had been drawn."""
    shown = shown_boxes(act.progress, chain)
    box = add_proposed(act, chain, proposal)
    drawn = HeardAnswer(act.entry, proposal.worker, Task.BOX_DRAWING, box.number, shown, trust=trust)
    chain.heard.append(drawn)


def _allowed(act: Act, chain: ChainProgress, step: BoxStep) -> tuple[Verdict, int | None]:
    """Return the verdict, and the box to judge, as far as the project's rules allow what the belief would do.

    Nobody is asked whether a box is required while boxes are shown; a chain is non-visual only with the votes that the
    settings ask for, so that no worker alone makes it so; and no chain is complete by the word of programs alone,
    unless the requester lets them.
    """
    verdict, alone = VERDICT[step.kind], _programs_alone(act, chain)
    unchanged = stands(act.progress, chain, engine_of(act.settings).source, step.kept)
    if unchanged and (verdict is Verdict.COMPLETE if step.kept else verdict is Verdict.NON_VISUAL):
        return verdict, None
    if verdict is Verdict.NON_VISUAL and not step.kept:
        people, every = (_against(act, chain, jurors) for jurors in ((), _voting_jurors(act, chain)))
        return (verdict if (people or alone) and every >= act.settings.no_box_votes else Verdict.ASK), None
    if verdict is Verdict.COMPLETE and (unjudged := _unjudged(act, chain, step)):
        return Verdict.JUDGE, min(unjudged, key=lambda box: step.good[box])
    unseen = (
        verdict is Verdict.COMPLETE and not alone and all(one.trust is not None or one.juror for one in chain.heard)
    )
    if unseen and act.settings.jurors and min(step.good.values()) > LOOKED_AT_TOGETHER:
        return Verdict.COVER, None
    if step.kept and (unseen or verdict in (Verdict.ASK, Verdict.NON_VISUAL)):
        return Verdict.JUDGE, min(step.kept, key=lambda box: step.good[box])
    return verdict, step.box


def _doubt_left(chain: ChainProgress, *, beside: bool) -> float:
    """Return the share of the usual doubt that may be left about a chain of a checked data set."""
    heard = [one for one in chain.heard if one.worker is not None and one.trust is None]
    by_jurors, by_people = (any(bool(one.juror) is of_jurors for one in heard) for of_jurors in (True, False))
    judged = JUDGED_BESIDE if beside else JUDGED
    return (judged if by_jurors else 1.0) * (LOOKED_AT if by_people else 1.0)


def _unjudged(act: Act, chain: ChainProgress, step: BoxStep) -> list[int]:
    """Return the boxes of a checked data set that a person is to judge yet, so that the lot tells of every error.

    Who judges coverage is not asked whether a box is one too many.
    """
    if not chain.in_lot or not act.settings.checked_lot:
        return []
    return [box for box in step.kept if needs_a_person(act.progress, chain, engine_of(act.settings).source, box)]


def _programs_alone(act: Act, chain: ChainProgress) -> bool:
    """Return whether programs that judged the chain may finish it without a person."""
    judged = any(one.juror for one in chain.heard)
    return judged and not chain.in_lot and engine_of(act.settings).box_rules.programs_alone


def _against(act: Act, chain: ChainProgress, jurors: Collection[int]) -> int:
    """Return the votes for no box."""
    votes = requirement_tally(chain, jurors, _families(act))
    return sum(vote.answer != box_requirement.Answer.BOX for vote in votes)


def _families(act: Act) -> Families:
    return engine_of(act.settings).families_in(Task.BOX_QUALITY)


def _jurors(act: Act, chain: ChainProgress) -> Collection[int]:
    """Return the jurors whose answers about the chain count."""
    return () if chain.in_lot else act.settings.jurors


def _voting_jurors(act: Act, chain: ChainProgress) -> list[int]:
    known = engine_of(act.settings).box_rules.prior.jurors
    voting = {name for name, record in known.items() if record.of_missing().miss < VOTES_BELOW}
    return [juror for juror in _jurors(act, chain) if str(juror) in voting]


def _settle_boxes(act: Act, chain: ChainProgress, step: BoxStep, judged: int | None) -> None:
    """Let the shown boxes be accepted, except the one to judge, which waits for its judgment."""
    for box in act.progress.pending(chain.name):
        if box.number != judged:
            first, said = box.accepted, chain.heard[-1]
            good = said.boxes == [box.number] and said.answer == box_quality.Answer.GOOD
            settle_box(act, box, BoxState.ACCEPTED, Cause.JUDGED_GOOD if good else Cause.KEPT)
            box.accepted = box.accepted if first is None else first
    if judged is not None and act.progress.boxes[judged].state is BoxState.ACCEPTED:
        settle_box(act, act.progress.boxes[judged], BoxState.PENDING, Cause.IN_DOUBT)


def _finish(act: Act, chain: ChainProgress, step: BoxStep, verdict: Verdict) -> None:
    """Keep the chances of being right: of the chain's boxes together, and of each box. Exports carry them."""
    chain.box_confidence = round(step.confidence, DIGITS)
    for box in act.progress.accepted(chain.name):
        box.confidence = round(step.good[box.number], DIGITS)
    if verdict is Verdict.NON_VISUAL:
        votes = [box_requirement.Answer(vote.answer) for vote in requirement_tally(chain)]
        scene = act.progress.has_type(chain, MentionType.SCENE)
        flag = "" if votes else flag_of(act.progress, chain)
        chain.non_visual = flag or box_requirement.kind_of_non_visual(votes, has_scene_mention=scene).value
