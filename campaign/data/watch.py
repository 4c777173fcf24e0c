"""Watch a run: count what is done, keep what was left out, and stop between two images if the requester wants it."""

from collections.abc import Iterable, Iterator
from typing import Any

from django.contrib.auth.models import User
from django.db.models import F

from campaign.data.right_of_run import check_right
from campaign.long_work import Watch
from campaign.models import ImportProblem, ImportRun
from exchange.dataset import DatasetImage, Problem
from exchange.import_dataset import ImportReport

MOST_PROBLEMS = 20_000
"""Problems of which a run keeps the reasons; all are counted."""


class RunWatch(Watch):
    """The counts of one run. `report` is what an import counts itself."""

    row: ImportRun

    def __init__(self, row: ImportRun, *, by_command: bool = False) -> None:
        super().__init__(row, by_command=by_command)
        self.total, self.done, self.images = 0, 0, 0
        self.report = ImportReport()
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
