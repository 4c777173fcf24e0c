"""The job that deletes what is old. Safe to run twice, late, or in two runners at once."""

from django.conf import settings

from config.retention import prune_all
from pipeline.jobs import job
from runtime.runs import claimed, debounced

SECONDS = 300
"""The time after which the job leaves the rest to the next one."""


@job(name="config.prune")
def prune_job() -> None:
    """Delete and empty rows that are old by the days of RETENTION. A second job meanwhile does nothing."""
    with debounced("config.prune", every=settings.LOOK_SECONDS) as due:
        if due:
            with claimed("old rows") as free:
                if free:
                    prune_all(seconds=SECONDS)
