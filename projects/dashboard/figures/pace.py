"""Pace and money: judgments and hours worked, from which the time to the end follows, and what was paid and is owed."""

from datetime import UTC, datetime, timedelta
from typing import Any

from django.db.models import Avg, Count, Min, Q, QuerySet, Sum
from django.db.models.functions import Coalesce, TruncDay, TruncHour

from annotation.rules.states import ImageState
from pipeline.models import Assignment, Judgment, LedgerEntry, Question, Transition
from pipeline.project.judgment_counts import count_judgments
from pipeline.project.settings_versions import current_settings
from pipeline.protocol.tasks.task import QuestionState
from runtime import clock

HOURS, DAYS, RATE_DAYS = 48, 30, 7
Kind, State = LedgerEntry.Kind, Assignment.State


def pace(project_id: int) -> dict[str, Any]:
    """Return judgments in each of the last 48 hours and 30 days, the oldest first, and what was done in a week.

    Work is in hours: as long as workers took for their answers.
    """
    now = clock.now()
    given = Judgment.objects.filter(assignment__project=project_id)
    hour, day = now.replace(minute=0, second=0, microsecond=0), now.replace(hour=0, minute=0, second=0, microsecond=0)
    hours = [hour - timedelta(hours=back) for back in reversed(range(HOURS))]
    days = [day - timedelta(days=back) for back in reversed(range(DAYS))]
    in_hours = _counts(given.filter(created_at__gte=hours[0]).annotate(part=TruncHour("created_at", tzinfo=UTC)))
    in_days = _counts(given.filter(created_at__gte=days[0]).annotate(part=TruncDay("created_at", tzinfo=UTC)))
    finished = Transition.objects.filter(project=project_id, machine="image", new=ImageState.MERGED.value)
    week = given.filter(created_at__gte=now - timedelta(days=RATE_DAYS)).annotate(
        part=TruncDay("created_at", tzinfo=UTC)
    )
    worked = dict(week.order_by().values_list("part").annotate(Sum("seconds")))
    counts = count_judgments([project_id])[project_id]
    real = Judgment.objects.filter(question__project=project_id).order_by()
    on_images = dict(real.values_list("question__image__state").annotate(Sum("seconds")))
    lately = finished.filter(created_at__gte=now - timedelta(days=RATE_DAYS)).order_by("created_at")
    first = lately.values_list("created_at", flat=True).first()
    return {
        "hours": [[_text(part), in_hours.get(part, 0)] for part in hours],
        "days": [[_text(part), in_days.get(part, 0)] for part in days],
        "judgments": counts.total,
        "of": {"people": counts.people, "programs": counts.programs, "known": counts.known},
        "on_finished": on_images.pop(ImageState.MERGED.value, None) or 0,
        "on_others": sum(seconds or 0 for seconds in on_images.values()),
        "seconds": given.aggregate(Avg("seconds"))["seconds__avg"],
        "worked": [[_text(part), (worked.get(part) or 0) / 3600] for part in days[-RATE_DAYS - 1 :]],
        "worked_in_days": _days_since(now, week.aggregate(first=Min("created_at"))["first"]),
        "finished": finished.count(),
        "finished_lately": lately.count(),
        "finished_in_days": _days_since(now, first),
    }


def _days_since(now: datetime, first: datetime | None) -> float:
    return (now - first).total_seconds() / 86_400 if first else 0


def _counts(rows: QuerySet[Any]) -> dict[datetime, int]:
    return dict(rows.order_by().values_list("part").annotate(Count("id")))


def _text(part: datetime) -> str:
    return part.astimezone(UTC).isoformat()


def money_spent(project_id: int) -> dict[str, Any]:
    """Return amounts in hundredths of the currency. `open_cents`: what the open questions cost at their rewards."""
    settings = current_settings(project_id)[1]
    earned = Coalesce(Sum("earned_cents", filter=Q(state=State.SUBMITTED)), 0)
    reserved = Coalesce(Sum("reward_cents", filter=Q(state=State.ACTIVE)), 0)
    work = Assignment.objects.filter(project=project_id).aggregate(earned=earned, reserved=reserved)
    booked = dict(
        LedgerEntry.objects.filter(project_id=project_id).order_by().values_list("kind").annotate(Sum("cents"))
    )
    granted = work["earned"] + booked.get(Kind.BONUS, 0) - booked.get(Kind.REFUSED, 0) + booked.get(Kind.RESTORED, 0)
    asked = Question.objects.filter(project_id=project_id, state=QuestionState.OPEN.value)
    waiting = dict(asked.order_by().values_list("task").annotate(Count("id")))
    cents = sum(settings.reward_cents[task] * number / settings.batch[task] for task, number in waiting.items())
    return {
        "paid": booked.get(Kind.PAID, 0),
        "owed": granted - booked.get(Kind.PAID, 0),
        "reserved": work["reserved"],
        "granted": granted,
        "open_cents": round(cents),
    }
