"""Imports, and new types for the phrases of all images: the operations, their work, and what it left out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Annotated, Any

from annotated_types import MaxLen
from django.conf import settings
from django.contrib.auth.models import User
from pydantic import BaseModel, Field

from accounts.may import Action, may, may_read_folders
from annotation.archived import describe_archived_to_operators
from annotation.models import Project
from annotation.rules.states import ProjectState
from exchange.checks import SourceError, source_error
from exchange.dataset import Problem
from exchange.details import BoxUnit
from exchange.import_dataset import ImportReport, StrictImportError, import_dataset, source_in_words
from exchange.jobs import ask_for_import_help
from exchange.read_ahead import ReadAhead
from exchange.registry import import_formats
from projects.data.phrase_types import retype_images
from projects.data.sources import allowed_folders, check_source, plain_problem, uploaded_source
from projects.models import ImportProblem, KnownUse, Run
from projects.operation import (
    AsArgument,
    Caller,
    CannotBeDone,
    Choice,
    Input,
    NoInput,
    Output,
    Progress,
    Refused,
    RowsAfter,
    Work,
    find_row,
    operation,
)
from projects.predictions.import_predictions import (
    LONGEST_NAME,
    ProgramError,
    check_program,
    enter_predictions,
    enter_soon,
)
from projects.predictions.use_import import UseOfImport, let_check, program_of
from projects.runs import RunRow, row_of, start
from projects.uploads.files import files_folder, place_of, remove
from runtime.installed import COMMAND, not_installed
from runtime.words import counted

MAX_PROBLEMS = 20_000
"""Problems of which a run keeps the reasons; all are counted."""
CLOSED = (ProjectState.FINISHED.value, ProjectState.ARCHIVED.value)
IMAGES_LANE = "images"
ImagesWork = partial(
    Work,
    lane=IMAGES_LANE,
    page="projects:data",
    queue="asked",
    resumable=True,
    busy="Another import of this project has not ended yet: wait for it, or cancel it.",
)


class SourceProject(BaseModel):
    """The project that is read: its name may belong to another one by now."""

    source: str
    source_id: int


class ImageCounts(Output):
    """The images of a run."""

    images: int = 0
    """Images that were imported, changed or annotated; of items the questions."""
    mentions: int = 0
    already_there: int = 0
    left_out: int = 0
    without_phrases: int = 0
    """Images whose phrases are still to be found."""
    columns: str = ""
    """The columns of the source's table, in words."""
    note: str = ""
    """A note on the pictures of the source and on known chains and boxes."""


class ImageCounter:
    """The counts of a run, which are written with its progress. `report` is what an import counts itself."""

    def __init__(self, run: Run, progress: Progress, verb: str = "{} imported", unit: str = "image") -> None:
        """`verb` and `unit` make the sentence of what was done."""
        self.run, self.progress = run, progress
        self.report = ImportReport()
        self.images = self.without_phrases = 0
        self.note = ""
        self._verb, self._unit = verb, unit
        self._problems_kept = 0
        progress.more = self._values

    @property
    def counts(self) -> ImageCounts:
        report = self.report
        return ImageCounts(
            images=self.images + report.images,
            mentions=report.mentions,
            columns=report.columns,
            already_there=report.already_there,
            left_out=report.left_out,
            without_phrases=self.without_phrases + report.waiting_for_phrases,
            note=self.note,
        )

    def step(self, *, changed: bool = True) -> None:
        """Count an image of another kind of work."""
        self.images += changed
        self.progress.advance(self.progress.done + 1, self.progress.total)

    def _values(self) -> dict[str, Any]:
        """Return the counts as values of the row, and keep the problems that are new."""
        new = self.report.problems[self._problems_kept : MAX_PROBLEMS]
        self._problems_kept += len(new)
        if new and Run.objects.filter(pk=self.run.pk).exists():
            ImportProblem.objects.bulk_create([_row(self.run, problem) for problem in new], batch_size=500)
        self.progress.message = self._sentence()
        return {"result": self.counts.model_dump()}

    def _sentence(self) -> str:
        now = self.counts
        parts = [self._verb.format(counted(now.images, self._unit))]
        more = {"were there already": now.already_there, "left out": now.left_out}
        more["wait for phrases"] = now.without_phrases
        return ", ".join([*parts, *(f"{number:,} {words}" for words, number in more.items() if number)])


def _row(run: Run, problem: Problem) -> ImportProblem:
    return ImportProblem(
        run=run, file=problem.file[:500], line=problem.line, image=problem.image[:200], message=problem.message[:1000]
    )


def counted_work(
    do: Callable[[Run, ImageCounter], object], verb: str = "{} imported", unit: str = "image"
) -> Callable[[Run, Progress], ImageCounts]:
    """Return the work with a counter of its images, whose counts are its result."""

    def work(run: Run, progress: Progress) -> ImageCounts:
        counter = ImageCounter(run, progress, verb, unit)
        do(run, counter)
        return counter.counts

    return work


def source_of_run(run: Run) -> Project:
    """Return the project that a copy or a dry run is made of, by its id. Raises CannotBeDone if it was deleted."""
    source = Project.objects.filter(pk=run.input["source_id"]).first()
    if source is None:
        raise CannotBeDone(f"The project {run.input['source']!r}, of which this is a copy, was deleted.")
    return source


def check_source_project(run: Run, user: User) -> None:
    """Raise CannotBeDone if this account does not manage the project that is read."""
    if not may(user, Action.MANAGE, source_of_run(run)):
        raise CannotBeDone(
            f"{user} does not manage the project {run.input['source']!r} any more, of which this is a copy."
        )


SURVEY = "is a survey: it has no phrases, chains and boxes. Its items come on its page Items, or with survey_import."


def let_import(project: Project, use: KnownUse, program: str, source: str) -> str:
    """Return the name of the program that stands for the source; empty if none does.

    Raises Refused for a project that takes no images, and for a program that cannot stand for the source.
    """
    if project.survey:
        raise Refused("not_possible", f"{project.name} {SURVEY}")
    if project.away is not None:
        raise Refused("not_possible", describe_archived_to_operators(project))
    if project.state in CLOSED:
        raise Refused("not_possible", "The project is finished: reopen it before more images come in.")
    if not use.by_program:
        return ""
    program = program.strip() or program_of(source, project.name)
    try:
        check_program(program)
        if use is KnownUse.CHECK:
            let_check(project, program)
    except ProgramError as error:
        raise Refused("invalid", str(error), 400, field="program") from error
    return program


def check_import(run: Run, user: User) -> None:
    """Raise CannotBeDone if the import reads a folder, and this account may read none."""
    if run.input["source"] and not may_read_folders(user):
        raise CannotBeDone(f"{user} may not read folders and buckets of the server: an administrator gives the right.")


def import_images(run: Run, counter: ImageCounter) -> None:
    """Import the source of the run. Images that were imported stay, whatever happens.

    A command reads every folder; the runs of pages and programs those that an administrator allowed.
    """
    ImportProblem.objects.filter(run=run).delete()  # found again: what was left out is looked at in every try
    project, source, progress = run.project, run.input["source"], counter.progress
    path: Path | str = source
    use = _use_of(run)
    in_place = settings.CELERY_TASK_ALWAYS_EAGER or progress.by_command
    ahead = None if in_place else ReadAhead(project, run.key, ask_for_import_help, progress.look)
    try:
        path = source if progress.by_command else check_source(source) if source else uploaded_source(project)
        if not source:
            place_of(project.pk).bring(step=progress.look)
        import_dataset(
            project=project,
            path=path,
            source_format=run.input["format"] or None,
            strict=run.input["strict"],
            gold=use.gold,
            propose=use.propose,
            labelled=use.labelled,
            within=allowed_folders() if source and not progress.by_command else None,
            progress=progress.through,
            report=counter.report,
            ahead=ahead,
            boxes=run.input["boxes"],
        )
        if counter.report.why_nothing:
            raise CannotBeDone(counter.report.why_nothing)
        used = use.finish(project, counter.report)
    except SourceError as error:
        raise CannotBeDone(str(error) if progress.by_command else plain_problem(error, path)) from error
    except StrictImportError as error:
        raise CannotBeDone(str(error)) from error
    finally:
        if ahead:
            ahead.forget()
        if use.propose:
            # Also of an import that is stopped: its images stay.
            (enter_predictions if progress.by_command else enter_soon)(project.pk)
    counter.note = " ".join(filter(None, (source_in_words(counter.report), used)))
    if not source and not counter.report.problems:
        remove(project)


def _use_of(run: Run) -> UseOfImport:
    try:
        by = run.user.get_username() if run.user else ""
        return UseOfImport(KnownUse(run.input["use"]), run.input["program"], by=by)
    except ProgramError as error:
        raise CannotBeDone(str(error)) from error


def retype_phrases(run: Run, counter: ImageCounter) -> None:
    """Give the phrases of images that are not begun the types of the present word lists."""
    actor = run.user.get_username() if run.user else "new types"
    counter.without_phrases = retype_images(
        run.project, actor=actor, begin=counter.progress.begin, step=lambda changed: counter.step(changed=changed)
    )


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


@operation(surveys=True, path="runs/<int:run>/left-out/", method="get")
def left_out(project: Project, inputs: LeftOutOf, caller: Caller) -> LeftOutImages:
    """Return what an import left out, with the reasons, after the row with the id `after`."""
    page, after = inputs.read(find_row(project.runs.all(), inputs.run, "run").problems.all())
    rows = [LeftOutImage(id=row.pk, image=row.image, file=row.file, line=row.line, why=row.message) for row in page]
    return LeftOutImages(rows=rows, after=after)
