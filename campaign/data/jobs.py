"""The job of the runs. Jobs that run in place leave it to a thread: nobody's request waits for an import."""

from campaign.data.carry_out import do_run
from campaign.data.watch import RunWatch
from campaign.long_work import carry_out_once
from campaign.models import ImportRun
from campaign.threads import in_background
from pipeline.jobs import job


@job(name="campaign.run")
def run_job(run_id: int) -> None:
    """Carry out the run, unless another process does."""
    in_background(lambda: work_on(run_id))


def work_on(run_id: int) -> None:
    """Hold the run and carry it out."""
    carry_out_once(ImportRun.objects.filter(pk=run_id).first(), do_run, RunWatch)
