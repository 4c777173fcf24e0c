"""The contents of a survey's page: how many of its questions are open and decided, and who answers them."""

from dataclasses import dataclass

from django.db.models import Count

from annotation.models import Project
from gallery.project_page import judgments_by_task
from pipeline.project.settings_versions import current_settings
from pipeline.rules.tasks.task import QuestionState, Task
from workers.models import Access


@dataclass(frozen=True, slots=True)
class SurveyStatus:
    task: Task
    open: int
    """Questions that still need a vote, or whose vote is not counted yet."""
    decided: int
    judgments: int
    workers: int
    """Workers who may answer."""
    votes: int
    """Votes that a question needs."""


def survey_status(project: Project) -> SurveyStatus:
    task = Task(project.survey)
    rows = project.questions.order_by().values_list("state").annotate(Count("pk"))
    by_state: dict[str, int] = dict(rows)
    decided = by_state.pop(QuestionState.CLOSED.value, 0)
    return SurveyStatus(
        task=task,
        open=sum(by_state.values()),
        decided=decided,
        judgments=judgments_by_task(project.pk)[task],
        workers=Access.objects.filter(project=project, task=task.value).count(),
        votes=current_settings(project.pk)[1].survey_votes,
    )
