"""Jobs: mail. Safe to run twice, late, or at once."""

from django.conf import settings
from django.db import transaction

from messaging.outbox import send_due_mail
from pipeline.jobs import job
from upkeep.redis_faults import start
from upkeep.ticks import one_of_a_pile


@job(name="messaging.send_mail")
def send_mail_job() -> None:
    """Send the mail that is due."""
    send_due_mail()


@job(name="messaging.tick")
def tick_job() -> None:
    """Send the mail that is due, whatever hints have missed."""
    with one_of_a_pile("messaging.tick", every=settings.MAIL_SECONDS) as due:
        if due:
            send_due_mail()


def hint() -> None:
    """Start a job that sends the mail, after the commit. A hint that fails is logged and left to the next tick."""
    if settings.CELERY_TASK_ALWAYS_EAGER:
        return  # a job in place would let the requester wait for the mail server
    transaction.on_commit(lambda: start(send_mail_job), robust=True)
