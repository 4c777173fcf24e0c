"""Models [beyond paper 3.3]: programs that judge boxes before people do, and that propose boxes.

A model answers what is shown now: whether the chain needs a box while none is shown, whether each shown box is good,
and whether all are there. It is asked the same about the same boxes once only, and never about a box of its own unless
the settings let it. Of models that count as one opinion one is asked.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from random import Random

from annotation.rules.box import iou
from belief.boxes.box_prior import BoxPrior
from belief.boxes.proposers import trust_of
from belief.models.audit import audit_share
from belief.models.family import Families
from belief.models.records import NEW_BOX_MODEL
from pipeline.policies.box_policy import Verdict
from pipeline.policies.engine import engine_of
from pipeline.protocol.boxes.proposals import COVERED, next_proposals, proposed_boxes
from pipeline.protocol.state.answer import Answer
from pipeline.protocol.state.progress import BoxProgress, ChainProgress, ImageProgress, Proposal
from pipeline.protocol.tasks.task import Task
from pipeline.settings.settings import Settings

LOT = "in_lot"
"""In the notes of a chain: whether people answer about it whatever models say. Missing: it is not decided yet."""


def in_lot(chain: ChainProgress) -> bool | None:
    """Return whether people answer about the chain whatever models say; None: no model was at work yet."""
    return chain.notes.get(LOT)


def draw_lot(progress: ImageProgress, chain: ChainProgress, settings: Settings) -> None:
    """Decide whether people answer about the chain whatever models say, if it is not decided yet.

    The lot follows from what the record holds, so it is the same whenever the record is read.
    """
    if (settings.jurors or engine_of(settings).source.program) and LOT not in chain.notes:
        words = " ".join(one.text for _, one in sorted(progress.mentions.items()))
        known = engine_of(settings).box_rules.prior.jurors
        usual = settings.juror_lot if settings.jurors else max(settings.juror_lot, settings.checked_lot)
        share = audit_share([known.get(str(juror), NEW_BOX_MODEL) for juror in settings.jurors], usual)
        chain.notes[LOT] = Random(f"{progress.lot} {chain.name} {words}").random() < share


# --- Who is asked ---


def asked_of_models(
    progress: ImageProgress,
    chain: ChainProgress,
    shown: Sequence[int],
    settings: Settings,
    silent: Collection[int] = (),
) -> tuple[Verdict, int | None] | None:
    """Return the step that asks a model, and the box to judge; None: people are asked.

    `shown`: the chain's boxes in ascending order, those that wait to be judged included. `silent`: the models that are
    not at work.
    """
    models = [model for model in settings.jurors if model not in silent]

    def left(task: Task, about: Sequence[int], *barred: int | None) -> bool:
        return _left(chain, models, task, about, {*barred, *kin_barred(progress, chain, task, about, settings)})

    if not shown:
        return (Verdict.ASK, None) if left(Task.BOX_REQUIREMENT, ()) else None
    for box in shown:
        if left(Task.BOX_QUALITY, [box], who_may_not_judge(progress.boxes[box], settings)):
            return Verdict.JUDGE, box
    drawers = who_may_not_cover(chain, settings)
    return (Verdict.COVER, None) if left(Task.BOX_COVERAGE, shown, *drawers) else None


def _left(
    chain: ChainProgress, models: Collection[int], task: Task, boxes: Sequence[int], barred: Collection[int | None]
) -> bool:
    """Return whether a model may still answer this about these boxes. `barred`: the workers who may not.

    Nobody waits for a model any more once a person has answered: it was silent, and people went on.
    """
    given = (one for one in chain.answers if one.said is not None)
    same = [one for one in given if one.task is task and sorted(one.boxes) == [*boxes]]
    answered = {one.worker for one in same}
    went_on = any(not one.by_model for one in same)
    return not went_on and any(model not in answered and model not in barred for model in models)


# --- Who may not be asked ---


def who_may_not_judge(box: BoxProgress, settings: Settings) -> int | None:
    """Return the worker who may not judge the box, as it is theirs; None: all may."""
    return None if box.proposed and settings.own_proposals_judged else box.worker


def who_may_not_cover(chain: ChainProgress, settings: Settings) -> list[int | None]:
    """Return the workers who may not judge the coverage, having drawn the last box."""
    if settings.drawer_judges_coverage:
        return []
    drawn = last_drawings(chain)
    return [one.worker for one in drawn if not one.is_proposal or not settings.own_proposals_judged]


def last_drawings(chain: ChainProgress) -> Iterator[Answer]:
    """Yield the drawings of the chain's last box once more, and then its first one."""
    for one in reversed(chain.answers):
        if one.task is Task.BOX_DRAWING:
            yield one
            if not one.is_second:
                return


def last_drawer(chain: ChainProgress) -> int | None:
    """Return the worker who drew last for the chain, or found none missing."""
    return next((one.worker for one in reversed(list(last_drawings(chain)))), None)


def kin_barred(
    progress: ImageProgress, chain: ChainProgress, task: Task, boxes: Sequence[int], settings: Settings
) -> list[int]:
    """Return the models that may not answer because they count as one opinion with a program that may not, or has.

    `boxes`: those that are shown, in ascending order, or the one to judge. In the lot each model is asked for itself,
    so that answers show which of them are two.
    """
    if not settings.families or not engine_of(settings).has_jurors(task):
        return []
    said = () if in_lot(chain) else chain.answers
    same = (one for one in said if one.by_model and one.task is task and sorted(one.boxes) == [*boxes])
    of: list[int | None] = [one.worker for one in same if one.worker in settings.jurors and one.counts]
    if task is Task.BOX_QUALITY:
        of.append(who_may_not_judge(progress.boxes[boxes[0]], settings))
    elif task is Task.BOX_COVERAGE:
        of += who_may_not_cover(chain, settings)
    families = engine_of(settings).families_in(task)
    return families.kin([one for one in of if one is not None], settings.jurors)


# --- Programs that propose ---


def trust_in(worker: int, score: int | None, prior: BoxPrior) -> float:
    """Return the chance, 0 to 1, that a box of a program is good if one is missing. `score`: the program's, in percent.

    What workers said of the program's boxes of about this score tells it.
    """
    return trust_of(str(worker), None if score is None else score / 100, prior)


def most_trusted(progress: ImageProgress, chain: ChainProgress, prior: BoxPrior) -> Proposal | None:
    """Return the most trusted proposal, of equal ones the first that came; None: a worker draws."""
    return max(next_proposals(progress, chain), key=lambda one: trust_in(one.worker, one.score, prior), default=None)


def beside(
    progress: ImageProgress, chain: ChainProgress, boxes: Iterable[BoxProgress], families: Families
) -> Iterator[tuple[BoxProgress, str, bool]]:
    """Yield for each of a chain's boxes that a program proposed: each other program, and whether it has the box, too.

    Programs that proposed no box in the image, or that count as one opinion with the box's, are left out.
    """
    found = sorted(proposed_boxes(progress, chain).items())
    for box in boxes:
        for program, own in found:
            if box.proposed and box.worker is not None and not families.are_one(program, box.worker):
                yield box, program, any(iou(box.box, one) >= COVERED for one in own)
