"""Money: what was paid, is owed and is reserved, and an estimate of what the rest costs."""

from typing import Any

from django.db.models import Count, Q, Sum
from django.db.models.functions import Coalesce

from pipeline.models import Assignment, LedgerEntry, Question
from pipeline.project.settings_versions import current_settings
from pipeline.rules.tasks.task import QuestionState

Kind, State = LedgerEntry.Kind, Assignment.State


def money(project_id: int) -> dict[str, Any]:
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
