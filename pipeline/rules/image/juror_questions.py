"""Jurors [beyond paper 3.3]: the questions of a chain that programs are asked before people.

A juror answers what is shown now: whether the chain needs a box while none is shown, whether each shown box is good,
and whether all are there. It is asked the same about the same boxes once only, and never about a box of its own.
"""

from collections.abc import Collection
from random import Random

from pipeline.rules.boxing.juror_record import NOBODY_KNOWS
from pipeline.rules.image.who_may_answer import last_drawer
from pipeline.rules.jurors.lot import lot_share
from pipeline.rules.progress.progress import ChainProgress, ImageProgress
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.tasks.box_policy import Verdict
from pipeline.rules.tasks.task import Task


def asked_of_jurors(
    progress: ImageProgress, chain: ChainProgress, settings: ProtocolSettings, asleep: Collection[int] = ()
) -> tuple[Verdict, int | None] | None:
    """Return the step that asks a juror, and the box to judge; None: people are asked.

    Boxes that wait to be judged are shown, too. `asleep`: the jurors that are not at work.
    """
    jurors = [juror for juror in settings.jurors if juror not in asleep]
    own = (*progress.accepted(chain.name), *progress.pending(chain.name))
    boxes = sorted(box.number for box in own)
    if not boxes:
        return (Verdict.ASK, None) if _left(chain, jurors, Task.BOX_REQUIREMENT, boxes, None) else None
    for box in boxes:
        if _left(chain, jurors, Task.BOX_QUALITY, [box], progress.boxes[box].worker):
            return Verdict.JUDGE, box
    drawer = None if settings.drawer_judges_coverage else last_drawer(chain)
    return (Verdict.COVER, None) if _left(chain, jurors, Task.BOX_COVERAGE, boxes, drawer) else None


def _left(chain: ChainProgress, jurors: Collection[int], task: Task, boxes: list[int], barred: int | None) -> bool:
    """Return whether a juror may still answer this about these boxes. `barred`: a worker who may not.

    Nobody waits for a juror any more once a person has answered: it was silent, and people went on.
    """
    same = [one for one in chain.heard if one.task is task and sorted(one.boxes) == boxes]
    answered = {one.worker for one in same}
    went_on = any(not one.juror for one in same)
    return not went_on and any(juror not in answered and juror != barred for juror in jurors)


def draw_lot(progress: ImageProgress, chain: ChainProgress, settings: ProtocolSettings) -> None:
    """Decide whether people answer about the chain whatever jurors say, if it is not decided yet.

    The lot follows from what the record holds, so it is the same whenever the record is read.
    """
    if settings.jurors and chain.in_lot is None:
        words = " ".join(one.text for _, one in sorted(progress.mentions.items()))
        known = settings.box_rules().prior.jurors
        share = lot_share([known.get(str(juror), NOBODY_KNOWS) for juror in settings.jurors], settings.juror_lot)
        chain.in_lot = Random(f"{progress.lot} {chain.name} {words}").random() < share
