"""The job of the predictions."""

from campaign.cost_prediction.work import predict
from campaign.long_work import carry_out_once
from campaign.models import CampaignPrediction
from campaign.threads import in_background
from pipeline.jobs import job


@job(name="campaign.cost_prediction")
def predict_job(prediction_id: int) -> None:
    """Make the prediction, unless another process does."""
    in_background(lambda: work_on(prediction_id))


def work_on(prediction_id: int) -> None:
    """Hold the work and carry it out."""
    carry_out_once(CampaignPrediction.objects.filter(pk=prediction_id).select_related("project").first(), predict)
