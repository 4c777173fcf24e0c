"""Stock of verification questions, and starved questions: what will stop workers."""

from typing import Any

from annotation.models import Project
from campaign.lifecycle.newcomers import ways_in
from pipeline.record.starve_questions import starved_questions
from pipeline.stock.known_questions import Purpose
from pipeline.stock.stock_forecast import stock_forecasts


def stock(project_id: int) -> dict[str, Any]:
    """Return for each task its stock, how long it lasts, and its warnings; and the number of starved questions."""
    project = Project.objects.get(pk=project_id)
    closed = not ways_in(project)  # nobody can join who is not trusted
    tasks = {}
    for task, forecast in stock_forecasts(project_id).items():
        unseen = [one for one in forecast.left if one.unseen]
        tasks[task.value] = {
            "questions": forecast.counts[Purpose.VERIFICATION],
            "new_worker": forecast.each,
            "first": forecast.first,
            "active": len(forecast.left),
            "left": len(unseen),
            "warnings": [one for one in forecast.warnings if not (closed and one in forecast.for_newcomers)],
        }
    return {"tasks": tasks, "starved": len(starved_questions(project_id))}
