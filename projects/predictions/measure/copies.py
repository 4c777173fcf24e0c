"""The two scratch copies of a measurement: made, given a program's predictions, and deleted."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

from django.db import transaction

from annotation.models import Image, Project
from pipeline.project.settings_versions import all_settings
from pipeline.settings.settings import Settings
from projects.lifecycle.copy_project import places_in_copy
from projects.lifecycle.dry_run import NotDryError, before_the_answers, delete_dry_run, make_dry_run
from projects.models import ImportRun, ModelMeasurement, ModelPrediction
from projects.predictions.enter_predictions import enter_predictions
from runtime import clock

WITHOUT, WITH = "without", "with"


@transaction.atomic
def make_copy(row: ModelMeasurement, side: str) -> Project:
    """Make a copy without images, and note it in the row. It spends no money, so it has no spend cap."""
    settings = replace(settings_of(row), pre_annotations=side == WITH, spend_cap_cents=0)
    copy = make_dry_run(
        row.project,
        row.user,
        suffix=f"{side}-model",
        about=f" {side} {row.program.name}",
        settings=settings,
    )
    now = clock.now()
    ImportRun.objects.create(
        project=copy,
        user=row.user,
        kind=ImportRun.Kind.DRY_RUN,
        source=row.project.name,
        source_project=row.project,
        state=ImportRun.State.DONE,
        begun_at=now,
        ended_at=now,
    )
    setattr(row, f"copy_{side}", copy)
    row.save(update_fields=[f"copy_{side}"])
    return copy


def settings_of(row: ModelMeasurement) -> Settings:
    """Return the settings from which the measurement began: both copies have them, even if a refit adds others."""
    return all_settings(row.project_id)[row.settings_version]


def note_end(copy: Project) -> None:
    """Note in the run of the copy, which its page shows, that all images are annotated."""
    images = copy.images.count()
    runs = ImportRun.objects.filter(project=copy, kind=ImportRun.Kind.DRY_RUN)
    runs.update(images=images, done=2 * images, total=2 * images, ended_at=clock.now())


def give_predictions(row: ModelMeasurement, copy: Project, ids: Sequence[int]) -> None:
    """Enter what the program predicted for these images in the records of their copies, as an import does."""
    copies = dict(copy.images.values_list("name", "pk"))
    rows = ModelPrediction.objects.filter(project=row.project, program=row.program, image__in=ids)
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
    for row in ModelMeasurement.objects.filter(project=project).select_related("copy_without", "copy_with"):
        delete_these([row.copy_without, row.copy_with])


def delete_these(copies: Sequence[Project | None]) -> None:
    """Delete copies that are still there. One in which a person has worked stays."""
    for copy in Project.objects.filter(pk__in=[copy.pk for copy in copies if copy is not None]):
        with suppress(NotDryError, Project.DoesNotExist):
            delete_dry_run(copy)
