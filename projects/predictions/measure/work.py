"""Work on a measurement: two scratch copies, a simulated crowd that answers in both, and the comparison."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from django.contrib.auth.models import User
from django.db import DatabaseError

from annotation.models import Box, Project
from annotation.rules.states import BoxState
from pipeline.project.settings_versions import current_settings
from pipeline.settings.settings import Settings
from projects.lifecycle.dry_run import copy_sample, let_answer
from projects.long_work import CannotBeDone, Watch, begin, long_job
from projects.models import ModelMeasurement
from projects.predictions.measure.copies import (
    WITH,
    WITHOUT,
    delete_copies,
    delete_these,
    give_predictions,
    make_copy,
    note_end,
    settings_of,
)
from projects.predictions.measure.known_images import drawn_images, with_gold
from projects.predictions.measure.outcome import compare, finished_images, outcomes
from projects.predictions.scores import programs
from simulation.simulate import SimulationError
from workers.models import Worker

DELETED = "A copy was deleted while it was being measured: measure again."


class Told:
    """The steps of a measurement, told to its row: each image is copied and finished, in each copy."""

    def __init__(self, watch: Watch, images: int) -> None:
        self._watch, self._images, self._before = watch, images, 0

    def copied(self, side: str, done: int) -> None:
        self._tell(done, f"{_titled(side)}: {done} of {self._images} images copied")

    def answered(self, side: str, finished: int, answers: int) -> None:
        words = f"{_titled(side)}: {answers:,} answers, {finished} of {self._images} images finished"
        self._tell(self._images + finished, words)

    def next_copy(self) -> None:
        self._before += 2 * self._images

    def _tell(self, done: int, words: str) -> None:
        self._watch.tell(self._before + done, 4 * self._images, doing=words)


def _titled(side: str) -> str:
    return f"{side.capitalize()} it"


def measure(row: ModelMeasurement, watch: Watch) -> dict[str, Any]:
    """Return the comparison: values of the row. The copies stay, and those of earlier measurements are deleted.

    Raises CannotBeDone with too few known images, and Stopped; no copy is left then. Copies of a process that died
    were noted in the row, so they go when the work begins again.
    """
    ids = drawn_images(row.project, row.program)
    delete_copies(row.project)
    made: list[Project] = []
    try:
        return {"values": _measured(row, ids, Told(watch, len(ids)), made), "doing": ""}
    except DatabaseError:
        raise  # it begins again
    except Exception as error:
        delete_these(made)
        if isinstance(error, SimulationError):
            raise CannotBeDone(str(error)) from error
        raise


def _measured(row: ModelMeasurement, ids: Sequence[int], told: Told, made: list[Project]) -> dict[str, Any]:
    for side in (WITHOUT, WITH):
        made.append(make_copy(row, side))
        _play(row, ids, made[-1], side, told)
        told.next_copy()
    without, with_it = made
    settings = settings_of(row)
    pre_annotated = Box.objects.filter(image__project=with_it, pre_annotated=True)
    return {
        "figures": compare(outcomes(without), outcomes(with_it), settings),
        "images": len(ids),
        "with_gold": with_gold(ids),
        "pre_annotated": pre_annotated.exclude(state=BoxState.PENDING.value).count(),
        "kept": pre_annotated.filter(state=BoxState.ACCEPTED.value).count(),
        "unused": _unused(row, settings),
        "currency": settings.currency,
        "paid": any(settings.reward_cents.values()),
    }


def _unused(row: ModelMeasurement, settings: Settings) -> list[str]:
    """Return why boxes or links of the program counted for nothing in its copy, where they did."""
    used = replace(settings, pre_annotations=True)
    (program,) = (program for program in programs(row.project, used) if program.id == row.program_id)
    both = (("Boxes", program.boxes), ("Links", program.links))
    return [f"{what}: {use.words}" for what, use in both if use is not None and not use.used]


def _play(row: ModelMeasurement, ids: Sequence[int], copy: Project, side: str, told: Told) -> None:
    """Fill the copy and let the crowd answer. Truths, crowd and order are drawn with the same seed in both copies."""
    steps = iter(range(1, len(ids) + 1))
    copy_sample(row.project, copy, ids, seed=row.project_id, step=lambda: told.copied(side, next(steps)))
    if side == WITH:
        give_predictions(row, copy, ids)
    let_answer(copy, seed=row.project_id, look=_watched(copy, side, told))
    note_end(copy)


def _watched(copy: Project, side: str, told: Told) -> Callable[[int], None]:
    answers = 0

    def look(added: int) -> None:
        nonlocal answers
        answers += added
        if not Project.objects.filter(pk=copy.pk).exists():
            raise CannotBeDone(DELETED)
        told.answered(side, finished_images(copy), answers)

    return look


measure_job = long_job("projects.measure", ModelMeasurement, measure)


class NotMeasurableError(ValueError):
    """The program cannot be measured in this project; the message says why."""


def begin_measurement(
    project: Project, program: Worker | None, user: User | None, *, at_once: bool = True
) -> ModelMeasurement:
    """Make a row and request the work. `program`: one with predictions in the project; None: there is no such.

    Raises NotMeasurableError, and BusyError while another measurement has not ended.
    """
    if project.dry_run:
        raise NotMeasurableError("This is a dry run already: measure programs in the project itself.")
    if program is None:
        raise NotMeasurableError("This program has predicted nothing in this project.")
    version = current_settings(project.pk)[0]
    what: dict[str, Any] = {"project": project, "user": user, "program": program, "settings_version": version}
    return begin(ModelMeasurement, measure_job, at_once=at_once, **what)
