"""A forgotten password: a link by mail for accounts with an address, or one that a requester makes and passes on."""

import logging
import threading
from collections.abc import Callable
from contextvars import copy_context
from functools import partial
from typing import Any

from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.forms import PasswordResetForm
from django.contrib.auth.models import User
from django.contrib.auth.tokens import default_token_generator
from django.contrib.auth.views import PasswordResetConfirmView, PasswordResetView
from django.db import connection
from django.http import HttpResponse
from django.urls import reverse, reverse_lazy
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode
from django.utils.translation import get_language, gettext, gettext_noop, override

from accounts.events import Kind, record
from labelling.joining import throttle
from labelling.messages.jobs import enqueue_mail
from labelling.messages.outbox import no_mail, write_mail
from workers.address_of import address_of

MAILS_PER_VISITOR = 10
"""Requests from one network address in a quarter of an hour ..."""
MAILS_PER_ADDRESS = 3
"""... and for one e-mail address, from anywhere. Nobody is locked out by them: the links that were sent stay good."""
SENT = gettext_noop("If an account has this address, a link to choose a new password is on its way. It works once.")


class ForgottenForm(PasswordResetForm):
    """Asks for the address. An address with an account is answered as soon as any other."""

    def __init__(self, *args: Any, request: Any = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.request = request
        self.fields["email"].label = gettext("E-mail address")

    def clean(self) -> dict[str, Any] | None:
        cleaned = super().clean()
        try:
            throttle.count_try("recovery", address_of(self.request), most=MAILS_PER_VISITOR)
            throttle.count_try("recovery of", self.cleaned_data.get("email", "").casefold(), most=MAILS_PER_ADDRESS)
        except throttle.TooManyTriesError as error:
            raise forms.ValidationError(str(error), code="throttled") from error
        return cleaned

    def save(self, *args: Any, **kwargs: Any) -> None:
        send_soon(self.cleaned_data["email"])


class ForgottenPassword(throttle.Answers429, PasswordResetView):
    form_class = ForgottenForm
    template_name = "labelling/forgotten.html"
    success_url = reverse_lazy("labelling:sign_in")

    def get_form_kwargs(self) -> dict[str, Any]:
        return {**super().get_form_kwargs(), "request": self.request}

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        return super().get_context_data(**kwargs, no_mail=no_mail())

    def form_valid(self, form: Any) -> HttpResponse:
        if no_mail():
            return self.render_to_response(self.get_context_data())  # the page says whom to ask
        messages.success(self.request, gettext(SENT))
        return super().form_valid(form)


class NewPassword(PasswordResetConfirmView):
    """The page behind a link. It moves the token from the address into the session, as Django does."""

    template_name = "labelling/new_password.html"
    success_url = reverse_lazy("labelling:sign_in")

    def form_valid(self, form: Any) -> HttpResponse:
        assert self.user is not None  # its link was good
        name = self.user.get_username()
        record(Kind.RECOVERY, f"link for {name}", result="used", actor=name)
        messages.success(
            self.request,
            gettext("Your password was changed, and you were signed out everywhere. Sign in with the new one."),
        )
        return super().form_valid(form)


logger = logging.getLogger(__name__)
SUBJECT = gettext_noop("Choose a new password")
TEXT = gettext_noop("""Somebody, perhaps you, asked for a new password for the account {name} at {base}.

To choose one, open this link. It works once:

{link}

If it was not you, do nothing: your password stays as it is.
""")


def recovery_link(user: User, base: str) -> str:
    """Return a link that lets whoever has it choose a new password, once, within PASSWORD_RESET_TIMEOUT.

    It ends with the next sign-in, too. `base`: the service's address.
    """
    record(Kind.RECOVERY, f"link for {user.get_username()}", result="made")
    uid = urlsafe_base64_encode(force_bytes(user.pk))
    path = reverse("labelling:new_password", args=[uid, default_token_generator.make_token(user)])
    return base.rstrip("/") + path


def in_a_thread(task: Callable[[], None]) -> None:
    threading.Thread(target=task, name="recovery mail", daemon=True).start()


def send_soon(address: str) -> None:
    """Look for accounts with this address and write to them in this language, after the visitor was answered.

    On a thread: a visitor must not learn from the time of the answer whether there is an account.
    """

    language = get_language() or "en"

    def work() -> None:
        try:
            with override(language):
                send_links(address)
        except Exception:
            logger.exception("A mail with a link to choose a new password could not be written")
        finally:
            connection.close()

    in_a_thread(partial(copy_context().run, work))  # so that the event log knows the request


def send_links(address: str) -> None:
    """Write to each account that is open and has this address and a password."""
    for user in PasswordResetForm().get_users(address):
        text = gettext(TEXT).format(
            name=user.get_username(), base=settings.ADDRESS, link=recovery_link(user, settings.ADDRESS)
        )
        write_mail(user, gettext(SUBJECT), text)
    enqueue_mail()
