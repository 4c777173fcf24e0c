"""Jobs: how workers do, looked at anew. Safe to run twice, late, or in two runners at once."""

from pipeline.jobs import job
from reports.estimate_skills import estimate_skills
from reports.find_signals import find_signals
from reports.with_new_answers import with_new_answers


@job(name="reports.look_at_workers")
def look_at_workers_job() -> None:
    """Signals of bad work and skills, wherever somebody has answered since the last time."""
    for project_id in with_new_answers():
        find_signals(project_id=project_id)
        estimate_skills(project_id=project_id)
