"""The job of the measurements."""

from campaign.long_work import carry_out_once
from campaign.models import ModelMeasurement
from campaign.predictions.measure.work import measure
from campaign.threads import in_background
from pipeline.jobs import job


@job(name="campaign.measure")
def measure_job(measurement_id: int) -> None:
    """Make the measurement, unless another process does."""
    in_background(lambda: work_on(measurement_id))


def work_on(measurement_id: int) -> None:
    """Hold the work and carry it out."""
    carry_out_once(
        ModelMeasurement.objects.filter(pk=measurement_id).select_related("project", "program", "user").first(), measure
    )
