"""Jobs: new signals and skill estimates. Safe to run twice, late, or in two Celery workers at once."""

from django.conf import settings

from pipeline.jobs import job
from reports.estimate_skills import estimate_skills, projects_with_new_answers
from reports.find_signals import find_signals
from upkeep.ticks import one_of_a_pile


@job(name="reports.look_at_workers")
def look_at_workers_job() -> None:
    """Find signals of bad work and estimate skills in every project with new answers."""
    with one_of_a_pile("reports.look_at_workers", every=settings.LOOK_SECONDS) as due:
        for project_id in projects_with_new_answers() if due else ():
            find_signals(project_id=project_id)
            estimate_skills(project_id=project_id)
