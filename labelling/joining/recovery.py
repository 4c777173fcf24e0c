"""A forgotten password: a link by mail for accounts with an address, or one that a requester makes and passes on."""

from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.forms import PasswordResetForm
from django.contrib.auth.views import PasswordResetConfirmView, PasswordResetView
from django.http import HttpResponse
from django.urls import reverse_lazy
from django.utils.translation import gettext, gettext_noop

from labelling.joining import throttle
from labelling.joining.recovery_mail import send_soon, sends_mail
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
        return super().get_context_data(**kwargs, sends_mail=sends_mail())

    def form_valid(self, form: Any) -> HttpResponse:
        messages.success(self.request, gettext(SENT))
        return super().form_valid(form)


class NewPassword(PasswordResetConfirmView):
    """The page behind a link. It moves the token from the address into the session, as Django does."""

    template_name = "labelling/new_password.html"
    success_url = reverse_lazy("labelling:sign_in")

    def form_valid(self, form: Any) -> HttpResponse:
        messages.success(
            self.request,
            gettext("Your password was changed, and you were signed out everywhere. Sign in with the new one."),
        )
        return super().form_valid(form)
