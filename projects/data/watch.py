"""Watch a run: count what is done, keep what was left out, and stop between two images if its right is gone."""

from collections.abc import Iterable, Iterator
from typing import Any

from django.contrib.auth.models import User
from django.db.models import F

from accounts.may import Action, may, may_borrow_pictures, may_read_folders
from annotation.models import Project
from exchange.dataset import DatasetImage, Problem
from exchange.import_report import ImportReport
from projects.long_work import CannotBeDone, Watch
from projects.models import ImportProblem, ImportRun, ItemsFile

MOST_PROBLEMS = 20_000
"""Problems of which a run keeps the reasons; all are counted."""
Kind = ImportRun.Kind


class RunWatch(Watch):
    """The counts of one run. `report` is what an import counts itself."""

    row: ImportRun

    def __init__(self, row: ImportRun, *, by_command: bool = False, report: ImportReport | None = None) -> None:
        super().__init__(row, by_command=by_command)
        self.total, self.done, self.images = 0, 0, 0
        self.report = report or ImportReport()
        self._kept = 0

    def start(self) -> None:
        """Leave the counts as they are until the source is read: a run may go on."""

    def begin(self, total: int) -> None:
        """Note about how many images there are."""
        self.total = total
        super().write(total=total)

    def through(self, images: Iterable[DatasetImage | Problem], total: int) -> Iterator[DatasetImage | Problem]:
        """Hand on the images of an import. When the next one is asked for, the one before was written."""
        self.begin(total)
        for image in images:
            self.look()
            yield image
            self.done += 1

    def step(self, *, changed: bool = True) -> None:
        """Count an image of another kind of work."""
        self.done += 1
        self.images += changed
        self.look()

    def look(self) -> None:
        """Write the counts, and obey the requester, but no more than twice a second."""
        if self.is_due():
            self.write()
            self.obey()

    def check_account(self, user: User | None) -> None:
        check_right(self.row, user)

    def write(self, **values: Any) -> None:
        """Write the counts, and the problems that are new."""
        report = self.report
        new = report.problems[self._kept : MOST_PROBLEMS]
        self._kept += len(new)
        super().write(
            done=self.done,
            total=max(self.total, self.done),
            images=self.images + report.images,
            already_there=report.already_there,
            left_out=report.left_out,
            without_phrases=F("without_phrases")
            if self.row.kind != ImportRun.Kind.IMPORT
            else report.waiting_for_phrases,
            **values,
        )
        if new and ImportRun.objects.filter(pk=self.row.pk).exists():
            ImportProblem.objects.bulk_create([_row(self.row, problem) for problem in new], batch_size=500)


def _row(run: ImportRun, problem: Problem) -> ImportProblem:
    return ImportProblem(
        run=run,
        file=problem.file[:500],
        line=problem.line,
        image=problem.image[:200],
        message=problem.message[:1000],
    )


def check_right(run: ImportRun, user: User | None) -> None:
    """Raise CannotBeDone if the account that began or resumed the run may not carry it out now."""
    if user is None or not may(user, Action.MANAGE, run.project_id):
        raise CannotBeDone("Whoever began this is no longer a requester of the project: another requester can resume.")
    if run.kind == Kind.IMPORT and run.source and not may_read_folders(user):
        raise CannotBeDone(f"{user} may not read folders and buckets of the server: an administrator gives the right.")
    if run.kind in (Kind.COPY, Kind.DRY_RUN):
        _check_source(user, run)
    if run.kind == Kind.ITEMS:
        _check_pictures(user, run)


def _check_pictures(user: User, run: ImportRun) -> None:
    given = ItemsFile.objects.select_related("source").filter(project=run.project_id).first()
    if given is None or not run.source:
        return
    if given.source is None:
        raise CannotBeDone(f"The project {run.source!r}, which has the pictures, was deleted: give the items anew.")
    if not may_borrow_pictures(user, given.source):
        raise CannotBeDone(f"{user} may not look at the project any more that has the pictures: {run.source}.")


def source_of_run(run: ImportRun) -> Project:
    """Return the project that a copy or a dry run is made of, by its id. Raises CannotBeDone if it was deleted."""
    source = Project.objects.filter(pk=run.source_project_id or 0).first()
    if source is None:
        raise CannotBeDone(f"The project {run.source!r}, of which this is a copy, was deleted.")
    return source


def _check_source(user: User, run: ImportRun) -> None:
    if not may(user, Action.MANAGE, source_of_run(run)):
        raise CannotBeDone(f"{user} does not manage the project {run.source!r} any more, of which this is a copy.")
