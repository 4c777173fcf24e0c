"""Operations on a project's images: begin an import, read what it left out, and apply the lists of words to all."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from annotated_types import MaxLen
from django.conf import settings
from pydantic import Field

from accounts.may import may_read_folders
from annotation.models import Project
from annotation.rules.states import ProjectState
from exchange.checks import SourceError, source_error
from exchange.details import BoxUnit
from exchange.registry import import_formats
from projects.data.image_runs import ImageCounts, ImagesWork, counted_work
from projects.data.import_work import check_import, import_images, let_import, retype_phrases
from projects.data.sources import check_source, plain_problem, uploaded_source
from projects.models import KnownUse, Run
from projects.operation import (
    AsArgument,
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
from projects.predictions.import_predictions import LONGEST_NAME
from projects.runs import RunRow, row_of, start
from projects.uploads.files import files_folder
from runtime.installed import COMMAND, not_installed
from runtime.words import counted

SOURCE_FORMATS = import_formats()
NO_FOLDERS = "is not read: to import from folders and buckets of the server is a right that an administrator gives"


class NewImport(Input):
    source: Annotated[str, MaxLen(500), AsArgument()] = ""
    """A folder on the server or an s3:// address that an administrator allows; empty: the uploaded files."""
    use: Annotated[str, Choice(KnownUse.values), Field(title="Known chains and boxes")] = KnownUse.ANNOTATIONS.value
    """The use of known chains and boxes."""
    program: Annotated[str, MaxLen(LONGEST_NAME)] = ""
    """The program whose pre-annotations they become; empty: named after the source."""
    boxes: Annotated[str, Choice(("", *map(str, BoxUnit))), Field(title="Unit of the boxes")] = ""
    """The unit of the source's boxes: pixels, or shares of the picture from 0 to 1; empty: not given."""
    format: Annotated[str, Choice(("", *SOURCE_FORMATS)), Field(title="Format of the source")] = ""
    """The format of the source; empty: as its files show."""
    strict: bool = False
    """Refuse the whole import if there is any problem."""


class LeftOutOf(RowsAfter):
    run: int


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


def permitted_source(project: Project, source: str, caller: Caller) -> str:
    """Return the source in its plain form. Raises SourceError for one that the caller may not have read."""
    if not source:
        uploaded_source(project)
    elif caller.user is not None:
        if not may_read_folders(caller.user):
            raise source_error(source[:200], NO_FOLDERS)
        return check_source(source)
    return source


def _images(count: int) -> str:
    return f"{counted(count, 'image')} {'was' if count == 1 else 'were'}"


def _lines(run: Run) -> Iterator[str]:
    counts = ImageCounts.model_validate(run.result)
    if counts.columns:
        yield counts.columns
    vectors = ", with vectors of their phrases" if settings.PHRASE_VECTORS else ""
    images, mentions = counted(counts.images, "image"), counted(counts.mentions, "mention")
    yield f"{run.project}: {images} with {mentions} imported{vectors}."
    if counts.already_there:
        yield f"  {_images(counts.already_there)} in the project already and skipped."
    if counts.left_out:
        yield f"  {_images(counts.left_out)} left out for the reasons above."
    if counts.already_there or counts.left_out:
        in_source = counts.images + counts.already_there + counts.left_out
        yield f"  That makes {counted(in_source, 'image')} in the source."
    if counts.note:
        yield f"  {counts.note}"
    if counts.without_phrases:
        yield (
            f"  Images that wait for their phrases: {counts.without_phrases}. The packages that find them are "
            f"{not_installed('nlp')}. Then run {COMMAND} chunk_captions, or mark the phrases in the source: [a man]."
        )


@operation(
    surveys=False,
    path="imports/",
    status=201,
    refusals=(409,),
    command="import_dataset",
    say=lambda run: "The import has begun.",
    guide="formats.md",
    work=ImagesWork(do=counted_work(import_images), title="import", check=check_import, say=_lines),
)
def begin_import(project: Project, inputs: NewImport, caller: Caller) -> RunRow:
    """Import the uploaded files, or a folder or address on the server, with the images' captions."""
    source = inputs.source.strip()
    program = let_import(project, KnownUse(inputs.use), inputs.program, source)
    try:
        source = permitted_source(project, source, caller)
    except SourceError as error:
        raise Refused("invalid", plain_problem(error, files_folder(project.pk)), 400, field="source") from error
    checked = inputs.model_copy(update={"source": source, "program": program})
    return row_of(start(begin_import, project, caller, checked))


@operation(
    surveys=False,
    path="phrase-types/",
    status=201,
    refusals=(409,),
    say=lambda run: "All images are being brought to the word lists.",
    work=ImagesWork(do=counted_work(retype_phrases, "{} changed"), title="types of phrases", page="projects:preview"),
)
def apply_types(project: Project, inputs: NoInput, caller: Caller) -> RunRow:
    """Bring the phrases of all images of a draft to the present word lists."""
    if project.state != ProjectState.DRAFT.value:
        raise Refused("not_possible", "Workers have begun: change phrases on the pages of their images.")
    return row_of(start(apply_types, project, caller))


@operation(
    surveys=True,
    path="runs/<int:run>/left-out/",
    method="get",
)
def left_out(project: Project, inputs: LeftOutOf, caller: Caller) -> LeftOutImages:
    """Return what an import left out, with the reasons, after the row with the id `after`."""
    page, after = inputs.read(find_row(project.runs.all(), inputs.run, "run").problems.all())
    rows = [LeftOutImage(id=row.pk, image=row.image, file=row.file, line=row.line, why=row.message) for row in page]
    return LeftOutImages(rows=rows, after=after)
