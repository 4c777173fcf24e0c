"""What work pays by the hour, worker by worker and task by task."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import timedelta

from django.db.models import Count, DurationField, ExpressionWrapper, F, Sum, Value
from django.db.models.functions import Least

from pipeline.models import Assignment, Judgment
from pipeline.settings_versions import current_settings

HOUR = 3600


@dataclass(frozen=True, slots=True)
class Pay:
    """Of the assignments that were handed in. Money in hundredths of the project's currency."""

    assignments: int = 0
    earned_cents: int = 0
    """Before anything was refused or added."""
    seconds: int = 0
    """From being given an assignment to handing it in; see `hourly_pay`."""
    answering_seconds: int = 0
    """With a question in view and the page in use, as pages measured it. Programs need not say."""

    @property
    def by_hour(self) -> int | None:
        """Cents; None: no time is known."""
        return _by_hour(self.earned_cents, self.seconds)

    @property
    def by_answering_hour(self) -> int | None:
        """Cents, of the time that pages measured: what reading instructions and waiting took is left out."""
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
    """By worker id and task, in that order; of all, or of these workers. Two statements.

    An assignment's time runs from when it was given out to when it was handed in, but at most to the end of its lease,
    and at most as long as a lease may become by the present settings. So a page that was forgotten overnight counts
    with its last lease, and cannot make a fairly paid worker look underpaid. Qualification tests count: they are time
    that nobody pays for.
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
    for worker, task, seconds in measured.values_list("worker", "assignment__task").annotate(Sum("seconds")):
        found[worker, task] = replace(found[worker, task], answering_seconds=round(seconds))
    return found
