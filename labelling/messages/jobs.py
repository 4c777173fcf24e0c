"""Jobs: mail. Safe to run twice, late, or at once."""

from django.conf import settings
from django.db import transaction

from labelling.messages.outbox import send_due_mail
from pipeline.jobs import job
from runtime.redis_faults import start
from runtime.ticks import debounced


@job(name="labelling.send_mail")
def send_mail_job() -> None:
    """Send the mail that is due."""
    send_due_mail()


@job(name="labelling.send_due_mail")
def send_due_mail_job() -> None:
    """Send the mail that is due, whatever hints have missed."""
    with debounced("labelling.send_due_mail", every=settings.MAIL_SECONDS) as due:
        if due:
            send_due_mail()


def enqueue_mail() -> None:
    """Start a job that sends the mail, after the commit. A message that fails is logged and left to the next tick."""
    if settings.CELERY_TASK_ALWAYS_EAGER:
        return  # a job in place would let the requester wait for the mail server
    transaction.on_commit(lambda: start(send_mail_job), robust=True)
