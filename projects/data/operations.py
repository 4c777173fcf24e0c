"""Operations on imports: begin one, see how far it is, pause, resume or cancel it, and read what it left out."""

from __future__ import annotations

from typing import Annotated, Literal

from annotated_types import MaxLen
from pydantic import Field, RootModel

from annotation.models import Project
from exchange.details import BoxUnit
from exchange.problems import SourceError
from projects.data import runs
from projects.data.runs import WISHES, resume, standing, standings
from projects.data.sources import plain_problem
from projects.long_work import BusyError, stop
from projects.models import ImportRun, KnownUse
from projects.operation import (
    Caller,
    Choice,
    Input,
    NoInput,
    Output,
    Refused,
    RowsAfter,
    find_row,
    operation,
)
from projects.predictions.import_predictions import LONGEST_NAME, ProgramError
from projects.uploads.files import files_folder

MAX_LISTED = 20
"""The newest imports that a list shows."""
IN_JSON_OF_PAGE = {"already_there": "alreadyThere", "left_out": "leftOut", "without_phrases": "withoutPhrases"}


class NewImport(Input):
    source: Annotated[str, MaxLen(500)] = ""
    """A folder on the server or an s3:// address that an administrator allows; empty: the uploaded files."""
    use: Annotated[str, Choice(KnownUse.values), Field(title="Known chains and boxes")] = KnownUse.ANNOTATIONS.value
    """The use of known chains and boxes."""
    program: Annotated[str, MaxLen(LONGEST_NAME)] = ""
    """The program whose pre-annotations they become; empty: named after the source."""
    boxes: Annotated[str, Choice(("", *map(str, BoxUnit))), Field(title="Unit of the boxes")] = ""
    """The unit of the source's boxes: pixels, or shares of the picture from 0 to 1; empty: not given."""


class ImportNumber(Input):
    run: int


class SteerImport(ImportNumber):
    wish: Literal["pause", "resume", "cancel"]


class LeftOutOf(RowsAfter, ImportNumber):
    pass


class ImportProgress(Output):
    id: int
    kind: Annotated[str, Choice(ImportRun.Kind.values)]
    state: Annotated[str, Choice(ImportRun.State.values)]
    wanted: str
    """A wish that is still to be met: pause, cancel, or empty."""
    done: int
    """Images that were looked at."""
    total: int
    """About as many images as there are."""
    images: int
    """Images that were imported."""
    already_there: int
    left_out: int
    without_phrases: int
    """Images whose phrases are still to be found."""
    note: str
    """A note on the pictures of the source and on known chains and boxes."""
    problem: str
    """The reason why the import failed."""
    seconds: float
    """Seconds since it began to work, or that it took."""
    counts: str
    """The progress, in words."""


class ImportsProgress(RootModel[list[ImportProgress]]):
    pass


class LeftOutImage(Output):
    id: int
    image: str
    file: str
    line: int | None
    why: str


class LeftOutImages(Output):
    rows: list[LeftOutImage]
    after: int | None
    """Ask for the next rows with it; null: no more."""


@operation(
    name="begin_import",
    surveys=False,
    path="imports/",
    status=201,
    refusals=(409,),
    say=lambda run: "The import has begun.",
    guide="formats.md",
)
def import_data(project: Project, inputs: NewImport, caller: Caller) -> ImportProgress:
    """Begin an import of the uploaded files, or of a folder or address on the server."""
    source = inputs.source.strip()
    try:
        run = runs.begin_import(
            project, caller.user, source, use=inputs.use, program=inputs.program.strip(), boxes=inputs.boxes
        )
    except SourceError as error:
        raise Refused("invalid", plain_problem(error, files_folder(project.pk)), 400, field="source") from error
    except ProgramError as error:
        raise Refused("invalid", str(error), 400, field="program") from error
    except BusyError as error:
        raise Refused("busy_importing", str(error)) from error
    return _progress(standing(run))


@operation(name="imports", surveys=True, path="imports/", method="get")
def list_imports(project: Project, inputs: NoInput, caller: Caller) -> ImportsProgress:
    """List the newest imports, the newest first, with other work on all images: new types, a copy."""
    newest = list(project.import_runs.order_by("-id")[:MAX_LISTED])
    return ImportsProgress([_progress(each) for each in standings(newest)])


@operation(name="import", surveys=True, path="imports/<int:run>/", method="get")
def read_import(project: Project, inputs: ImportNumber, caller: Caller) -> ImportProgress:
    """Return how far an import is."""
    return _progress(standing(_run(project, inputs)))


@operation(
    surveys=True,
    path="imports/<int:run>/",
    refusals=(409,),
    command="steer_import",
    say=lambda run: f"The import is {run.state}: {run.counts}.",
)
def steer_import(project: Project, inputs: SteerImport, caller: Caller) -> ImportProgress:
    """Pause, resume or cancel an import. One that works stops after the present image."""
    run = _run(project, inputs)
    try:
        if inputs.wish in WISHES:
            stop(run, WISHES[inputs.wish])
        else:
            resume(run, caller.user)
    except BusyError as error:
        raise Refused("busy_importing", str(error)) from error
    run.refresh_from_db()
    return _progress(standing(run))


@operation(surveys=True, path="imports/<int:run>/left-out/", method="get")
def left_out(project: Project, inputs: LeftOutOf, caller: Caller) -> LeftOutImages:
    """Return what an import left out, with the reasons, after the row with the id `after`."""
    page, after = inputs.read(_run(project, inputs).problems.all())
    rows = [LeftOutImage(id=row.pk, image=row.image, file=row.file, line=row.line, why=row.message) for row in page]
    return LeftOutImages(rows=rows, after=after)


def _run(project: Project, inputs: ImportNumber) -> ImportRun:
    return find_row(project.import_runs.all(), inputs.run, "import")


def _progress(values: dict[str, object]) -> ImportProgress:
    return ImportProgress.model_validate(
        {name: values[IN_JSON_OF_PAGE.get(name, name)] for name in ImportProgress.model_fields}
    )
