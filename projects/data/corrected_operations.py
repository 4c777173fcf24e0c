"""The operation that makes the corrected set of a data set that is checked, and keeps it in storage like exports."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Any

from annotated_types import MaxLen
from django.core.files.base import File
from pydantic import Field

from annotation.models import Project
from annotation.storage import store
from exchange.checks import SourceError
from exchange.leftovers import workspace
from exchange.publish_export import FOLDER, record_state
from exchange.registry import corrected_formats
from pipeline.project.settings_versions import current_settings
from projects.corrected.export_corrected import export_corrected
from projects.data.import_work import check_import
from projects.data.operations import permitted_source
from projects.data.sources import allowed_folders, check_source, plain_problem, uploaded_source
from projects.models import Run
from projects.operation import AsArgument, Caller, Choice, Input, Output, Refused, Work, operation
from projects.predictions.import_predictions import ProgramError
from projects.progress import CannotBeDone, Progress
from projects.runs import RunRow, row_of, start
from projects.uploads.files import files_folder, place_of


class NewCorrectedSet(Input):
    source: Annotated[str, MaxLen(500), AsArgument()] = ""
    """The data set as it was imported: a folder or an s3:// address that an administrator allows; empty: the uploaded
    files."""
    format: Annotated[str, Choice(("", *corrected_formats())), Field(title="Format of the source")] = ""
    """The format of the source; empty: as its files show."""
    pictures: Annotated[bool, Field(title="Pictures, too")] = False
    """Copy the pictures, too."""
    part: Annotated[bool, Field(title="One of several sources")] = False
    """The source is one of several from which the project was imported."""

    @property
    def options(self) -> dict[str, Any]:
        """The options, as `export_corrected` takes them."""
        return {"source_format": self.format or None, "pictures": self.pictures, "part": self.part}


class CorrectedInput(NewCorrectedSet):
    record: str
    """The state of the record of which it is made."""


class CorrectedResult(Output):
    sentences: list[str]
    """The changes, in words."""


def corrected_path(run: Run) -> str:
    """Return the name of the set in storage."""
    return f"{FOLDER}/project.{run.project_id}/corrected-{run.pk}.zip"


def source_of(project: Project, given: NewCorrectedSet, look: Callable[[], object] = lambda: None) -> Path | str:
    """Return the source. Uploaded files are brought to this machine; `look` is called meanwhile."""
    if given.source:
        return given.source
    place_of(project.pk).bring(step=look)
    return uploaded_source(project)


def _make(run: Run, progress: Progress) -> CorrectedResult:
    given = CorrectedInput.model_validate(run.input)
    with workspace() as folder:
        target = folder / "corrected.zip"
        try:
            within = allowed_folders() if given.source and check_source(given.source) else None
            source = source_of(run.project, given, progress.look)
            options = {"target": target, "within": within, "progress": progress.through, **given.options}
            done = export_corrected(project=run.project, source=source, **options)
        except SourceError as error:
            raise CannotBeDone(plain_problem(error, files_folder(run.project_id))) from error
        except ProgramError as error:
            raise CannotBeDone(str(error)) from error
        with target.open("rb") as file:
            store().save(corrected_path(run), File(file))
    return CorrectedResult(sentences=done.sentences())


def _lines(run: Run) -> Iterator[str]:
    yield from CorrectedResult.model_validate(run.result).sentences


@operation(
    surveys=False,
    path="corrected/",
    status=201,
    refusals=(409,),
    command="export_corrected",
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
    given = checked_input(project, inputs, caller)
    return row_of(start(make_corrected_set, project, caller, given))


def checked_input(project: Project, inputs: NewCorrectedSet, caller: Caller) -> CorrectedInput:
    """Return the input with the source in its plain form. Raises Refused for one that the caller may not have read."""
    if not current_settings(project.pk)[1].reference_set:
        raise Refused("not_possible", "This project checks no data set.")
    try:
        source = permitted_source(project, inputs.source.strip(), caller)
    except SourceError as error:
        raise Refused("invalid", plain_problem(error, files_folder(project.pk)), 400, field="source") from error
    return CorrectedInput(**{**inputs.model_dump(), "source": source}, record=record_state(project))
