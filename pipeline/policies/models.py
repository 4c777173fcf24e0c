"""Models [beyond paper 3.3]: model annotators, who judge boxes before people do, and models that propose boxes.

A model answers what is shown now: whether the chain needs a box while none is shown, whether each shown box is good,
and whether all are there. It is asked the same about the same boxes once only, and never about a box of its own unless
the settings let it. Of models that count as one opinion one is asked.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from random import Random

from annotation.rules.box import iou
from belief.boxes.box_prior import BoxPrior
from belief.boxes.proposers import trust_of
from belief.models.error_correlation import Families
from belief.models.records import NEW_BOX_MODEL, audit_share
from pipeline.policies.box_policy import BoxVerdict
from pipeline.policies.engine import Engine
from pipeline.protocol.boxes.pre_annotations import COVERED, next_pre_annotations, predicted_boxes
from pipeline.protocol.state.progress import BoxProgress, ChainAnswer, ChainProgress, ImageProgress, PreAnnotation
from pipeline.protocol.tasks.task import Task

AUDIT = "in_audit"
"""In the notes of a chain: whether people answer about it whatever models say. Missing: it is not decided yet."""


def in_audit(chain: ChainProgress) -> bool | None:
    """Return whether people answer about the chain whatever models say; None: no model was at work yet."""
    return chain.notes.get(AUDIT)


def draw_audit(progress: ImageProgress, chain: ChainProgress, engine: Engine) -> None:
    """Decide whether people answer about the chain whatever models say, if it is not decided yet.

    The audit follows from what the record holds, so it is the same whenever the record is read.
    """
    settings = engine.settings
    if (settings.model_annotators or engine.source.program) and AUDIT not in chain.notes:
        words = " ".join(mention.text for _, mention in sorted(progress.mentions.items()))
        known = engine.box_rules.prior.model_annotators
        usual = (
            settings.audit_rate if settings.model_annotators else max(settings.audit_rate, settings.check_audit_rate)
        )
        share = audit_share(
            [known.get(str(model_annotator), NEW_BOX_MODEL) for model_annotator in settings.model_annotators], usual
        )
        chain.notes[AUDIT] = Random(f"{progress.seed} {chain.name} {words}").random() < share


# --- Who is asked ---


def next_for_models(
    progress: ImageProgress,
    chain: ChainProgress,
    shown: Sequence[int],
    engine: Engine,
    inactive: Collection[int] = (),
) -> tuple[BoxVerdict, int | None] | None:
    """Return the step that asks a model, and the box to judge; None: people are asked.

    `shown`: the chain's boxes in ascending order, those that wait to be judged included. `inactive`: the models that
    are not at work.
    """
    models = [model for model in engine.settings.model_annotators if model not in inactive]

    def left(task: Task, about: Sequence[int], *barred: int | None) -> bool:
        return _left(chain, models, task, about, {*barred, *relatives_barred(progress, chain, task, about, engine)})

    if not shown:
        return (BoxVerdict.ASK, None) if left(Task.BOX_REQUIREMENT, ()) else None
    for box in shown:
        if left(Task.BOX_QUALITY, [box], who_may_not_judge(progress.boxes[box], engine)):
            return BoxVerdict.JUDGE, box
    drawers = who_may_not_cover(chain, engine)
    return (BoxVerdict.COVER, None) if left(Task.BOX_COVERAGE, shown, *drawers) else None


def _left(
    chain: ChainProgress, models: Collection[int], task: Task, boxes: Sequence[int], barred: Collection[int | None]
) -> bool:
    """Return whether a model may still answer this about these boxes. `barred`: the workers who may not.

    Nobody waits for a model any more once a person has answered: it was silent, and people went on.
    """
    given = (answer for answer in chain.answers if answer.value is not None)
    same = [answer for answer in given if answer.task is task and sorted(answer.boxes) == [*boxes]]
    answered = {answer.worker for answer in same}
    went_on = any(not answer.by_model for answer in same)
    return not went_on and any(model not in answered and model not in barred for model in models)


# --- Who may not be asked ---


def who_may_not_judge(box: BoxProgress, engine: Engine) -> int | None:
    """Return the worker who may not judge the box, as it is theirs; None: all may."""
    return None if box.pre_annotated and engine.settings.own_pre_annotations_judged else box.worker


def who_may_not_cover(chain: ChainProgress, engine: Engine) -> list[int | None]:
    """Return the workers who may not judge the coverage, having drawn the last box."""
    if engine.settings.drawer_judges_coverage:
        return []
    drawn = last_drawings(chain)
    return [
        drawing.worker
        for drawing in drawn
        if not drawing.is_pre_annotation or not engine.settings.own_pre_annotations_judged
    ]


def last_drawings(chain: ChainProgress) -> Iterator[ChainAnswer]:
    """Yield the drawings of the chain's last box once more, and then its first one."""
    for answer in reversed(chain.answers):
        if answer.task is Task.BOX_DRAWING:
            yield answer
            if not answer.is_redrawing:
                return


def drawer_of_last_box(chain: ChainProgress) -> int | None:
    """Return the worker who drew last for the chain, or found none missing."""
    return next((drawing.worker for drawing in reversed(list(last_drawings(chain)))), None)


def relatives_barred(
    progress: ImageProgress, chain: ChainProgress, task: Task, boxes: Sequence[int], engine: Engine
) -> list[int]:
    """Return the models that may not answer because they count as one opinion with a program that may not, or has.

    `boxes`: those that are shown, in ascending order, or the one to judge. In the audit each model is asked for itself,
    so that answers show which of them are two.
    """
    settings = engine.settings
    if not settings.model_families:
        return []
    said = () if in_audit(chain) else chain.answers
    same = (answer for answer in said if answer.by_model and answer.task is task and sorted(answer.boxes) == [*boxes])
    of: list[int | None] = [
        answer.worker for answer in same if answer.worker in settings.model_annotators and answer.counts
    ]
    if task is Task.BOX_QUALITY:
        of.append(who_may_not_judge(progress.boxes[boxes[0]], engine))
    elif task is Task.BOX_COVERAGE:
        of += who_may_not_cover(chain, engine)
    return engine.families_in(task).relatives([worker for worker in of if worker is not None], engine.judges(task))


# --- Programs that propose ---


def trust_in(worker: int, score: int | None, prior: BoxPrior) -> float:
    """Return the chance, 0 to 1, that a box of a program is good if one is missing. `score`: the program's, in percent.

    What workers said of the program's boxes of about this score tells it.
    """
    return trust_of(str(worker), None if score is None else score / 100, prior)


def most_trusted(progress: ImageProgress, chain: ChainProgress, prior: BoxPrior) -> PreAnnotation | None:
    """Return the most trusted pre-annotation, of equal ones the first that came; None: a worker draws."""
    return max(
        next_pre_annotations(progress, chain), key=lambda one: trust_in(one.worker, one.score, prior), default=None
    )


def beside(
    progress: ImageProgress, chain: ChainProgress, boxes: Iterable[BoxProgress], families: Families
) -> Iterator[tuple[BoxProgress, str, bool]]:
    """Yield for each of a chain's boxes that a program proposed: each other program, and whether it has the box, too.

    Programs that proposed no box in the image, or that count as one opinion with the box's, are left out.
    """
    found = sorted(predicted_boxes(progress, chain).items())
    for box in boxes:
        for program, predicted in found:
            if box.pre_annotated and box.worker is not None and not families.are_one(program, box.worker):
                yield box, program, any(iou(box.box, other) >= COVERED for other in predicted)
