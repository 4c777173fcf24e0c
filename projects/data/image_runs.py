"""Runs of work on all of a project's images: their counts, what they leave out, and the projects that they read."""

from collections.abc import Callable
from functools import partial
from typing import Any

from django.contrib.auth.models import User
from pydantic import BaseModel

from accounts.may import Action, may
from annotation.models import Project
from annotation.rules.states import ProjectState
from exchange.dataset import Problem
from exchange.import_dataset import ImportReport
from projects.models import ImportProblem, Run
from projects.operation import Output, Work
from projects.progress import CannotBeDone, Progress
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
        run=run,
        file=problem.file[:500],
        line=problem.line,
        image=problem.image[:200],
        message=problem.message[:1000],
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
