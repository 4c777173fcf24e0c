"""The operation that makes the corrected set of a data set that is checked, and keeps it in storage like exports."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

from annotated_types import MaxLen
from django.core.files.base import File

from annotation.models import Project
from annotation.storage import store
from exchange.leftovers import workspace
from exchange.problems import SourceError
from exchange.publish_export import FOLDER, record_state
from pipeline.project.settings_versions import current_settings
from projects.corrected.export_corrected import export_corrected
from projects.data.import_work import check_import
from projects.data.operations import permitted_source
from projects.data.sources import allowed_folders, check_source, plain_problem, uploaded_source
from projects.models import Run
from projects.operation import Caller, Input, Output, Refused, Work, operation
from projects.predictions.import_predictions import ProgramError
from projects.progress import CannotBeDone, Progress
from projects.runs import RunRow, row_of, start
from projects.uploads.files import files_folder, place_of


class NewCorrectedSet(Input):
    source: Annotated[str, MaxLen(500)] = ""
    """The data set as it was imported: a folder or an s3:// address that an administrator allows; empty: the uploaded
    files."""


class CorrectedInput(NewCorrectedSet):
    record: str
    """The state of the record of which it is made."""


class CorrectedResult(Output):
    sentences: list[str]
    """The changes, in words."""


def corrected_path(run: Run) -> str:
    """Return the name of the set in storage."""
    return f"{FOLDER}/project.{run.project_id}/corrected-{run.pk}.zip"


def _make(run: Run, progress: Progress) -> CorrectedResult:
    given = CorrectedInput.model_validate(run.input)
    path: Path | str = given.source
    with workspace() as folder:
        try:
            path = check_source(given.source) if given.source else uploaded_source(run.project)
            if not given.source:
                place_of(run.project_id).bring(step=progress.look)
            done = export_corrected(
                project=run.project,
                source=path,
                target=folder / "corrected.zip",
                within=allowed_folders() if given.source else None,
                progress=progress.through,
            )
        except SourceError as error:
            raise CannotBeDone(plain_problem(error, "" if given.source else path)) from error
        except ProgramError as error:
            raise CannotBeDone(str(error)) from error
        with (folder / "corrected.zip").open("rb") as file:
            store().save(corrected_path(run), File(file))
    return CorrectedResult(sentences=done.sentences())


def _lines(run: Run) -> Iterator[str]:
    yield from CorrectedResult.model_validate(run.result).sentences


@operation(
    surveys=False,
    path="corrected/",
    status=201,
    refusals=(409,),
    guide="../how-to/check_a_data_set.md",
    say=lambda run: "The corrected set is being made.",
    work=Work(
        do=_make,
        title="corrected set",
        lane="corrected",
        page="projects:corrected",
        queue="asked",
        check=check_import,
        say=_lines,
    ),
)
def make_corrected_set(project: Project, inputs: NewCorrectedSet, caller: Caller) -> RunRow:
    """Make the corrected set of a data set that is checked, in its own format: labels that changed are as now."""
    if not current_settings(project.pk)[1].reference_set:
        raise Refused("not_possible", "This project checks no data set.")
    try:
        source = permitted_source(project, inputs.source.strip(), caller)
    except SourceError as error:
        raise Refused("invalid", plain_problem(error, files_folder(project.pk)), 400, field="source") from error
    given = CorrectedInput(source=source, record=record_state(project))
    return row_of(start(make_corrected_set, project, caller, given))
