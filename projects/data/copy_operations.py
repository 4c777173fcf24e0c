"""Operations that copy a project's images into another project: a copy, and a dry run, which is a scratch copy."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from annotated_types import MaxLen
from django.db import transaction
from pydantic import Field

from accounts.models import RightKind
from annotation.models import Project
from pipeline.project.settings_versions import NameTakenError
from projects.data.operations import (
    ImageCounter,
    ImagesWork,
    SourceProject,
    check_source_project,
    counted_work,
    source_of_run,
)
from projects.lifecycle.copies import (
    DRY_RUN_NAME,
    NotDryError,
    copy_images,
    copy_project,
    delete_dry_run,
    make_dry_run,
    play,
)
from projects.lifecycle.operations import name_taken, new_project_name
from projects.models import Run
from projects.operation import Caller, CannotBeDone, Input, NoInput, Output, Refused, operation
from projects.runs import RunRow, row_of, send_run, start
from runtime.words import counted
from simulation.simulate import SimulationError


class NewCopy(Input):
    title: Annotated[str, MaxLen(200)]
    """As people read it."""
    name: Annotated[str, MaxLen(100)] = ""
    """In addresses and commands: letters, digits, - and _. Left empty, it is made from the title."""
    images: Annotated[bool, Field(title="Copy the images, too")] = False
    """With captions, phrases and pictures, and nobody's answers."""


class CopiedProject(Output):
    name: str
    title: str
    run: RunRow | None
    """The work of copying the images; null: none are copied."""


class DeletedDryRun(Output):
    title: str


def _source(project: Project) -> SourceProject:
    return SourceProject(source=project.name, source_id=project.pk)


def _copy(run: Run, counter: ImageCounter) -> None:
    copy_images(source_of_run(run), run.project, begin=counter.progress.begin, step=lambda: counter.step())


def _play(run: Run, counter: ImageCounter) -> None:
    progress = counter.progress
    try:
        play(source_of_run(run), run.project, begin=progress.begin, step=lambda: counter.step(), look=progress.look)
    except SimulationError as error:
        raise CannotBeDone(str(error)) from error


def _dry_counts(run: Run) -> str:
    """Return how far a dry run is. Each image is counted twice: copied, and annotated."""
    images = max(run.total, run.done) // 2
    if run.done < images:
        return f"{run.done} of {images} images copied"
    return f"{run.done - images} of {images} images annotated"


def _lines(run: Run) -> Iterator[str]:
    yield f"Made {run.project.name}: simulated workers have annotated {counted(run.project.images.count(), 'image')}."


@operation(
    name="copy_project",
    surveys=False,
    right=RightKind.PROJECTS,
    path="copies/",
    status=201,
    refusals=(409,),
    say=lambda made: f"The draft {made.name} is there.",
    work=ImagesWork(do=counted_work(_copy), title="copy", check=check_source_project),
)
def begin_copy(project: Project, inputs: NewCopy, caller: Caller) -> CopiedProject:
    """Make a draft with the settings and terms of a project."""
    name = new_project_name(inputs.name, inputs.title)
    try:
        made = copy_project(project, name=name, title=inputs.title, user=caller.user)
    except NameTakenError as error:
        raise name_taken(error) from error
    run = start(begin_copy, made, caller, _source(project)) if inputs.images else None
    return CopiedProject(name=made.name, title=made.title, run=row_of(run) if run else None)


@operation(
    name=DRY_RUN_NAME,
    surveys=False,
    path="dry-runs/",
    status=201,
    refusals=(409,),
    command="dry_run",
    say=lambda run: f"The dry run {run.project} has begun.",
    work=ImagesWork(
        do=counted_work(_play, "{} copied"), title="dry run", check=check_source_project, counts=_dry_counts, say=_lines
    ),
)
def begin_dry_run(project: Project, inputs: NoInput, caller: Caller) -> RunRow:
    """Make a dry run: a scratch copy of some images, in which simulated workers answer everything."""
    if project.dry_run:
        raise Refused("not_possible", "This is a dry run already: make one of the project itself.")
    if not project.images.filter(mentions__isnull=False).exists():
        raise Refused("not_possible", "No image has phrases yet: a dry run needs some.")
    with transaction.atomic():
        # A second press waits for the first, and gets its dry run while that is open.
        Project.objects.select_for_update(no_key=True).get(pk=project.pk)
        mine = Run.objects.filter(operation=DRY_RUN_NAME, input__source_id=project.pk, user=caller.user)
        if caller.user is not None and (run := mine.filter(state__in=Run.OPEN).first()):
            return row_of(run)
        run = start(begin_dry_run, make_dry_run(project, caller.user), caller, _source(project), send=False)
    if not caller.runs_command:
        send_run(run)
    return row_of(run)


@operation(
    name="delete_dry_run",
    surveys=False,
    path="dry-run/",
    method="delete",
    refusals=(409,),
    command="delete_dry_run",
    say=lambda deleted: f"{deleted.title} was deleted.",
)
def delete_scratch(project: Project, inputs: NoInput, caller: Caller) -> DeletedDryRun:
    """Delete a dry run with everything in it. Nothing in it was made by people."""
    title = project.title
    try:
        delete_dry_run(project)
    except NotDryError as error:
        raise Refused("not_possible", str(error)) from error
    return DeletedDryRun(title=title)
