"""Predictions as work: begin one, stop it, and tell where it stands."""

from typing import Any

from django.db import IntegrityError, transaction

from annotation.models import Project
from campaign.models import CampaignPrediction
from campaign.predict.jobs import predict_job
from upkeep import clock
from upkeep.models import JobRun
from upkeep.runs import request

State = CampaignPrediction.State


class BusyError(Exception):
    """Another prediction of the project has not ended."""


def begin(project: Project, **values: Any) -> CampaignPrediction:
    """Request a prediction with these values of its row. Raises BusyError while another one has not ended."""
    try:
        with transaction.atomic():
            prediction = CampaignPrediction.objects.create(project=project, **values)
    except IntegrityError as error:
        raise BusyError("A prediction is being made already: wait for it, or stop it.") from error
    request(predict_job, prediction.pk, key=prediction.key)
    return prediction


def stop(prediction: CampaignPrediction) -> None:
    """Stop a prediction. One that is being made reads this between two images; another one stops at once."""
    mine = CampaignPrediction.objects.filter(pk=prediction.pk)
    mine.filter(state__in=CampaignPrediction.OPEN).update(stopped=True)
    idle = [State.WAITING] if _works(prediction) else list(CampaignPrediction.OPEN)
    mine.filter(state__in=idle).update(state=State.CANCELLED, ended_at=clock.now())


def standing(prediction: CampaignPrediction) -> dict[str, Any]:
    """Return where the prediction stands, for its page. One whose process ended too often has failed."""
    job = JobRun.objects.filter(key=prediction.key).first()
    if prediction.state in CampaignPrediction.OPEN and job is not None and job.state == JobRun.State.FAILED:
        mine = CampaignPrediction.objects.filter(pk=prediction.pk, state__in=CampaignPrediction.OPEN)
        mine.update(state=State.FAILED, problem=job.problem, ended_at=clock.now())
        prediction.refresh_from_db()
    return {
        "state": prediction.state,
        "done": prediction.done,
        "total": max(prediction.total, 1),
        "problem": prediction.problem,
    }


def _works(prediction: CampaignPrediction) -> bool:
    """Tell whether a process works on it, as far as its signs of life say."""
    job = JobRun.objects.filter(key=prediction.key, state=JobRun.State.RUNNING).first()
    return job is not None and job.held_until is not None and job.held_until > clock.now()
