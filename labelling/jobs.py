"""Jobs: idle workers are forgotten; of `messages`, mail. Safe to run twice, late, or in two runners at once."""

from django.conf import settings

from labelling import messages
from labelling.own_data import forget_idle_workers
from pipeline.jobs import job
from runtime.runs import debounced

__all__ = ["forget_idle_workers_job", "messages"]


@job(name="labelling.forget_idle_workers")
def forget_idle_workers_job() -> None:
    """Forget workers who have been idle for as long as their projects say."""
    with debounced("labelling.forget_idle_workers", every=settings.LOOK_SECONDS) as due:
        if due:
            forget_idle_workers()
