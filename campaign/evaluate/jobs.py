"""The job of the evaluations."""

from campaign.evaluate.work import evaluate
from campaign.long_work import carry_out_once
from campaign.models import Evaluation
from campaign.threads import in_background
from pipeline.jobs import job


@job(name="campaign.evaluate")
def evaluate_job(evaluation_id: int) -> None:
    """Make the report, unless another process does."""
    in_background(lambda: work_on(evaluation_id))


def work_on(evaluation_id: int) -> None:
    """Hold the work and carry it out."""
    carry_out_once(Evaluation.objects.filter(pk=evaluation_id).select_related("project").first(), evaluate)
