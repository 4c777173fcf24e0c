"""The job that enters predictions. Where jobs run in place, a thread does it: nobody's request waits."""

from campaign.predictions.enter_predictions import enter_predictions
from campaign.threads import in_background
from pipeline.jobs import job
from upkeep.runs import held, request


@job(name="campaign.enter_predictions")
def enter_predictions_job(project_id: int) -> None:
    """Enter all predictions of the project that are due, unless another process does."""
    in_background(lambda: _enter(project_id))


def enter_soon(project_id: int) -> None:
    """Request the entry of all predictions of the project that are due."""
    request(enter_predictions_job, project_id, key=_key(project_id), share=f"entries of {project_id}")


def _key(project_id: int) -> str:
    return f"campaign.predictions {project_id}"


def _enter(project_id: int) -> None:
    with held(_key(project_id)) as mine:
        if mine:
            enter_predictions(project_id)
