"""The job of the runs. Jobs that run in place leave it to a thread: nobody's request waits for an import."""

import logging
import threading
from collections.abc import Callable

from django.conf import settings
from django.db import connections

from campaign.data.carry_out import carry_out
from campaign.models import ImportRun
from pipeline.jobs import job
from upkeep.runs import held

logger = logging.getLogger(__name__)


@job(name="campaign.run")
def run_job(run_id: int) -> None:
    """Carry out the run, unless another process does."""
    if settings.CELERY_TASK_ALWAYS_EAGER:
        aside(lambda: work_on(run_id))
    else:
        work_on(run_id)


def work_on(run_id: int) -> None:
    """Hold the run and carry it out."""
    run = ImportRun.objects.filter(pk=run_id).first()
    if run is not None:
        with held(run.key) as mine:
            if mine:
                carry_out(run)


def aside(work: Callable[[], None]) -> None:
    """Do the work on a thread of its own. If the process ends, the sweep finds the run and begins it again."""
    threading.Thread(target=_guarded, args=(work,), name="import", daemon=True).start()


def _guarded(work: Callable[[], None]) -> None:
    try:
        work()
    except Exception:
        logger.exception("A run of an import failed; its page says so, and it can be resumed there.")
    finally:
        connections.close_all()
