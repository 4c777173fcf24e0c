"""Pay per hour, by worker and task."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import timedelta

from django.db.models import Count, DurationField, ExpressionWrapper, F, Sum, Value
from django.db.models.functions import Least

from pipeline.models import Assignment, Judgment
from pipeline.project.settings_versions import current_settings
from runtime.database import cached_read

HOUR = 3600


@dataclass(frozen=True, slots=True)
class Pay:
    """The pay and the time of submitted assignments. Money is in hundredths of the project's currency."""

    assignments: int = 0
    earned_cents: int = 0
    """Earned before refusals and bonuses."""
    seconds: int = 0
    """Time from getting an assignment to submitting it; see `hourly_pay`."""
    answering_seconds: int = 0
    """Time with a question in view and the page in use, as pages measure it. Programs need not report it."""

    @property
    def by_hour(self) -> int | None:
        """Return cents per hour, or None if no time is known."""
        return _by_hour(self.earned_cents, self.seconds)

    @property
    def by_answering_hour(self) -> int | None:
        """Return cents per hour of answering, without the time for instructions and waiting."""
        return _by_hour(self.earned_cents, self.answering_seconds)

    def __add__(self, other: "Pay") -> "Pay":
        return Pay(
            self.assignments + other.assignments,
            self.earned_cents + other.earned_cents,
            self.seconds + other.seconds,
            self.answering_seconds + other.answering_seconds,
        )


def _by_hour(cents: int, seconds: int) -> int | None:
    return (2 * HOUR * cents + seconds) // (2 * seconds) if seconds else None


def hourly_pay(project_id: int, worker_ids: Iterable[int] | None = None) -> dict[tuple[int, str], Pay]:
    """Return the pay of all workers, or of these, by worker id and task. Takes two statements.

    An assignment's time runs from its lease to its submission, at most to the end of the lease, and at most for the
    longest lease of the present settings. A page left open overnight counts only until its last lease ends, so that it
    does not make a fairly paid worker look underpaid. Qualification tests count, because they are unpaid time.
    """
    who = {} if worker_ids is None else {"worker__in": list(worker_ids)}
    handed_in = Assignment.objects.filter(project=project_id, state=Assignment.State.SUBMITTED, **who)
    _, settings = current_settings(project_id)
    most = Value(timedelta(minutes=settings.lease_most_minutes), DurationField())
    leased = ExpressionWrapper(Least("ended_at", "expires_at") - F("created_at"), DurationField())
    rows = handed_in.order_by("worker", "task").values_list("worker", "task")
    found = {
        (worker, task): Pay(count, cents, round(time.total_seconds()))
        for worker, task, count, cents, time in rows.annotate(
            Count("id"), Sum("earned_cents"), time=Sum(Least(leased, most))
        )
    }
    measured = Judgment.objects.filter(assignment__in=handed_in, seconds__isnull=False).order_by()
    sums = measured.values_list("worker", "assignment__task").annotate(Sum("seconds"))
    # Of all workers: every judgment of the project is read. The times may be a minute old; the money never is.
    times = list(sums) if worker_ids is not None else cached_read(f"answering:{project_id}", lambda: list(sums))
    for worker, task, seconds in times:
        found[worker, task] = replace(found.get((worker, task), Pay()), answering_seconds=round(seconds))
    return found
