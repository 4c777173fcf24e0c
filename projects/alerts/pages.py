"""The page of alerts: who is told what, and what was sent; with its forms."""

from typing import Any

from django import forms
from django.contrib.auth.models import User
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from accounts.models import Membership, Role
from annotation.models import Project
from labelling.messages.outbox import no_mail
from projects.access import operation_page
from projects.alerts.operations import (
    change_channel,
    delete_channel,
    mail_alerts,
    make_webhook,
    send_again,
    try_webhook,
)
from projects.alerts.try_channel import last_trial
from projects.dashboard.needs import LABELS, NeedKind
from projects.models import Alert, AlertChannel, Delivery
from projects.operation import Operation
from projects.operation_form import CheckedChoices, form_for
from projects.operation_page import action_page, do_by_page, submit_form

ALERTS_PER_PAGE = 50
ALERT_KINDS = CheckedChoices(
    choices=[(kind.value, LABELS[kind]) for kind in NeedKind],
    required=False,
    label="What is sent",
    widget=forms.CheckboxSelectMultiple,
)
KindsForm = form_for(change_channel, without=("channel",), kinds=ALERT_KINDS)
HookForm = form_for(make_webhook, without=("kinds",))
MailForm = form_for(mail_alerts)
CHANNEL_ACTS: dict[str, Operation[Any, Any, Any]] = {"delete": delete_channel, "test": try_webhook}
"""Operations by the name of the button; the others choose kinds."""


@operation_page(make_webhook, "GET", "POST")
def alerts(request: HttpRequest, project: Project) -> HttpResponse:
    """Show the channels and the log of deliveries; POST adds a channel that gets every kind."""
    is_mail = request.POST.get("add") == "mail"
    sent = (MailForm if is_mail else HookForm)(request.POST or None)
    if submit_form(sent, request, project):
        return redirect("projects:alerts", name=project.name)
    channels = AlertChannel.objects.filter(project=project).select_related("user")
    log = Delivery.objects.filter(alert__project=project).select_related("alert", "channel__user", "mail")
    context = {
        "project": project,
        "channels": [
            (row, KindsForm(initial={"kinds": row.kinds}, auto_id=f"channel-{row.pk}-%s"), last_trial(row))
            for row in channels
        ],
        "hook": HookForm() if is_mail else sent,
        "mail": sent if is_mail else MailForm(),
        "unasked": _requesters_without_mail(project),
        "no_mail": no_mail(),
        "standing": Alert.objects.filter(project=project, settled_at=None),
        "page": Paginator(log, ALERTS_PER_PAGE).get_page(request.GET.get("page")),
    }
    return render(request, "projects/alerts/alerts.html", context)


def _requesters_without_mail(project: Project) -> list[str]:
    """Return the names of the requesters with an address who get no alerts by mail yet."""
    requesters = Membership.objects.filter(project=project, role=Role.REQUESTER).values("user")
    told = AlertChannel.objects.filter(project=project, kind=AlertChannel.Kind.MAIL).values("user")
    found = User.objects.filter(pk__in=requesters, is_active=True).exclude(email="").exclude(pk__in=told)
    return list(found.order_by("username").values_list("username", flat=True))


@operation_page(change_channel, "POST")
def channel(request: HttpRequest, project: Project, channel: int) -> HttpResponse:
    """Change which kinds a channel gets, try a webhook, or delete it."""
    operation = next((CHANNEL_ACTS[name] for name in CHANNEL_ACTS if name in request.POST), change_channel)
    do_by_page(operation, request, project, channel=channel)
    return redirect("projects:alerts", name=project.name)


send_again_page = action_page(send_again, "projects:alerts")
