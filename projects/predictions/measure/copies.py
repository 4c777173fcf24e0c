"""The two scratch copies of a measurement: made, given a program's predictions, and deleted."""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import replace

from django.db import transaction

from annotation.models import Image, Project
from pipeline.project.settings_versions import all_settings
from pipeline.settings.settings import Settings
from projects.lifecycle.copy_project import places_in_copy
from projects.lifecycle.dry_run import DRY_RUN_NAME, NotDryError, before_the_answers, delete_dry_run, make_dry_run
from projects.models import ModelPrediction, Run
from projects.predictions.enter_predictions import enter_predictions
from runtime import clock
from workers.models import Worker

WITHOUT, WITH = "without", "with"
MEASUREMENT = "begin_measurement"
"""The operation that makes copies."""


@transaction.atomic
def make_copy(run: Run, side: str) -> Project:
    """Make a copy without images, with a run that leads from it to the measurement. It spends no money, so it has no
    spend cap."""
    settings = replace(settings_of(run), pre_annotations=side == WITH, spend_cap_cents=0)
    copy = make_dry_run(
        run.project,
        run.user,
        suffix=f"{side}-model",
        about=f" {side} {run.input['program']}",
        settings=settings,
    )
    now = clock.now()
    source = {"source": run.project.name, "source_id": run.project_id, "measurement": run.pk, "side": side}
    Run.objects.create(
        project=copy,
        user=run.user,
        operation=DRY_RUN_NAME,
        lane="images",
        input=source,
        state=Run.State.DONE,
        begun_at=now,
        ended_at=now,
    )
    return copy


def settings_of(run: Run) -> Settings:
    """Return the settings from which the measurement began: both copies have them, even if a refit adds others."""
    return all_settings(run.project_id)[run.input["settings_version"]]


def copies_of(runs: Iterable[Run]) -> dict[tuple[int, str], Project]:
    """Return the copies of these measurements that are still there, by the measurement's number and the side."""
    rows = Run.objects.filter(operation=DRY_RUN_NAME, input__measurement__in=[run.pk for run in runs])
    return {(row.input["measurement"], row.input["side"]): row.project for row in rows.select_related("project")}


def note_end(copy: Project) -> None:
    """Note in the run of the copy, which its page shows, that all images are annotated."""
    images = copy.images.count()
    runs = Run.objects.filter(project=copy, operation=DRY_RUN_NAME)
    runs.update(result={"images": images}, done=2 * images, total=2 * images, ended_at=clock.now())


def give_predictions(project: Project, program: Worker, copy: Project, ids: Sequence[int]) -> None:
    """Enter what the program predicted for these images in the records of their copies, as an import does."""
    copies = dict(copy.images.values_list("name", "pk"))
    rows = ModelPrediction.objects.filter(project=project, program=program, image__in=ids)
    images = Image.objects.filter(pk__in=ids).prefetch_related("mentions__caption").in_bulk()
    with before_the_answers():
        ModelPrediction.objects.bulk_create(
            _renumbered(row, images[row.image_id], copy, copies[images[row.image_id].name]) for row in rows
        )
        enter_predictions(copy.pk)


def _renumbered(one: ModelPrediction, image: Image, copy: Project, image_id: int) -> ModelPrediction:
    """Return the prediction for the copy of its image, whose phrases are numbered anew; removed ones are left out."""
    places = places_in_copy(image.mentions.all())
    chains = [[places[number] for number in chain if number in places] for chain in one.chains]
    return ModelPrediction(
        project=copy,
        program_id=one.program_id,
        image_id=image_id,
        boxes=[[places[number], *rest] for number, *rest in one.boxes if number in places],
        chains=[chain for chain in chains if chain],
        made_by=one.made_by,
    )


def delete_copies(project: Project) -> None:
    """Delete the copies of all measurements of the project."""
    _delete(copies_of(project.runs.filter(operation=MEASUREMENT)).values())


def delete_copies_of(run: Run) -> None:
    """Delete the copies of this measurement."""
    _delete(copies_of([run]).values())


def _delete(copies: Iterable[Project]) -> None:
    """Delete copies. One in which a person has worked stays."""
    for copy in copies:
        with suppress(NotDryError, Project.DoesNotExist):
            delete_dry_run(copy)
