"""Change of the box policy [beyond paper 3.2]: carry what is known of a chain's boxes from one policy to the other.

A chain changes with the next answer to one of its box tasks under the new settings. Its open question stays as it is,
and the answer to it counts under the new policy, with all answers that the old one had kept:

- *paper* keeps the requirement tally, the votes of the present coverage visit, and the accepted boxes, each of which
  one worker has drawn and another has judged good. Discarded boxes and votes of earlier visits are forgotten there.
- *belief* keeps every answer. Back under the paper's loop, votes on requirement are a tally again, votes on coverage
  count if they are about the boxes that are shown, and every box that is shown stays accepted.
"""

from annotation.rules.states import ChainState
from belief.boxes.box_prior import BoxPrior
from pipeline.policies.box_evidence import requirement_tally
from pipeline.protocol.image.proposals import trust_in
from pipeline.protocol.state.heard_answer import EXPERT_SHIFT, EXPERT_TRUST, NOTHING_DRAWN, HeardAnswer
from pipeline.protocol.state.progress import BoxProgress, ChainProgress, ImageProgress, Vote
from pipeline.protocol.tasks import box_quality, box_requirement
from pipeline.protocol.tasks.task import Task

NONE_MISSING = box_requirement.Answer.NONE_MISSING
GOOD = box_quality.Answer.GOOD.value


def to_belief(progress: ImageProgress, chain: ChainProgress, prior: BoxPrior) -> None:
    """Turn what the paper's loop has kept of a chain into answers that the belief weighs."""
    if chain.heard:
        return
    heard = [_requirement(vote) for vote in chain.requirement]
    shown: list[int] = []
    for box in progress.accepted(chain.name):
        heard += _accepted(box, [*shown], prior)
        shown.append(box.number)
    if shown:
        # The one whose "none missing" has led to the present visit is the last who drew.
        last = sorted(chain.found_none, key=lambda worker: worker == chain.visit_drawer)
        heard += [HeardAnswer(0, worker, Task.BOX_DRAWING, NOTHING_DRAWN, [*shown]) for worker in last]
    voters = {vote.worker for vote in chain.coverage}
    earlier = [worker for worker in chain.coverage_barred if worker not in voters]
    heard += [HeardAnswer(0, worker, Task.BOX_COVERAGE, None, [*shown]) for worker in earlier]
    heard += [HeardAnswer(vote.entry, vote.worker, Task.BOX_COVERAGE, vote.answer, [*shown]) for vote in chain.coverage]
    heard += [_drawing(box, [*shown], prior) for box in progress.pending(chain.name)]
    chain.heard = heard
    chain.requirement, chain.coverage, chain.coverage_barred, chain.found_none = [], [], [], []
    chain.visit_drawer, chain.fruitless = None, 0


def given_by_expert(progress: ImageProgress, chain: ChainProgress, entry: int) -> list[HeardAnswer]:
    """Return an expert's word for all accepted boxes of a chain that starts anew."""
    heard: list[HeardAnswer] = []
    shown: list[int] = []
    for box in progress.accepted(chain.name):
        drawn = HeardAnswer(entry, None, Task.BOX_DRAWING, box.number, [*shown], trust=EXPERT_TRUST)
        heard += [drawn, HeardAnswer(entry, None, Task.BOX_QUALITY, GOOD, [box.number], EXPERT_SHIFT)]
        shown.append(box.number)
    return heard


def to_paper(progress: ImageProgress, chain: ChainProgress) -> None:
    """Turn the answers that the belief has weighed into the tallies of the paper's loop, where no juror has a vote."""
    if not chain.heard:
        return
    there = {box.number for box in progress.accepted(chain.name)}
    votes = [one for one in chain.heard if one.worker is not None and one.answer is not None and not one.juror]
    chain.requirement = requirement_tally(chain)
    same = [one for one in votes if set(one.boxes) == there]
    cover = [
        Vote(one.entry, one.worker, one.answer)
        for one in same
        if one.task is Task.BOX_COVERAGE and one.worker is not None
    ]
    drawings = [one for one in votes if one.task is Task.BOX_DRAWING]
    chain.coverage = cover if chain.state is ChainState.COVERAGE else []
    chain.coverage_barred = [] if chain.state is ChainState.COVERAGE else sorted({vote.worker for vote in cover})
    chain.found_none = sorted({one.worker for one in same if one.answer == NOTHING_DRAWN and one.worker is not None})
    chain.visit_drawer = drawings[-1].worker if drawings else None
    chain.fruitless, chain.heard = _fruitless(drawings, there), []


def _requirement(vote: Vote) -> HeardAnswer:
    if vote.answer == NONE_MISSING:
        return HeardAnswer(vote.entry, vote.worker, Task.BOX_DRAWING, NOTHING_DRAWN, [])
    return HeardAnswer(vote.entry, vote.worker, Task.BOX_REQUIREMENT, vote.answer, [])


def _accepted(box: BoxProgress, shown: list[int], prior: BoxPrior) -> list[HeardAnswer]:
    shift = 0.0 if box.worker is not None else EXPERT_SHIFT
    judged = HeardAnswer(box.accepted or 0, None, Task.BOX_QUALITY, GOOD, [box.number], shift)
    return [_drawing(box, shown, prior), judged]


def _drawing(box: BoxProgress, shown: list[int], prior: BoxPrior) -> HeardAnswer:
    trust = EXPERT_TRUST if box.worker is None else trust_in(box.worker, box.score, prior) if box.proposed else None
    return HeardAnswer(box.entry, box.worker, Task.BOX_DRAWING, box.number, shown, trust=trust)


def _fruitless(drawings: list[HeardAnswer], there: set[int]) -> int:
    """Return how many drawings in a row, up to the last, have led to no box that is shown."""
    lasting = [place for place, one in enumerate(drawings) if one.answer in there]
    return len(drawings) - 1 - lasting[-1] if lasting else len(drawings)
