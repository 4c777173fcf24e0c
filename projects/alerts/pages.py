"""The page of alerts: who is told what, and what was sent; with its forms."""

from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.models import User
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render

from accounts.models import Membership, Role
from annotation.models import Project
from labelling.messages.outbox import mail_is_on
from labelling.messages.outbox import send_again as send_mail_again
from projects.access import managers_only
from projects.alerts.make_hook import make_hook
from projects.alerts.post_hook import HookError, check_url
from projects.alerts.try_channel import last_trial, try_soon
from projects.dashboard.needs import EVERYTHING, LABELS, Kind
from projects.models import Alert, AlertChannel, Delivery
from runtime import clock

KINDS = [(kind.value, LABELS[kind]) for kind in Kind]
SHOWN = 50


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


@managers_only("GET", "POST")
def alerts(request: HttpRequest, project: Project) -> HttpResponse:
    """Show the channels and the log of deliveries; POST adds a channel that gets every kind."""
    hook, mail = HookForm(), MailForm(project)
    if request.method == "POST":
        if request.POST.get("add") == "mail":
            mail = MailForm(project, request.POST)
            if mail.is_valid():
                user = mail.cleaned_data["user"]
                of = {"project": project, "kind": "mail", "user": user}
                AlertChannel.objects.get_or_create(**of, defaults={"kinds": EVERYTHING})  # the form was sent twice
                messages.success(request, f"{user} gets every alert by mail. Choose fewer below.")
                return redirect("projects:alerts", name=project.name)
        else:
            hook = HookForm(request.POST)
            if hook.is_valid():
                made = make_hook(project, hook.cleaned_data["url"], EVERYTHING)
                messages.success(request, f"The webhook is added. Its key, shown only now: {made.secret}")
                return redirect("projects:alerts", name=project.name)
    channels = AlertChannel.objects.filter(project=project).select_related("user")
    log = Delivery.objects.filter(alert__project=project).select_related("alert", "channel__user", "mail")
    context = {
        "project": project,
        "channels": [(one, KindsForm(instance=one, prefix=f"c{one.pk}"), last_trial(one)) for one in channels],
        "hook": hook,
        "mail": mail,
        "mail_is_on": mail_is_on(),
        "standing": Alert.objects.filter(project=project, settled_at=None),
        "page": Paginator(log, SHOWN).get_page(request.GET.get("page")),
    }
    return render(request, "projects/alerts/alerts.html", context)


@managers_only("POST")
def channel(request: HttpRequest, project: Project, channel_id: int) -> HttpResponse:
    """Change which kinds a channel gets, try a webhook, or delete it."""
    row = get_object_or_404(AlertChannel, pk=channel_id, project=project)
    if "delete" in request.POST:
        row.delete()
        messages.success(request, f"Deleted: {row}.")
    elif "test" in request.POST and row.kind == AlertChannel.Kind.HOOK:
        try_soon(row)
        messages.success(request, f"A test is on its way: {row}. Look here again in a moment, whether it was taken.")
    else:
        form = KindsForm(request.POST, instance=row, prefix=f"c{row.pk}")
        if form.is_valid():
            form.save()
            messages.success(request, f"Saved: {row}.")
        else:
            messages.error(request, f"Nothing was changed: {form.errors['kinds'][0]}")
    return redirect("projects:alerts", name=project.name)


@managers_only("POST")
def send_again(request: HttpRequest, project: Project, delivery_id: int) -> HttpResponse:
    """Make a delivery that was given up, or that waits, due now, with all its tries."""
    row = get_object_or_404(Delivery.objects.select_related("mail"), pk=delivery_id, alert__project=project)
    unsent = Delivery.objects.filter(pk=row.pk).exclude(state=Delivery.State.SENT)
    due_now = {"state": Delivery.State.DUE, "due_at": clock.now(), "tries": 0}
    if send_mail_again(row.mail.pk) if row.mail else unsent.update(**due_now):
        messages.success(request, "It is sent again within a minute.")
    else:
        messages.error(request, "It was taken already.")
    return redirect("projects:alerts", name=project.name)
