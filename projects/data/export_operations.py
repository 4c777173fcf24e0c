"""Operations that make files to download: an export with its options, and the corrected set of a check."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path, PurePath
from typing import Annotated, Any

from annotated_types import Ge, Le, MaxLen
from django.core.files.base import File
from django.urls import reverse
from pydantic import Field

from accounts.may import Action
from accounts.models import Scope
from annotation.models import Project
from annotation.storage import store
from exchange.checks import SourceError
from exchange.export_dataset import check_options
from exchange.export_options import AS_THEY_CAME, ExportOptions, draw_splits, parts_by_image, read_shares, read_splits
from exchange.formats.format import EVERY_OPTION
from exchange.jobs import ask_for
from exchange.leftovers import workspace
from exchange.publish_export import FOLDER, PublishedExport, archive_called, archive_now, record_state
from exchange.registry import FORMATS, corrected_formats, export_formats
from pipeline.project.settings_versions import current_settings
from projects.corrected.export_corrected import export_corrected
from projects.data.operations import check_import, permitted_source
from projects.data.sources import allowed_folders, check_source, plain_problem, uploaded_source
from projects.gallery.access import needed_for
from projects.models import Run
from projects.operation import (
    AsArgument,
    AsOption,
    Caller,
    CannotBeDone,
    Choice,
    Input,
    MaxSize,
    Output,
    Progress,
    Refused,
    SentFile,
    Work,
    find_project,
    operation,
)
from projects.predictions.import_predictions import ProgramError
from projects.runs import RunRow, row_of, start
from projects.uploads.files import files_folder, place_of
from runtime.models import JobRun


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


def source_of(project: Project, inputs: NewCorrectedSet, look: Callable[[], object] = lambda: None) -> Path | str:
    """Return the source. Uploaded files are brought to this machine; `look` is called meanwhile."""
    if inputs.source:
        return inputs.source
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
        say=lambda run: CorrectedResult.model_validate(run.result).sentences,
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


EXPORT_FORMATS = export_formats()
LEAST_SIDE = 16
"""Pixels."""
MAX_SPLITS = MaxSize(page=10_000_000, command=500_000_000)


def _about_formats() -> str:
    """Return the help of the choice of a format: which options of exports a format does not have."""
    lacking = {name: sorted(EVERY_OPTION - FORMATS[name].options) for name in EXPORT_FORMATS}
    lacks = (f"{name} has no option {', '.join(options)}" for name, options in lacking.items() if options)
    return f"Format of the data set; {'; '.join(lacks)}."


ExportFormat = Annotated[str, Choice(EXPORT_FORMATS), AsOption(), Field(description=_about_formats())]


class NewExport(Input):
    format: ExportFormat
    include_unmerged: Annotated[bool, Field(title="Unfinished images, too")] = False
    """Include images that are not finished, as they are annotated so far."""
    images: tuple[Annotated[str, MaxLen(500)], ...] = ()
    """The names of the images to export; empty: all."""
    pictures: Annotated[bool, Field(title="Pictures, too")] = False
    """Write the pictures as they were imported."""
    longest_side: Annotated[
        Annotated[int, Ge(LEAST_SIDE)] | None, Field(title="Longest side of the pictures, in pixels")
    ] = None
    """Write the pictures, with this longest side; empty: as they were imported, if at all."""
    splits: Annotated[Annotated[SentFile, AsOption(), MAX_SPLITS] | None, Field(title="Parts of the images")] = None
    """A file with lines IMAGE,PART, such as 0001.jpg,train: each part becomes an export of its own."""
    parts: dict[str, str] = Field(default_factory=dict)
    """The part of each image, by its name, in the place of a file: each becomes an export of its own."""
    shares: Annotated[str, MaxLen(1000), Field(title="Shares of the parts")] = ""
    """Draw the parts, such as train=0.8,val=0.1,test=0.1."""
    seed: Annotated[int, Field(title="Seed of the draw")] = 0
    """Seed of the draw."""
    min_confidence: Annotated[float, Ge(0), Le(1), Field(title="Minimum confidence")] = 0.0
    """Leave boxes out that are less sure, from 0 to 1."""
    people_only: Annotated[bool, Field(title="Boxes of people only")] = False
    """Leave boxes out that no person drew or judged."""
    negatives: Annotated[bool, Field(title="Negative phrases, too")] = False
    """Write phrases of which nothing in the picture can be boxed, marked as negatives."""


class ExportName(Input):
    export_format: ExportFormat  # `format` in an address chooses how Django REST framework renders
    record: str
    """The name of the archive: the state of the record that it holds, and a digest of its options."""


class ExportState(Output):
    format: str
    record: str
    """The name of the archive: the state of the record that it holds, and a digest of its options."""
    state: Annotated[str, Choice(JobRun.State.values)]
    problem: str
    file: str
    """Address of the archive; empty while it is being made."""


def check_format(project: Project, export_format: str, caller: Caller) -> None:
    """Raise Refused if the caller may not have exports in the format, which may hold each worker's answers."""
    find_project(project.name, caller, needed_for(export_format))


def export_choices(project: Project, inputs: NewExport, caller: Caller) -> tuple[frozenset[int] | None, ExportOptions]:
    """Return the ids of the images that may go in, None for all, and the options.

    Raises Refused for a format that the caller may not have, for options that it does not take, and for images that
    are not there.
    """
    check_format(project, inputs.format, caller)
    data_format = FORMATS[inputs.format]
    pictures = inputs.longest_side or (AS_THEY_CAME if inputs.pictures else None)
    if data_format.with_pictures and pictures == AS_THEY_CAME:
        pictures = None  # they go with it always
    try:
        options = ExportOptions(
            pictures, _splits(project, inputs), inputs.min_confidence, inputs.people_only, inputs.negatives
        )
        check_options(data_format, options)
        return _images(project, inputs.images), options
    except ValueError as error:
        raise Refused("invalid", str(error), 400) from error


def _images(project: Project, names: Sequence[str]) -> frozenset[int] | None:
    known, ids = _known_names(project), dict(project.images.values_list("name", "pk"))
    if unknown := next((name for name in names if name not in known), None):
        raise ValueError(f"The project has no image {unknown[:60]!r}.")
    return frozenset(ids[known[name]] for name in names) if names else None


def _splits(project: Project, inputs: NewExport) -> dict[str, str]:
    if sum(map(bool, (inputs.splits, inputs.parts, inputs.shares))) > 1:
        raise ValueError("Give the parts of the images, or shares to draw them by, not both.")
    if inputs.splits:
        rows = read_splits(PurePath(inputs.splits.name).name, inputs.splits.data)
        return parts_by_image(rows, _known_names(project))
    if inputs.parts:
        return parts_by_image((("parts", *row) for row in inputs.parts.items()), _known_names(project))
    if inputs.shares:
        names = project.images.order_by("position").values_list("name", flat=True)
        return draw_splits(read_shares(inputs.shares), inputs.seed, names)
    return {}


def _known_names(project: Project) -> Mapping[str, str]:
    """Return the names of the project's images, by themselves and by the paths of their files in the import."""
    rows = list(project.images.order_by("position").values_list("name", "path"))
    return {path: name for name, path in rows if path} | {name: name for name, _ in rows}


@operation(
    surveys=False,
    path="exports/",
    status=202,
    action=Action.EXPORT,
    needed_scope=Scope.EXPORT,
    command="export_dataset",
    guide="formats.md#exports",
    say=lambda made: "The export is there." if made.file else "The export is being made.",
)
def make_export(project: Project, inputs: NewExport, caller: Caller) -> ExportState:
    """Export the finished images as they are now. Equal exports of one state of the record are made once."""
    images, options = export_choices(project, inputs, caller)
    unfinished = inputs.include_unmerged
    archive = archive_now(project, inputs.format, images=images, include_unmerged=unfinished, options=options)
    return state_of(archive, None if archive.is_there() else ask_for(archive))


@operation(
    name="export",
    surveys=False,
    path="exports/<str:export_format>/<str:record>/",
    method="get",
    action=Action.EXPORT,
    needed_scope=Scope.EXPORT,
)
def read_export(project: Project, inputs: ExportName, caller: Caller) -> ExportState:
    """Look whether an archive is there. Its `file` is then the address to download it from."""
    check_format(project, inputs.export_format, caller)
    archive = archive_called(project, inputs.export_format, inputs.record)
    if archive is None:
        raise Refused("not_found", "Nobody asked for this archive: ask for it first.", 404)
    return state_of(archive, archive.run())


def state_of(archive: PublishedExport, run: JobRun | None) -> ExportState:
    """Return whether the archive is there. `run`: the work of making it, if it is being made."""
    is_there = archive.is_there()
    address = reverse("requester_api:export_file", args=[archive.project.name, archive.export_format, archive.name])
    return ExportState(
        format=archive.export_format,
        record=archive.name,
        state=JobRun.State.DONE.value if is_there or run is None else run.state,
        problem="" if is_there or run is None else run.problem,
        file=address if is_there else "",
    )
