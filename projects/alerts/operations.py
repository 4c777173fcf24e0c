"""Operations on alerts: who gets them, a test of each webhook, and the log of what was sent."""

from __future__ import annotations

import secrets
from datetime import datetime
from typing import Annotated

from annotated_types import MaxLen
from pydantic import Field, RootModel

from accounts.events import Kind as EventKind
from accounts.events import record
from accounts.models import Membership, Role
from annotation.models import Project
from labelling.messages import no_mail
from labelling.messages import send_again as send_mail_again
from projects.alerts.post_hook import HookError, check_url, last_trial, try_soon
from projects.dashboard.needs import EVERYTHING
from projects.models import AlertChannel, Delivery
from projects.operation import (
    Acknowledgement,
    AsOption,
    Caller,
    Choice,
    Input,
    NoInput,
    Output,
    Refused,
    RowsAfter,
    find_row,
    operation,
)
from runtime import clock

AlertKinds = Annotated[list[Annotated[str, Choice(EVERYTHING)]], AsOption(), Field(title="What is sent")]


class NewWebhook(Input):
    url: Annotated[str, MaxLen(500), Field(title="Address")]
    """It gets a POST with JSON, signed with a key that is shown once."""
    kinds: AlertKinds = Field(default_factory=lambda: list(EVERYTHING))
    """The kinds of alerts that are sent."""


class MailRecipient(Input):
    member: str
    """The name of a requester of the project with an e-mail address."""


class ChannelNumber(Input):
    channel: int
    """The id of a webhook or mailbox."""


class KindsOfChannel(ChannelNumber):
    kinds: AlertKinds
    """The kinds of alerts that are sent."""


class DeliveryNumber(Input):
    delivery: int


class AlertChannelShown(Output):
    id: int
    channel: Annotated[str, Choice(AlertChannel.Kind.values)]
    address: str
    kinds: list[str]
    created_at: datetime


class WebhookWithKey(AlertChannelShown):
    key: str
    """Signs what the webhook gets; shown only here."""


class Channels(RootModel[list[AlertChannelShown]]):
    pass


class TestOfWebhook(Output):
    taken: bool | None
    """Null until the test has ended, or if there was none."""
    problem: str
    """The reason why it was not taken, or empty."""


class DeliveryOfAlert(Output):
    id: int
    channel: int
    """The id of the webhook or mailbox."""
    kind: str
    """The kind of alert."""
    words: str
    state: Annotated[str, Choice(Delivery.State.values)]
    tries: int
    problem: str
    """The reason why the last try failed."""
    due_at: datetime
    """The time of the next try, if it is due."""
    sent_at: datetime | None


class DeliveriesOfAlerts(Output):
    deliveries: list[DeliveryOfAlert]
    after: int | None
    """Ask for the next rows with it; null: no more."""


GUIDE = "../how-to/watch.md"


@operation(name="alert_channels", surveys=True, path="alert-channels/", method="get")
def list_channels(project: Project, inputs: NoInput, caller: Caller) -> Channels:
    """List the webhooks and mailboxes that get the project's alerts."""
    return Channels([_channel(row) for row in project.alert_channels.select_related("user")])


@operation(
    surveys=True,
    path="alert-channels/",
    status=201,
    say=lambda made: f"The webhook is added. Its key, shown only now: {made.key}",
    guide=GUIDE,
)
def make_webhook(project: Project, inputs: NewWebhook, caller: Caller) -> WebhookWithKey:
    """Add a webhook. Its key, which signs what it gets, is in this answer and nowhere else."""
    url, key = inputs.url.strip(), secrets.token_hex(32)
    try:
        check_url(url)
    except HookError as error:
        raise Refused("invalid", str(error), 400, field="url") from error
    kind = AlertChannel.Kind.HOOK
    row = AlertChannel.objects.create(project=project, kind=kind, url=url, secret=key, kinds=inputs.kinds)
    record(EventKind.KEYS, f"webhook {row.pk} of {project}", result="made")
    return WebhookWithKey(**_channel(row).model_dump(), key=key)


@operation(surveys=True, path="alert-channels/mail/", guide=GUIDE)
def mail_alerts(project: Project, inputs: MailRecipient, caller: Caller) -> Acknowledgement:
    """Send a requester of the project every alert by mail."""
    members = Membership.objects.filter(project=project, role=Role.REQUESTER, user__is_active=True)
    member = members.exclude(user__email="").filter(user__username=inputs.member).first()
    if member is None:
        raise Refused("invalid", "This is no requester of the project with an e-mail address.", 400, field="member")
    of = {"project": project, "kind": AlertChannel.Kind.MAIL, "user": member.user}
    AlertChannel.objects.get_or_create(**of, defaults={"kinds": EVERYTHING})  # the form was sent twice
    return Acknowledgement(sentence=f"{member.user} gets every alert by mail. {no_mail() or 'Choose fewer below.'}")


@operation(
    name="change_alert_channel",
    surveys=True,
    path="alert-channels/<int:channel>/",
    method="patch",
    say=lambda row: f"Saved: {row.address}.",
)
def change_channel(project: Project, inputs: KindsOfChannel, caller: Caller) -> AlertChannelShown:
    """Choose which kinds of alerts a webhook or mailbox gets."""
    row = _row(project, inputs)
    row.kinds = inputs.kinds
    row.save(update_fields=["kinds"])
    return _channel(row)


@operation(name="delete_alert_channel", surveys=True, path="alert-channels/<int:channel>/", method="delete")
def delete_channel(project: Project, inputs: ChannelNumber, caller: Caller) -> Acknowledgement:
    """Delete a webhook or mailbox, with its part of the log."""
    row = _row(project, inputs)
    row.delete()
    return Acknowledgement(sentence=f"Deleted: {row}.")


@operation(name="tried_webhook", surveys=True, path="alert-channels/<int:channel>/test/", method="get")
def webhook_test(project: Project, inputs: ChannelNumber, caller: Caller) -> TestOfWebhook:
    """Return whether the server took the last test of a webhook."""
    trial = last_trial(_row(project, inputs))
    return TestOfWebhook(taken=trial and trial.taken, problem=trial.problem if trial else "")


@operation(
    surveys=True,
    path="alert-channels/<int:channel>/test/",
    say=lambda tried: "A test is on its way. Look here again in a moment, whether it was taken.",
)
def try_webhook(project: Project, inputs: ChannelNumber, caller: Caller) -> TestOfWebhook:
    """Send a message of the kind `test` to a webhook soon, once. GET tells whether it was taken."""
    row = _row(project, inputs)
    if row.kind != AlertChannel.Kind.HOOK:
        raise Refused("invalid", "This is a mailbox: only webhooks are tested.", 400)
    try_soon(row)
    return webhook_test(project, inputs, caller)


@operation(name="deliveries", surveys=True, path="deliveries/", method="get")
def list_deliveries(project: Project, inputs: RowsAfter, caller: Caller) -> DeliveriesOfAlerts:
    """Return the log of what was sent or is still to be sent, oldest first, after the row with the id `after`."""
    page, after = inputs.read(Delivery.objects.filter(alert__project=project).select_related("alert", "mail"))
    return DeliveriesOfAlerts(deliveries=[_delivery(row) for row in page], after=after)


@operation(surveys=True, path="deliveries/<int:delivery>/", refusals=(409,))
def send_again(project: Project, inputs: DeliveryNumber, caller: Caller) -> Acknowledgement:
    """Make a delivery that was given up, or that waits, due now, with all its tries."""
    rows = Delivery.objects.filter(alert__project=project)
    row = find_row(rows.select_related("mail"), inputs.delivery, "delivery")
    unsent = rows.filter(pk=row.pk).exclude(state=Delivery.State.SENT)
    due_now = {"state": Delivery.State.DUE, "due_at": clock.now(), "tries": 0}
    if not (send_mail_again(row.mail.pk) if row.mail else unsent.update(**due_now)):
        raise Refused("not_possible", "It was taken already.")
    return Acknowledgement(sentence="It is sent again within a minute.")


def _row(project: Project, inputs: ChannelNumber) -> AlertChannel:
    return find_row(project.alert_channels.select_related("project", "user"), inputs.channel, "webhook or mailbox")


def _channel(row: AlertChannel) -> AlertChannelShown:
    address = row.url or (row.user.email if row.user else "")
    return AlertChannelShown(id=row.pk, channel=row.kind, address=address, kinds=row.kinds, created_at=row.created_at)


def _delivery(row: Delivery) -> DeliveryOfAlert:
    sent = {name: getattr(row.carrier, name) for name in ("state", "tries", "problem", "due_at", "sent_at")}
    return DeliveryOfAlert(id=row.pk, channel=row.channel_id, kind=row.alert.kind, words=row.alert.words, **sent)
