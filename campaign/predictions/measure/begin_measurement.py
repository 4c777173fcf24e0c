"""Begin to measure a program in a project."""

from django.contrib.auth.models import User

from annotation.models import Project
from campaign.long_work import begin
from campaign.models import ModelMeasurement
from campaign.predictions.measure.jobs import measure_job
from pipeline.project.settings_versions import current_settings
from workers.models import Worker


class NotMeasurableError(ValueError):
    """The program cannot be measured in this project; the message says why."""


def begin_measurement(project: Project, program: Worker | None, user: User | None) -> ModelMeasurement:
    """Make a row and request the work. `program`: one with predictions in the project; None: there is no such.

    Raises NotMeasurableError, and BusyError while another measurement has not ended.
    """
    if project.dry_run:
        raise NotMeasurableError("This is a dry run already: measure programs in the project itself.")
    if program is None:
        raise NotMeasurableError("This program has predicted nothing in this project.")
    version = current_settings(project.pk)[0]
    return begin(ModelMeasurement, measure_job, project=project, user=user, program=program, settings_version=version)
