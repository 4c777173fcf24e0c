"""Mail to people. A mail server that does not take it costs nobody an error."""

import logging
from smtplib import SMTPException

from django.conf import settings
from django.core.mail import EmailMessage

logger = logging.getLogger(__name__)
FAILURES = (SMTPException, OSError, ValueError)
"""Errors that a mail server, the network, or an invalid address raises."""


def mail_is_on() -> bool:
    """Return whether the service sends mail at all."""
    return not settings.EMAIL_BACKEND.endswith("dummy.EmailBackend")


def send_mail(to: str, subject: str, text: str) -> bool:
    """Send a mail now, where nobody waits. Returns False if the mail server did not take it; the log says why."""
    try:
        return EmailMessage(" ".join(subject.split()), text, to=[to]).send() == 1
    except FAILURES as error:
        logger.warning("A mail was not sent: %s", str(error) or type(error).__name__)
        return False
