"""Forms of the page of alerts."""

from typing import Any

from django import forms
from django.contrib.auth.models import User

from annotation.models import Project
from campaign.alerts.post_hook import HookError, check_url
from campaign.dashboard.needs import LABELS, Kind
from campaign.models import AlertChannel
from members.models import Membership, Role

KINDS = [(kind.value, LABELS[kind]) for kind in Kind]


class KindsForm(forms.ModelForm):  # type: ignore[type-arg]
    """The kinds of alerts that a channel gets."""

    kinds = forms.MultipleChoiceField(
        choices=KINDS, required=False, label="What is sent", widget=forms.CheckboxSelectMultiple
    )

    class Meta:
        model = AlertChannel
        fields = ("kinds",)


class HookForm(forms.Form):
    """A new webhook."""

    url = forms.CharField(
        max_length=500,
        label="Address",
        help_text="It gets a POST with JSON, signed with a key that the next page shows.",
    )

    def clean_url(self) -> str:
        url: str = self.cleaned_data["url"].strip()
        try:
            check_url(url)
        except HookError as error:
            raise forms.ValidationError(str(error)) from error
        return url


class MailForm(forms.Form):
    """A member who gets mail."""

    user = forms.ModelChoiceField(User.objects.none(), label="Member", empty_label=None)

    def __init__(self, project: Project, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        requesters = Membership.objects.filter(project=project, role=Role.REQUESTER).values("user")
        told = AlertChannel.objects.filter(project=project, kind=AlertChannel.Kind.MAIL).values("user")
        found = User.objects.filter(pk__in=requesters, is_active=True).exclude(email="").exclude(pk__in=told)
        self.fields["user"].queryset = found.order_by("username")  # type: ignore[attr-defined]
