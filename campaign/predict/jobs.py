"""The job of the predictions."""

from functools import partial

from django.conf import settings

from campaign.aside import aside
from campaign.long_work import carry_out
from campaign.models import CampaignPrediction
from campaign.predict.work import predict
from pipeline.jobs import job
from upkeep.runs import held


@job(name="campaign.predict")
def predict_job(prediction_id: int) -> None:
    """Make the prediction, unless another process does."""
    if settings.CELERY_TASK_ALWAYS_EAGER:
        aside(lambda: work_on(prediction_id))
    else:
        work_on(prediction_id)


def work_on(prediction_id: int) -> None:
    """Hold the work and carry it out."""
    prediction = CampaignPrediction.objects.filter(pk=prediction_id).select_related("project").first()
    if prediction is not None:
        with held(prediction.key) as mine:
            if mine:
                carry_out(prediction, partial(predict, prediction))
