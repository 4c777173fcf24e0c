"""Jurors [beyond paper 3.3]: the questions of a chain that programs are asked before people.

A juror answers what is shown now: whether the chain needs a box while none is shown, whether each shown box is good,
and whether all are there. It is asked the same about the same boxes once only, and never about a box of its own.
"""

from collections.abc import Iterator
from random import Random

from pipeline.rules.boxing.box_prior import BoxPrior
from pipeline.rules.boxing.juror_record import NOBODY_KNOWS
from pipeline.rules.image.who_may_answer import barred_from
from pipeline.rules.progress.progress import ChainProgress, ImageProgress
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.tasks.box_policy import Verdict
from pipeline.rules.tasks.task import Task

JUDGING = frozenset({Task.BOX_REQUIREMENT, Task.BOX_QUALITY, Task.BOX_COVERAGE})
"""The tasks that jurors answer."""


def asked_of_jurors(
    progress: ImageProgress, chain: ChainProgress, settings: ProtocolSettings
) -> tuple[Verdict, int | None] | None:
    """Return the step that asks a juror, and the box to judge; None: people are asked.

    A juror that may not answer any of the questions is passed over.
    """
    for verdict, task, box in _questions(progress, chain) if settings.jurors else ():
        subject = [chain.name] if box is None else [chain.name, box]
        barred = barred_from(progress, task, subject, drawer_may_judge=settings.drawer_judges_coverage)
        if any(juror not in barred for juror in settings.jurors):
            return verdict, box
    return None


def _questions(progress: ImageProgress, chain: ChainProgress) -> Iterator[tuple[Verdict, Task, int | None]]:
    boxes = [box.number for box in progress.accepted(chain.name)]
    boxes += [box.number for box in progress.pending(chain.name)]
    if not boxes:
        yield Verdict.ASK, Task.BOX_REQUIREMENT, None
        return
    for box in sorted(boxes):
        yield Verdict.JUDGE, Task.BOX_QUALITY, box
    yield Verdict.COVER, Task.BOX_COVERAGE, None


def draw_lot(progress: ImageProgress, chain: ChainProgress, settings: ProtocolSettings) -> None:
    """Decide whether people answer about the chain whatever jurors say, if it is not decided yet.

    The lot follows from what the record holds, so it is the same whenever the record is read.
    """
    if settings.jurors and chain.in_lot is None:
        words = " ".join(one.text for _, one in sorted(progress.mentions.items()))
        share = _lot_share(settings, settings.box_rules().prior)
        chain.in_lot = Random(f"{progress.lot} {chain.name} {words}").random() < share


def _lot_share(settings: ProtocolSettings, prior: BoxPrior) -> float:
    """Return the share of chains in the lot: all of them while nobody knows how good a juror is."""
    known = [prior.jurors.get(str(juror), NOBODY_KNOWS).is_known for juror in settings.jurors]
    return settings.juror_lot if all(known) else 1.0
