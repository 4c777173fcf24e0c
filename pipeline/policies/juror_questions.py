"""Jurors [beyond paper 3.3]: the questions of a chain that programs are asked before people.

A juror answers what is shown now: whether the chain needs a box while none is shown, whether each shown box is good,
and whether all are there. It is asked the same about the same boxes once only, and never about a box of its own unless
the settings let it. Of jurors that count as one opinion one is asked.
"""

from collections.abc import Collection
from random import Random

from belief.models.juror_record import NOBODY_KNOWS
from belief.models.lot import lot_share
from pipeline.policies.box_policy import Verdict
from pipeline.policies.engine import engine_of
from pipeline.protocol.boxes.may_answer import kin_barred_from, who_may_not_cover, who_may_not_judge
from pipeline.protocol.state.progress import ChainProgress, ImageProgress
from pipeline.protocol.tasks.task import Task
from pipeline.settings.settings import Settings


def asked_of_jurors(
    progress: ImageProgress, chain: ChainProgress, settings: Settings, asleep: Collection[int] = ()
) -> tuple[Verdict, int | None] | None:
    """Return the step that asks a juror, and the box to judge; None: people are asked.

    Boxes that wait to be judged are shown, too. `asleep`: the jurors that are not at work.
    """
    jurors = [juror for juror in settings.jurors if juror not in asleep]
    own = (*progress.accepted(chain.name), *progress.pending(chain.name))
    boxes = sorted(box.number for box in own)

    def left(task: Task, about: list[int], subject: list[int], *barred: int | None) -> bool:
        return _left(chain, jurors, task, about, {*barred, *kin_barred_from(progress, task, subject, settings)})

    if not boxes:
        return (Verdict.ASK, None) if left(Task.BOX_REQUIREMENT, boxes, [chain.name]) else None
    for box in boxes:
        if left(Task.BOX_QUALITY, [box], [chain.name, box], who_may_not_judge(progress.boxes[box], settings)):
            return Verdict.JUDGE, box
    drawers = who_may_not_cover(chain, settings)
    return (Verdict.COVER, None) if left(Task.BOX_COVERAGE, boxes, [chain.name], *drawers) else None


def _left(
    chain: ChainProgress, jurors: Collection[int], task: Task, boxes: list[int], barred: Collection[int | None]
) -> bool:
    """Return whether a juror may still answer this about these boxes. `barred`: the workers who may not.

    Nobody waits for a juror any more once a person has answered: it was silent, and people went on.
    """
    same = [one for one in chain.heard if one.task is task and sorted(one.boxes) == boxes]
    answered = {one.worker for one in same}
    went_on = any(not one.juror for one in same)
    return not went_on and any(juror not in answered and juror not in barred for juror in jurors)


def draw_lot(progress: ImageProgress, chain: ChainProgress, settings: Settings) -> None:
    """Decide whether people answer about the chain whatever jurors say, if it is not decided yet.

    The lot follows from what the record holds, so it is the same whenever the record is read.
    """
    if (settings.jurors or engine_of(settings).source.program) and chain.in_lot is None:
        words = " ".join(one.text for _, one in sorted(progress.mentions.items()))
        known = engine_of(settings).box_rules.prior.jurors
        usual = settings.juror_lot if settings.jurors else max(settings.juror_lot, settings.checked_lot)
        share = lot_share([known.get(str(juror), NOBODY_KNOWS) for juror in settings.jurors], usual)
        chain.in_lot = Random(f"{progress.lot} {chain.name} {words}").random() < share
