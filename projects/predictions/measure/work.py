"""Work on a measurement: two scratch copies, a simulated crowd that answers in both, and the comparison."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import NamedTuple

from django.db.models import Count, Max, Q, QuerySet

from annotation.models import Box, Gold, Project
from annotation.rules.states import BoxState, ImageState
from pipeline.settings.settings import Settings
from projects.lifecycle.dry_run import copy_sample, let_answer
from projects.models import ModelPrediction, Run
from projects.operation import Output
from projects.predictions.measure.copies import (
    WITH,
    WITHOUT,
    delete_copies,
    give_predictions,
    make_copy,
    note_end,
    settings_of,
)
from projects.predictions.measure.outcome import MeasuredFigure, compare_figures, finished_images, outcomes
from projects.predictions.scores import programs
from projects.progress import CannotBeDone, Progress
from simulation.predict.subject import draw_images
from simulation.simulate import SimulationError
from workers.models import Worker

MAX_IMAGES, MIN_IMAGES = 20, 5
"""Images of a measurement. With fewer than five, chance hides all but the largest differences."""
KNOWN = Q(image__gold__complete=True) | Q(image__state=ImageState.MERGED.value)


class Predicted(NamedTuple):
    """The predictions of a program: the images that it can be measured on, and the time of the newest."""

    known: int
    newest: datetime


def predicted(project: Project) -> dict[int, Predicted]:
    """Return what each program of the project has predicted."""
    rows = ModelPrediction.objects.filter(project=project).order_by().values_list("program")
    found = rows.annotate(known=Count("id", filter=KNOWN), newest=Max("created_at"))
    return {program: Predicted(known, newest) for program, known, newest in found}


def drawn_images(project: Project, program: Worker) -> list[int]:
    """Draw the images of a measurement: the same ones every time, as long as the same are known.

    Raises CannotBeDone if there are too few. Truths are never drawn by chance: every program would look bad.
    """
    known = _known(project, program)
    if len(known) < MIN_IMAGES:
        raise CannotBeDone(too_few(program.name, len(known)))
    return draw_images(known, MAX_IMAGES, project.pk)


def with_gold(ids: Sequence[int]) -> int:
    """Count the images whose right answers are gold; those of the others were found by workers."""
    return Gold.objects.filter(image__in=ids, complete=True).count()


def too_few(program: str, known: int) -> str:
    """Return why a program cannot be measured yet, and what to do."""
    there = f"{known or 'none'} of the images that {program} predicted {'has' if known == 1 else 'have'} one"
    return (
        f"A measurement needs {MIN_IMAGES} images with known right answers, and {there}: annotate some under Known "
        "questions, import right answers, or wait until more images are finished."
    )


def _known(project: Project, program: Worker) -> list[int]:
    rows: QuerySet[ModelPrediction] = ModelPrediction.objects.filter(KNOWN, project=project, program=program)
    with_phrases = rows.filter(image__mentions__isnull=False).order_by("image__position")
    return list(dict.fromkeys(with_phrases.values_list("image", flat=True)))


DELETED = "A copy was deleted while it was being measured: measure again."


class MeasurementResult(Output):
    """All of it is simulated."""

    images: int
    with_gold: int
    """Images whose right answers are gold; else workers found them."""
    pre_annotated: int
    """Boxes of the program that were tried."""
    kept: int
    unused: list[str]
    """Reasons why boxes or links count for nothing."""
    currency: str
    paid: bool
    figures: dict[str, MeasuredFigure]
    """answers, linking and boxing of them, hours, cents, review; boxes_right, boxes_found, chains_exact."""


class CopySteps:
    """The steps of a measurement: each image is copied and finished, in each copy."""

    def __init__(self, progress: Progress, images: int) -> None:
        self._progress, self._images, self._before = progress, images, 0

    def copied(self, side: str, done: int) -> None:
        self._advance(done, f"{_titled(side)}: {done} of {self._images} images copied")

    def answered(self, side: str, finished: int, answers: int) -> None:
        words = f"{_titled(side)}: {answers:,} answers, {finished} of {self._images} images finished"
        self._advance(self._images + finished, words)

    def next_copy(self) -> None:
        self._before += 2 * self._images

    def _advance(self, done: int, words: str) -> None:
        self._progress.advance(self._before + done, 4 * self._images, words)


def _titled(side: str) -> str:
    return f"{side.capitalize()} it"


def measure_predictions(run: Run, progress: Progress) -> MeasurementResult:
    """Return the comparison. The copies stay, and those of earlier measurements are deleted.

    Raises CannotBeDone with too few known images, and Stopped; no copy is left then. Copies of a process that died
    lead to the run, so they go when the work begins again.
    """
    program = Worker.objects.get(name=run.input["program"])
    ids = drawn_images(run.project, program)
    delete_copies(run.project)
    steps = CopySteps(progress, len(ids))
    copies = []
    try:
        for side in (WITHOUT, WITH):
            copies.append(make_copy(run, side))
            _play(run.project, program, ids, copies[-1], side, steps)
            steps.next_copy()
    except SimulationError as error:
        raise CannotBeDone(str(error)) from error
    without, with_it = copies
    settings = settings_of(run)
    pre_annotated = Box.objects.filter(image__project=with_it, pre_annotated=True)
    return MeasurementResult(
        figures=compare_figures(outcomes(without), outcomes(with_it), settings),
        images=len(ids),
        with_gold=with_gold(ids),
        pre_annotated=pre_annotated.exclude(state=BoxState.PENDING.value).count(),
        kept=pre_annotated.filter(state=BoxState.ACCEPTED.value).count(),
        unused=_unused(run.project, program, settings),
        currency=settings.currency,
        paid=any(settings.reward_cents.values()),
    )


def _unused(project: Project, program: Worker, settings: Settings) -> list[str]:
    """Return why boxes or links of the program counted for nothing in its copy, where they did."""
    used = replace(settings, pre_annotations=True)
    (found,) = (judge for judge in programs(project, used) if judge.id == program.pk)
    both = (("Boxes", found.boxes), ("Links", found.links))
    return [f"{what}: {use.words}" for what, use in both if use is not None and not use.used]


def _play(project: Project, program: Worker, ids: Sequence[int], copy: Project, side: str, steps: CopySteps) -> None:
    """Fill the copy and let the crowd answer. Truths, crowd and order are drawn with the same seed in both copies."""
    numbers = iter(range(1, len(ids) + 1))
    copy_sample(project, copy, ids, seed=project.pk, step=lambda: steps.copied(side, next(numbers)))
    if side == WITH:
        give_predictions(project, program, copy, ids)
    let_answer(copy, seed=project.pk, look=_watched(copy, side, steps))
    note_end(copy)


def _watched(copy: Project, side: str, steps: CopySteps) -> Callable[[int], None]:
    answers = 0

    def look(added: int) -> None:
        nonlocal answers
        answers += added
        if not Project.objects.filter(pk=copy.pk).exists():
            raise CannotBeDone(DELETED)
        steps.answered(side, finished_images(copy), answers)

    return look
