"""Finished chains [beyond paper 3.2]: what an image has to tell about the boxes of chains and of programs."""

from annotation.rules.states import BoxState, ChainState
from pipeline.rules.boxing.fit_box_prior import FinishedChain
from pipeline.rules.boxing.program_trust import Judged, ProgramBox
from pipeline.rules.image.box_evidence import answers_of
from pipeline.rules.image.proposals import proposed_numbers
from pipeline.rules.progress.heard_answer import EXPERT_SHIFT
from pipeline.rules.progress.progress import BoxProgress, ChainProgress, ImageProgress
from pipeline.rules.tasks import box_quality
from pipeline.rules.tasks.task import Task

FINISHED = (ChainState.COMPLETE, ChainState.NON_VISUAL)


def finished_chains(progress: ImageProgress) -> list[FinishedChain]:
    """Return the chains that are complete or non-visual, by either policy.

    Chains that were finished without a question about their boxes are left out: they have no representative mention.
    """
    own = (chain for chain in progress.chains.values() if chain.representative in progress.mentions)
    return [_finished(progress, chain) for chain in own if chain.state in FINISHED]


def _finished(progress: ImageProgress, chain: ChainProgress) -> FinishedChain:
    shown = progress.mentions[chain.representative]
    own = [box for box in progress.boxes.values() if box.chain == chain.name]
    proposed = [box for box in own if box.proposed and box.worker is not None]
    return FinishedChain(
        types=progress.types_of(chain),
        words=tuple(shown.compared.lower().split()),
        head=shown.head,
        kept=tuple(box.number for box in progress.accepted(chain.name)),
        programs=tuple(
            ProgramBox(str(one.worker), None if one.score is None else one.score / 100, _judged(chain, one))
            for one in proposed
        ),
        proposed=proposed_numbers(progress, chain),
        heard=answers_of(progress, chain) if _whole_story(chain) else (),
        in_lot=chain.in_lot is True,
    )


def _whole_story(chain: ChainProgress) -> bool:
    """Tell whether nothing was forgotten: the paper's loop keeps the boxes that it accepted, and no others."""
    return not any(one.worker is None and one.shift != EXPERT_SHIFT and one.trust is None for one in chain.heard)


def _judged(chain: ChainProgress, box: BoxProgress) -> tuple[Judged, ...]:
    """Return what was said of a box. Under the paper's loop one worker has judged it, and that has settled it."""
    if not chain.heard:
        return (Judged(box.state is BoxState.ACCEPTED),)
    own = (one for one in chain.heard if one.task is Task.BOX_QUALITY and one.boxes == [box.number] and not one.juror)
    return tuple(Judged(one.answer == box_quality.Answer.GOOD, one.shift) for one in own if one.answer is not None)
