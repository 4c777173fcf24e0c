"""The job of the evaluations."""

from functools import partial

from django.conf import settings

from campaign.aside import aside
from campaign.evaluate.work import evaluate
from campaign.long_work import carry_out
from campaign.models import Evaluation
from pipeline.jobs import job
from upkeep.runs import held


@job(name="campaign.evaluate")
def evaluate_job(evaluation_id: int) -> None:
    """Make the report, unless another process does."""
    if settings.CELERY_TASK_ALWAYS_EAGER:
        aside(lambda: work_on(evaluation_id))
    else:
        work_on(evaluation_id)


def work_on(evaluation_id: int) -> None:
    """Hold the work and carry it out."""
    evaluation = Evaluation.objects.filter(pk=evaluation_id).select_related("project").first()
    if evaluation is not None:
        with held(evaluation.key) as mine:
            if mine:
                carry_out(evaluation, partial(evaluate, evaluation))
