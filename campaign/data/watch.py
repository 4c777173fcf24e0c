"""Watch a run: count what is done, keep what was left out, and stop between two images if the requester wants it."""

import time
from collections.abc import Iterable, Iterator

from django.db.models import F

from campaign.data.right_of_run import check_right
from campaign.models import ImportProblem, ImportRun
from exchange.dataset import DatasetImage, Problem
from exchange.import_dataset import ImportReport

LOOK_SECONDS = 0.5
"""The time between two looks at what the requester wants. Counts are written as often."""
MOST_PROBLEMS = 20_000
"""Problems of which a run keeps the reasons; all are counted."""


class Stopped(Exception):
    """The requester paused or cancelled the run, or the project is gone."""

    def __init__(self, wanted: str) -> None:
        super().__init__(wanted)
        self.wanted = wanted


class Watch:
    """The counts of one run. `report` is what an import counts itself."""

    def __init__(self, run: ImportRun, total: int = 0, *, by_command: bool = False) -> None:
        """`by_command`: by whoever may run commands on the server, whose right is not asked for."""
        self._by_command = by_command
        self.run, self.total, self.done, self.images = run, total, 0, 0
        self.report = ImportReport()
        self._kept = 0
        self._looked = 0.0

    def begin(self, total: int) -> None:
        """Note about how many images there are."""
        self.total = total
        ImportRun.objects.filter(pk=self.run.pk).update(total=total)

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
        """Write the counts, read what the requester wants, and ask for the right, but no more than twice a second.

        Raises Stopped, and NoRightError.
        """
        now = time.monotonic()
        if now - self._looked < LOOK_SECONDS:
            return
        self._looked = now
        self.write()
        wanted = ImportRun.objects.filter(pk=self.run.pk).values_list("wanted", flat=True).first()
        if wanted is None or wanted:
            raise Stopped(wanted or ImportRun.Wanted.CANCEL.value)
        self.check_right()

    def check_right(self) -> None:
        """Raise NoRightError if whoever began or resumed the run may not carry it out now."""
        if not self._by_command:
            check_right(self.run)

    def write(self) -> None:
        """Write the counts, and the problems that are new."""
        report = self.report
        new = report.problems[self._kept : MOST_PROBLEMS]
        self._kept += len(new)
        mine = ImportRun.objects.filter(pk=self.run.pk)
        mine.update(
            done=self.done,
            total=max(self.total, self.done),
            images=self.images + report.images,
            already_there=report.already_there,
            left_out=report.left_out,
            without_phrases=F("without_phrases")
            if self.run.kind != ImportRun.Kind.IMPORT
            else report.waiting_for_phrases,
        )
        if new and mine.exists():
            ImportProblem.objects.bulk_create([_row(self.run, problem) for problem in new], batch_size=500)


def _row(run: ImportRun, problem: Problem) -> ImportProblem:
    return ImportProblem(
        run=run,
        file=problem.file[:500],
        line=problem.line,
        image=problem.image[:200],
        message=problem.message[:1000],
    )
