"""Box evidence [beyond paper 3.2]: what was heard about a chain's boxes, for the belief and for refits."""

from collections.abc import Collection, Iterable

from annotation.rules.states import BoxState, ChainState
from belief.boxes.agreement import Beside, agreement
from belief.boxes.box_belief import BoxAnswer, BoxEvidence
from belief.boxes.box_prior import BoxPrior
from belief.boxes.count_prior import counts_of
from belief.boxes.fit_box_prior import FinishedChain
from belief.boxes.program_counts import ProposedNumbers, with_proposed
from belief.boxes.tasks import BoxTask, Quality
from belief.models.family import NO_FAMILIES, Families
from belief.models.juror_record import PERSON
from belief.models.program_trust import Judged, ProgramBox
from pipeline.policies.box_tasks import BELIEVED, reply_of
from pipeline.protocol.image.proposals import beside, proposed_numbers
from pipeline.protocol.state.heard_answer import EXPERT_SHIFT, NOTHING_DRAWN, HeardAnswer
from pipeline.protocol.state.progress import BoxProgress, ChainProgress, ImageProgress, Vote
from pipeline.protocol.tasks import box_quality, box_requirement
from pipeline.protocol.tasks.task import Task


def box_evidence(
    progress: ImageProgress,
    chain: ChainProgress,
    prior: BoxPrior,
    proposed: ProposedNumbers,
    jurors: Collection[int] = (),
    families: Families = NO_FAMILIES,
) -> BoxEvidence:
    """Return what is expected of the chain's number of boxes, and the answers that count.

    The chain has a representative mention. `proposed`: the numbers of boxes that programs proposed for it. `jurors`:
    the programs whose answers count; of those that count as one opinion, the first about each thing.
    """
    shown = progress.mentions[chain.representative]
    words = tuple(shown.compared.lower().split())
    counts = counts_of(progress.types_of(chain), words, shown.head, prior)
    counts = with_proposed(counts, families.one_of_each(proposed), prior)
    there = shown_boxes(progress, chain)
    every = answers_of(progress, chain, families)
    of_jurors = (one for one in every if one.juror is None or int(one.juror) in jurors)
    answers = tuple(families.firsts(of_jurors, lambda one: (one.juror, one.about)))
    drawn = {one.box for one in answers if one.task is BoxTask.DRAWING and one.box is not None}
    return BoxEvidence(counts, answers, tuple(sorted(drawn.difference(there))))


def answers_of(
    progress: ImageProgress, chain: ChainProgress, families: Families = NO_FAMILIES
) -> tuple[BoxAnswer, ...]:
    """Return the answers about the chain's boxes that were not voided, in their order."""
    return tuple(_answer(progress, one, families) for one in chain.heard if one.answer is not None)


def agreements(
    progress: ImageProgress, chain: ChainProgress, of: int, prior: BoxPrior, families: Families
) -> list[BoxAnswer]:
    """Return what other programs' boxes say of the shown boxes of one program, as if they had been judged."""
    shown = shown_boxes(progress, chain)
    own = [box for box in progress.boxes.values() if box.number in shown and box.worker == of]
    return agreements_on(progress, chain, own, prior, families)


def agreements_on(
    progress: ImageProgress, chain: ChainProgress, boxes: Iterable[BoxProgress], prior: BoxPrior, families: Families
) -> list[BoxAnswer]:
    """Return what other programs' boxes say of these boxes of one program, as if they had been judged."""
    said = (Quality.BAD, Quality.GOOD)
    return [
        BoxAnswer(BoxTask.QUALITY, said[proposed], box=box.number, juror=program, mistakes=agreement(program, prior))
        for box, program, proposed in beside(progress, chain, boxes, families)
    ]


def shown_boxes(progress: ImageProgress, chain: ChainProgress) -> list[int]:
    """Return the numbers of the chain's boxes that were not dropped, the one that is being judged included."""
    own = (box for box in progress.boxes.values() if box.chain == chain.name)
    return sorted(box.number for box in own if box.state is not BoxState.DISCARDED)


def requirement_tally(
    chain: ChainProgress, jurors: Collection[int] = (), families: Families = NO_FAMILIES
) -> list[Vote]:
    """Return the votes on the chain's need of a box, as the paper's tally has them.

    Who found none missing while no box was shown has voted, too. Jurors that count as one opinion have one vote.
    """
    found = []
    for one in chain.heard:
        if one.answer is None or one.worker is None or (one.juror and one.worker not in jurors):
            continue
        if one.task is Task.BOX_REQUIREMENT:
            found.append(Vote(one.entry, one.worker, int(one.answer)))
        elif one.task is Task.BOX_DRAWING and one.answer == NOTHING_DRAWN and not one.boxes:
            found.append(Vote(one.entry, one.worker, int(box_requirement.Answer.NONE_MISSING)))
    return families.firsts(found, lambda vote: (vote.worker if vote.worker in jurors else None, None))


def _answer(progress: ImageProgress, one: HeardAnswer, families: Families) -> BoxAnswer:
    task, juror = BELIEVED[one.task], str(one.worker) if one.juror else None
    match one.task:
        case Task.BOX_DRAWING if (told_of := one.told_of) is not None:
            # Whoever draws a box again has found it good, and whoever misses none without it, bad.
            said = Quality.BAD if one.answer == NOTHING_DRAWN else Quality.GOOD
            source = _source(progress.boxes[told_of])
            return BoxAnswer(BoxTask.QUALITY, said, one.shift, told_of, source=source)
        case Task.BOX_DRAWING:
            box = None if one.answer == NOTHING_DRAWN else one.answer
            return BoxAnswer(BoxTask.DRAWING, None, one.shift, box, tuple(one.boxes), one.trust)
        case Task.BOX_QUALITY:
            box = progress.boxes[one.boxes[0]]
            akin = _is_akin(juror, box, families)
            reply = reply_of(one.task, one.answer)
            return BoxAnswer(task, reply, one.shift, box.number, juror=juror, source=_source(box), akin=akin)
        case _:
            return BoxAnswer(task, reply_of(one.task, one.answer), one.shift, None, tuple(one.boxes), juror=juror)


def _source(box: BoxProgress) -> str:
    return str(box.worker) if box.proposed else PERSON


def _is_akin(juror: str | None, box: BoxProgress, families: Families) -> bool:
    """Return whether a juror, or a program that counts as one opinion with it, proposed the box."""
    return juror is not None and box.proposed and families.are_one(juror, str(box.worker))


FINISHED = (ChainState.COMPLETE, ChainState.NON_VISUAL)


def finished_chains(progress: ImageProgress, families: Families = NO_FAMILIES) -> list[FinishedChain]:
    """Return the chains that are complete or non-visual, by either policy.

    Chains that were finished without a question about their boxes are left out: they have no representative mention.
    """
    own = (chain for chain in progress.chains.values() if chain.representative in progress.mentions)
    return [_finished(progress, chain, families) for chain in own if chain.state in FINISHED]


def _finished(progress: ImageProgress, chain: ChainProgress, families: Families) -> FinishedChain:
    shown = progress.mentions[chain.representative]
    own = [box for box in progress.boxes.values() if box.chain == chain.name]
    proposed = [box for box in own if box.proposed and box.worker is not None]
    return FinishedChain(
        types=progress.types_of(chain),
        words=tuple(shown.compared.lower().split()),
        head=shown.head,
        kept=tuple(box.number for box in progress.accepted(chain.name)),
        programs=tuple(
            ProgramBox(str(one.worker), None if one.score is None else one.score / 100, _judged(chain, one, families))
            for one in proposed
        ),
        proposed=proposed_numbers(progress, chain),
        beside=tuple(
            Beside(program, proposed, box.state is BoxState.ACCEPTED)
            for box, program, proposed in beside(progress, chain, proposed, families)
        ),
        heard=answers_of(progress, chain, families) if _whole_story(chain) else (),
        in_lot=chain.in_lot is True,
    )


def _whole_story(chain: ChainProgress) -> bool:
    """Tell whether nothing was forgotten: the paper's loop keeps the boxes that it accepted, and no others."""
    told = [one for one in chain.heard if one.again is None]
    return not any(one.worker is None and one.shift != EXPERT_SHIFT and one.trust is None for one in told)


def _judged(chain: ChainProgress, box: BoxProgress, families: Families) -> tuple[Judged, ...]:
    """Return what was said of a box. Under the paper's loop one worker has judged it, and that has settled it."""
    if not chain.heard:
        return (Judged(box.state is BoxState.ACCEPTED),)
    said = [one for one in chain.heard if one.task is Task.BOX_QUALITY and one.boxes == [box.number]]
    second = [one for one in chain.heard if one.told_of == box.number]
    own = [(one, str(one.worker) if one.juror else None) for one in (*said, *second) if one.answer is not None]
    return tuple(
        Judged(one.answer in (box_quality.Answer.GOOD, box.number), one.shift, juror, _is_akin(juror, box, families))
        for one, juror in families.firsts(own, lambda one: (one[1], None))
    )
