"""The page of alerts: who is told what, and what was sent; with its forms."""

from typing import Any

from django import forms
from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.db.models.functions import Coalesce
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse

from accounts.models import Membership, Role
from annotation.models import Project
from labelling.messages import no_mail
from projects.access import operation_page
from projects.alerts.operations import (
    change_channel,
    delete_channel,
    mail_alerts,
    make_webhook,
    send_again,
    try_webhook,
)
from projects.alerts.post_hook import last_trial
from projects.dashboard.needs import BUTTON_WORDS, LABELS, NeedKind
from projects.lifecycle.change_state import NextStep
from projects.long_table import ListColumn, LongTable, TableFilter, choice_field, search_field, show_table
from projects.models import Alert, AlertChannel, Delivery
from projects.operation import Operation
from projects.operation_page import CheckedChoices, action_page, do_by_page, form_for, submit_form

DELIVERY_COLUMNS: tuple[ListColumn[Delivery], ...] = (
    ListColumn("alert", lambda row: row.alert.words, "alert", sort="alert__words"),
    ListColumn("to", lambda row: str(row.channel), "to"),
    ListColumn("state", lambda row: row.carrier.get_state_display(), "state", sort="standing"),
    ListColumn("problem", lambda row: row.carrier.problem),
    ListColumn("tries", lambda row: row.carrier.tries, "tries"),
    ListColumn("began", lambda row: row.alert.began_at, "when", sort="alert__began_at"),
    ListColumn("sent", lambda row: row.carrier.sent_at),
)
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


class DeliveryFilter(TableFilter):
    """The fields of the log of deliveries."""

    q = search_field("Alert")
    state = choice_field("State", Delivery.State.choices)


@operation_page(make_webhook, "GET", "POST")
def alerts(request: HttpRequest, project: Project) -> HttpResponseBase:
    """Show the channels and the log of deliveries; POST adds a channel that gets every kind."""
    is_mail = request.POST.get("add") == "mail"
    sent = (MailForm if is_mail else HookForm)(request.POST or None)
    if submit_form(sent, request, project):
        return redirect("projects:alerts", name=project.name)
    channels = list(AlertChannel.objects.filter(project=project).select_related("user"))
    standing = list(Alert.objects.filter(project=project, settled_at=None))
    unasked = _requesters_without_mail(project)
    filters = DeliveryFilter(request.GET)
    table = LongTable("deliveries", "delivery", DELIVERY_COLUMNS, filters, "-began", "Nothing was sent yet.")
    context = {
        "channels": [
            (row, KindsForm(initial={"kinds": row.kinds}, auto_id=f"channel-{row.pk}-%s"), last_trial(row))
            for row in channels
        ],
        "hook": HookForm() if is_mail else sent,
        "mail": sent if is_mail else MailForm(),
        "unasked": unasked,
        "no_mail": no_mail(),
        "standing": standing,
        "step": _next_step(project, standing, channels, unasked),
    }
    return show_table(request, project, table, _deliveries(project, filters), "projects/alerts/alerts.html", context)


def _next_step(
    project: Project, alerts: list[Alert], channels: list[AlertChannel], without_mail: list[str]
) -> NextStep:
    """Return where the standing alert is settled that the dashboard has first, or how somebody is told."""
    found = {alert.kind: alert.path for alert in alerts}
    if kind := next((kind for kind in NeedKind if kind in found), None):
        return NextStep(BUTTON_WORDS[kind], found[kind])
    if not channels:
        return NextStep("Tell a member by mail", "#mail") if without_mail else NextStep("Tell a program", "#hook")
    return NextStep("Look at the dashboard", reverse("projects:dashboard", args=[project.name]))


def _deliveries(project: Project, filters: DeliveryFilter) -> QuerySet[Delivery]:
    """Return the deliveries that pass the filters. `standing`: the state of the mail, or else of the delivery."""
    rows = Delivery.objects.filter(alert__project=project, alert__words__icontains=filters.value("q"))
    rows = rows.annotate(standing=Coalesce("mail__state", "state"))
    if state := filters.value("state"):
        rows = rows.filter(standing=state)
    return rows.select_related("alert", "channel__user", "mail")


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
