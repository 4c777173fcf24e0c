"""Jobs of the requesters' pages: figures, alerts, long work, signals and skills of workers.

Celery looks for them here.

Each is safe to run twice, late, or in two runners at once.
"""

import logging

from django.conf import settings
from django.db import DatabaseError

from annotation.models import Project
from annotation.rules.states import ProjectState
from pipeline.jobs import job
from projects.alerts.post_hook import try_channel_job
from projects.alerts.tell_alerts import begin_alerts, deliver_alerts
from projects.dashboard.figures import refresh_figures
from projects.predictions.import_predictions import enter_predictions_job
from projects.quality.detect_signals import find_signals
from projects.quality.estimate_skills import estimate_skills, projects_with_new_answers
from projects.runs import run_job, run_long_job
from runtime.runs import claimed, debounced

__all__ = [
    "enter_predictions_job",
    "refresh_figures_job",
    "run_job",
    "run_long_job",
    "tell_alerts_job",
    "try_channel_job",
]
logger = logging.getLogger(__name__)


@job(name="projects.refresh_figures")
def refresh_figures_job() -> None:
    """Bring the figures of running projects up to date. A second job meanwhile leaves those at work alone."""
    with debounced("projects.refresh_figures", every=settings.MAIL_SECONDS) as due:
        for project in Project.objects.filter(state=ProjectState.RUNNING.value) if due else ():
            try:
                with claimed(f"figures of {project.pk}") as free:
                    if free:
                        refresh_figures(project.pk)
            except DatabaseError:
                raise  # of the machine, and not of the project
            except Exception:  # a fault in one project must not freeze the figures of all others
                logger.exception("The figures of %s could not be computed", project)


@job(name="projects.tell_alerts")
def tell_alerts_job() -> None:
    """Begin and end the alerts of running projects, and send what is due."""
    with debounced("projects.tell_alerts", every=settings.MAIL_SECONDS) as due:
        for project in Project.objects.filter(state=ProjectState.RUNNING.value) if due else ():
            begin_alerts(project)
        if due:
            deliver_alerts()


@job(name="projects.look_at_workers")
def look_at_workers_job() -> None:
    """Find signals of bad work and estimate skills in every project with new answers."""
    with debounced("projects.look_at_workers", every=settings.LOOK_SECONDS) as due:
        for project_id in projects_with_new_answers() if due else ():
            find_signals(project_id=project_id)
            estimate_skills(project_id=project_id)
