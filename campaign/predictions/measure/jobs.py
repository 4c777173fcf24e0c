"""The job of the measurements."""

from functools import partial

from django.conf import settings

from campaign.aside import aside
from campaign.long_work import carry_out
from campaign.models import ModelMeasurement
from campaign.predictions.measure.work import measure
from pipeline.jobs import job
from upkeep.runs import held


@job(name="campaign.measure")
def measure_job(measurement_id: int) -> None:
    """Make the measurement, unless another process does."""
    if settings.CELERY_TASK_ALWAYS_EAGER:
        aside(lambda: work_on(measurement_id))
    else:
        work_on(measurement_id)


def work_on(measurement_id: int) -> None:
    """Hold the work and carry it out."""
    found = ModelMeasurement.objects.filter(pk=measurement_id).select_related("project", "program", "user").first()
    if found is not None:
        with held(found.key) as mine:
            if mine:
                carry_out(found, partial(measure, found))
