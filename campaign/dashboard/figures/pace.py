"""Pace: judgments by the hour and by the day, and images finished, from which the time to the end follows."""

from datetime import UTC, datetime, timedelta
from typing import Any

from django.db.models import Count, QuerySet
from django.db.models.functions import TruncDay, TruncHour

from annotation.rules.states import ImageState
from pipeline.models import Judgment, Transition
from upkeep import clock

HOURS, DAYS, RATE_DAYS = 48, 30, 7


def pace(project_id: int) -> dict[str, Any]:
    """Return judgments in each of the last 48 hours and 30 days, the oldest first, and images finished in a week."""
    now = clock.now()
    given = Judgment.objects.filter(assignment__project=project_id)
    hour, day = now.replace(minute=0, second=0, microsecond=0), now.replace(hour=0, minute=0, second=0, microsecond=0)
    hours = [hour - timedelta(hours=back) for back in reversed(range(HOURS))]
    days = [day - timedelta(days=back) for back in reversed(range(DAYS))]
    in_hours = _counts(given.filter(created_at__gte=hours[0]).annotate(part=TruncHour("created_at", tzinfo=UTC)))
    in_days = _counts(given.filter(created_at__gte=days[0]).annotate(part=TruncDay("created_at", tzinfo=UTC)))
    finished = Transition.objects.filter(project=project_id, machine="image", new=ImageState.MERGED.value)
    lately = finished.filter(created_at__gte=now - timedelta(days=RATE_DAYS)).order_by("created_at")
    first = lately.values_list("created_at", flat=True).first()
    return {
        "hours": [[_text(part), in_hours.get(part, 0)] for part in hours],
        "days": [[_text(part), in_days.get(part, 0)] for part in days],
        "judgments": given.count(),
        "finished_lately": lately.count(),
        "finished_in_days": (now - first).total_seconds() / 86_400 if first else 0,
    }


def _counts(rows: QuerySet[Any]) -> dict[datetime, int]:
    return dict(rows.order_by().values_list("part").annotate(Count("id")))


def _text(part: datetime) -> str:
    return part.astimezone(UTC).isoformat()
