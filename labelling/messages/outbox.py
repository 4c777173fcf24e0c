"""Mail to people: written into a table, sent by a job, and tried again for a day while the mail server fails."""

import logging
from datetime import timedelta
from smtplib import SMTPException

from django.conf import settings
from django.contrib.auth.models import User
from django.core.mail import EmailMessage
from django.utils.translation import gettext, gettext_noop

from labelling.models import OutgoingMail
from runtime import clock

WAITS = (*(timedelta(minutes=minutes) for minutes in (1, 5, 30)), *(8 * [timedelta(hours=3)]))
"""The time to the next try, after each try that failed; after the last one the mail is given up."""
MAILS_PER_RUN = 100
FAILURES = (SMTPException, OSError, ValueError)
"""Errors that a mail server, the network, or an invalid address raises."""
MAIL_IS_OFF = gettext_noop("This service sends no mail.")
NOBODY = "The account was closed, or has no address any more."

logger = logging.getLogger(__name__)


def mail_is_on() -> bool:
    """Return whether the service sends mail at all. Pages promise a mail only where it does."""
    return not settings.EMAIL_BACKEND.endswith("dummy.EmailBackend")


def no_mail() -> str:
    """Return what every page says where the service sends no mail; empty: it sends mail."""
    return "" if mail_is_on() else gettext(MAIL_IS_OFF)


def write_mail(to: User | str, subject: str, text: str) -> OutgoingMail | None:
    """Write a mail that is due now, to an account's address or to another one.

    Returns None, and writes nothing, where the service sends no mail and where the account is closed or has no address.
    """
    user = to if isinstance(to, User) else None
    if not mail_is_on() or (user is not None and not _is_reached(user)):
        return None
    address = user.email if user else str(to)
    subject = " ".join(subject.split())[: OutgoingMail.SUBJECT_LENGTH]
    return OutgoingMail.objects.create(to=address, user=user, subject=subject, text=text)


def send_due_mail() -> int:
    """Send the mail that is due. Returns how many the mail server took.

    Each try is noted before it is made. So two runs send no mail twice; a run that is killed in between is repeated.
    """
    if not mail_is_on():
        return 0
    due = OutgoingMail.objects.filter(state=OutgoingMail.State.DUE, due_at__lte=clock.now())
    return sum(_send(mail) for mail in due.select_related("user").order_by("due_at", "id")[:MAILS_PER_RUN])


def send_again(mail_id: int) -> bool:
    """Make a mail that waits or was given up due now, with all its tries. Returns False if its text is gone."""
    rows = OutgoingMail.objects.filter(pk=mail_id).exclude(state=OutgoingMail.State.SENT).exclude(text="")
    return rows.update(state=OutgoingMail.State.DUE, due_at=clock.now(), tries=0) == 1


def _send(mail: OutgoingMail) -> bool:
    mine = OutgoingMail.objects.filter(pk=mail.pk, state=OutgoingMail.State.DUE)
    if mail.tries == len(WAITS):
        mine.filter(tries=mail.tries).update(state=OutgoingMail.State.FAILED)
        return False
    if not mine.filter(tries=mail.tries).update(tries=mail.tries + 1, due_at=clock.now() + WAITS[mail.tries]):
        return False  # another run has it
    if mail.user is not None and not _is_reached(mail.user):
        mine.update(state=OutgoingMail.State.FAILED, text="", problem=NOBODY)
        return False
    to = mail.user.email if mail.user else mail.to
    try:
        taken = EmailMessage(mail.subject, mail.text, to=[to]).send() == 1
        problem = "" if taken else "The mail server did not take it."
    except FAILURES as error:
        problem = str(error) or type(error).__name__
    if problem:
        logger.warning("Mail %s was not sent: %s", mail.pk, problem)
        mine.update(problem=problem[: OutgoingMail.PROBLEM_LENGTH])
        return False
    # The text goes: a link that opens an account must not lie in the database.
    mine.update(state=OutgoingMail.State.SENT, to=to, text="", problem="", sent_at=clock.now())
    return True


def _is_reached(user: User) -> bool:
    return bool(user.is_active and user.email)
