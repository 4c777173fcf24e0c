"""Images on which a program can be measured: it predicted them, and their right answers are known."""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from django.db.models import Count, Max, Q, QuerySet

from annotation.models import Gold, Project
from annotation.rules.states import ImageState
from projects.models import ModelPrediction
from projects.progress import CannotBeDone
from simulation.predict.read_project import draw_images
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
