"""The job of the runs. Jobs that run in place leave it to a thread: nobody's request waits for an import."""

from campaign.aside import aside
from campaign.data.carry_out import carry_out
from campaign.models import ImportRun
from pipeline.jobs import job
from upkeep.runs import held


@job(name="campaign.run")
def run_job(run_id: int) -> None:
    """Carry out the run, unless another process does."""
    aside(lambda: work_on(run_id))


def work_on(run_id: int) -> None:
    """Hold the run and carry it out."""
    run = ImportRun.objects.filter(pk=run_id).first()
    if run is not None:
        with held(run.key) as mine:
            if mine:
                carry_out(run)
