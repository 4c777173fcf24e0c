"""Forms to sign in and to create an account."""

from typing import Any

from django import forms
from django.contrib.auth.forms import AuthenticationForm, PasswordChangeForm, UserCreationForm
from django.contrib.auth.models import User
from django.http import HttpRequest
from django.utils.translation import gettext_lazy

from accounts.events import Kind, record
from labelling.joining import throttle
from workers.address_of import address_of

TRIES_PER_ACCOUNT = 5
"""From one address."""
TRIES_PER_ADDRESS = 50
JOINS_PER_ADDRESS = 60
"""A whole school class may join from one address."""


class ThrottledForm(AuthenticationForm):
    """Limits wrong tries: a few for one name from one address, and more for all names from one address.

    Tries from elsewhere do not count, so that nobody can lock another person out.
    """

    def clean(self) -> dict[str, Any]:
        if "username" not in self.cleaned_data or "password" not in self.cleaned_data:
            return self.cleaned_data
        address = address_of(self.request) if self.request else ""
        name = f"{address} {self.cleaned_data['username'].casefold()}"
        try:
            throttle.count_try("address", address, most=TRIES_PER_ADDRESS)
            throttle.count_try("account", name, most=TRIES_PER_ACCOUNT)
        except throttle.TooManyTriesError as error:
            raise forms.ValidationError(str(error), code="throttled") from error
        cleaned = super().clean()  # a wrong password ends here
        throttle.take_back("address", address)
        throttle.forget("account", name)
        return cleaned


class OldPassword:
    """Mixed into a form that changes a password: limits wrong tries of the old one, as those to sign in."""

    user: User

    def clean_old_password(self) -> str:
        try:
            throttle.count_try("old password", str(self.user.pk), most=TRIES_PER_ACCOUNT)
        except throttle.TooManyTriesError as error:
            raise forms.ValidationError(str(error), code="throttled") from error
        try:
            given: str = super().clean_old_password()  # type: ignore[misc]
        except forms.ValidationError:
            record(Kind.FAILED_SIGN_IN, "the old password, to change it", result="refused")
            raise
        throttle.forget("old password", str(self.user.pk))
        return given


class ChangePasswordForm(OldPassword, PasswordChangeForm):  # type: ignore[type-arg]
    """Asks for the old password and, twice, for the new one."""


class SignInForm(ThrottledForm):
    """Gives the same message after the same time for an unknown name and for a wrong password."""

    error_messages = {  # noqa: RUF012
        "invalid_login": gettext_lazy("The name or the password is wrong. Both are case-sensitive."),
        "inactive": gettext_lazy("The name or the password is wrong. Both are case-sensitive."),
    }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["username"].label = gettext_lazy("Name")


class JoinForm(UserCreationForm):  # type: ignore[type-arg]
    """An account for a visitor with an invitation. `join_project` saves the user and uses the invitation up."""

    class Meta(UserCreationForm.Meta):
        fields = ("username", "email")
        labels = {"username": gettext_lazy("Name"), "email": gettext_lazy("E-mail address (optional)")}  # noqa: RUF012
        help_texts = {  # noqa: RUF012
            "username": gettext_lazy("You sign in with this name. Use letters, digits and @ . + - _"),
            "email": gettext_lazy("Only for a new password, should you forget yours."),
        }

    def __init__(self, request: HttpRequest, data: Any = None) -> None:
        super().__init__(data)
        self.request = request
        # A phone would scroll to the form, past the project, its tasks and their pay.
        del self.fields["username"].widget.attrs["autofocus"]
        self.fields["password1"].help_text = gettext_lazy("At least 8 characters, and not a common password.")
        self.fields["password2"].label = gettext_lazy("Repeat the password")
        self.fields["password2"].help_text = ""

    def clean(self) -> dict[str, Any] | None:
        try:
            throttle.count_try("joining", address_of(self.request), most=JOINS_PER_ADDRESS)
        except throttle.TooManyTriesError as error:
            raise forms.ValidationError(str(error), code="throttled") from error
        return super().clean()
