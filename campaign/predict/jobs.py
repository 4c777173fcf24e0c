"""The job of the predictions."""

from campaign.aside import aside
from campaign.long_work import carry_out_once
from campaign.models import CampaignPrediction
from campaign.predict.work import predict
from pipeline.jobs import job


@job(name="campaign.predict")
def predict_job(prediction_id: int) -> None:
    """Make the prediction, unless another process does."""
    aside(lambda: work_on(prediction_id))


def work_on(prediction_id: int) -> None:
    """Hold the work and carry it out."""
    carry_out_once(CampaignPrediction.objects.filter(pk=prediction_id).select_related("project").first(), predict)
