"""Jobs: mail to workers. Safe to run twice, late, or at once."""

from django.conf import settings
from django.db import transaction

from messaging.answer_worker import deliver_answers
from pipeline.jobs import job
from upkeep.redis_faults import start
from upkeep.ticks import one_of_a_pile


@job(name="messaging.deliver_answers")
def deliver_answers_job() -> None:
    """Send the mail that is due."""
    deliver_answers()


@job(name="messaging.tick")
def tick_job() -> None:
    """Send the mail that is due, whatever hints have missed."""
    with one_of_a_pile("messaging.tick", every=settings.MAIL_SECONDS) as due:
        if due:
            deliver_answers()


def hint() -> None:
    """Start a job that sends the mail, after the commit. A hint that fails is logged and left to the next tick."""
    if settings.CELERY_TASK_ALWAYS_EAGER:
        return  # a job in place would let the requester wait for the mail server
    transaction.on_commit(lambda: start(deliver_answers_job), robust=True)
