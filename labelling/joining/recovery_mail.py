"""Links to choose a new password, and the mail that brings one."""

import logging
import threading
from collections.abc import Callable

from django.conf import settings
from django.contrib.auth.forms import PasswordResetForm
from django.contrib.auth.models import User
from django.contrib.auth.tokens import default_token_generator
from django.core.mail import send_mail
from django.db import connection
from django.urls import reverse
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode
from django.utils.translation import get_language, gettext, gettext_noop, override

logger = logging.getLogger(__name__)
SMTP = "django.core.mail.backends.smtp.EmailBackend"
SUBJECT = gettext_noop("Choose a new password")
TEXT = gettext_noop("""Somebody, perhaps you, asked for a new password for the account {name} at {base}.

To choose one, open this link. It works once:

{link}

If it was not you, do nothing: your password stays as it is.
""")


def sends_mail() -> bool:
    """Tell whether the service is set up to send mail."""
    return settings.EMAIL_BACKEND != SMTP or settings.EMAIL_HOST not in ("", "localhost")


def recovery_link(user: User, base: str) -> str:
    """Return a link that lets whoever has it choose a new password, once, within PASSWORD_RESET_TIMEOUT.

    It ends with the next sign-in, too. `base`: the service's address.
    """
    uid = urlsafe_base64_encode(force_bytes(user.pk))
    path = reverse("labelling:new_password", args=[uid, default_token_generator.make_token(user)])
    return base.rstrip("/") + path


def in_a_thread(task: Callable[[], None]) -> None:
    threading.Thread(target=task, name="recovery mail", daemon=True).start()


def send_soon(address: str) -> None:
    """Look for accounts with this address and write to them in this language, after the visitor was answered.

    In a thread and not by a job: a job that runs in place would make the visitor wait where there is an account.
    """

    language = get_language() or "en"

    def work() -> None:
        try:
            with override(language):
                send_links(address)
        except Exception:
            logger.exception("A mail with a link to choose a new password could not be sent")
        finally:
            connection.close()

    in_a_thread(work)


def send_links(address: str) -> None:
    """Write to each account that is open and has this address and a password."""
    if not sends_mail():
        return
    for user in PasswordResetForm().get_users(address):
        text = gettext(TEXT).format(
            name=user.get_username(), base=settings.ADDRESS, link=recovery_link(user, settings.ADDRESS)
        )
        send_mail(gettext(SUBJECT), text, None, [user.email])
