"""Forms of the worker's own data: the e-mail address, and the second question before deleting."""

from typing import Any

from django import forms
from django.contrib.auth.models import User
from django.utils.translation import gettext_lazy

from labelling.joining import throttle

PASSWORDS = 5
"""Tries of the password before deleting, in a quarter of an hour."""


class AddressForm(forms.ModelForm):  # type: ignore[type-arg]
    class Meta:
        model = User
        fields = ("email",)
        labels = {"email": gettext_lazy("E-mail address")}  # noqa: RUF012
        help_texts = {"email": gettext_lazy("For a new password, should you forget yours. Empty: none is kept.")}  # noqa: RUF012


class DeleteForm(forms.Form):
    """Asks for the password, where there is one, and that the worker gives up what is owed, where something is."""

    unpaid = forms.BooleanField(label=gettext_lazy("I know that I may not be paid what is still owed to me."))
    password = forms.CharField(
        label=gettext_lazy("Password"), widget=forms.PasswordInput(attrs={"autocomplete": "current-password"})
    )
    sure = forms.BooleanField(
        label=gettext_lazy("Delete my account and everything listed above. This cannot be undone.")
    )

    def __init__(self, data: Any = None, *, user: User | None, is_owed: bool) -> None:
        super().__init__(data)
        self.user = user
        if not is_owed:
            del self.fields["unpaid"]
        if user is None or not user.has_usable_password():
            del self.fields["password"]

    def clean_password(self) -> str:
        assert self.user is not None
        given = str(self.cleaned_data["password"])
        try:
            throttle.count_try("deleting", str(self.user.pk), most=PASSWORDS)
        except throttle.TooManyTriesError as error:
            raise forms.ValidationError(str(error), code="throttled") from error
        if not self.user.check_password(given):
            raise forms.ValidationError(gettext_lazy("The password is wrong."))
        return given
