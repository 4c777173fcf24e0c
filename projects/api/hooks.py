"""Calls on alerts: webhooks that get them, a test of each, and the log of what was sent."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.may import Action
from accounts.models import Scope
from labelling.api.survey_shapes import Shape
from projects.alerts.make_hook import make_hook
from projects.alerts.post_hook import HookError, check_url
from projects.alerts.try_channel import last_trial, try_soon
from projects.api.calls import FromShape, RequesterCall, refusals
from projects.dashboard.needs import EVERYTHING
from projects.models import AlertChannel, Delivery


class KindsShape(Shape):
    kinds = serializers.ListField(
        child=serializers.ChoiceField(choices=EVERYTHING), help_text="The kinds of alerts that are sent."
    )


class NewHookShape(Shape):
    url = serializers.CharField(max_length=500, help_text="It gets a POST with JSON, signed with the key.")
    kinds = serializers.ListField(
        child=serializers.ChoiceField(choices=EVERYTHING), required=False, help_text="Left out: every kind."
    )


class ChannelShape(Shape):
    id = serializers.IntegerField()
    channel = serializers.ChoiceField(choices=AlertChannel.Kind.values)
    address = serializers.CharField()
    kinds = serializers.ListField(child=serializers.CharField())
    created_at = serializers.DateTimeField()


class MadeHookShape(ChannelShape):
    key = serializers.CharField(help_text="Signs what the webhook gets; shown only here.")


class TriedHookShape(Shape):
    taken = serializers.BooleanField(allow_null=True, help_text="Null until the test has ended, or if there was none.")
    problem = serializers.CharField(help_text="Why it was not taken, or empty.")


class DeliveryShape(Shape):
    id = serializers.IntegerField()
    channel = serializers.IntegerField(help_text="Id of the webhook or mailbox.")
    kind = serializers.CharField(help_text="The kind of alert.")
    words = serializers.CharField()
    state = serializers.ChoiceField(choices=Delivery.State.values)
    tries = serializers.IntegerField()
    problem = serializers.CharField(help_text="Why the last try failed.")
    due_at = serializers.DateTimeField(help_text="The time of the next try, if it is due.")
    sent_at = serializers.DateTimeField(allow_null=True)


class DeliveriesShape(Shape):
    deliveries = DeliveryShape(many=True)
    after = serializers.IntegerField(allow_null=True, help_text="Ask for the next rows with it; null: no more.")


class HooksCall(RequesterCall):
    scopes = {"GET": Scope.READ, "POST": Scope.WRITE}  # noqa: RUF012  # the base class declares it

    @extend_schema(operation_id="alert_channels", responses={200: ChannelShape(many=True), **refusals(404)})
    def get(self, request: Request, project: str) -> Response:
        """List the webhooks and mailboxes that get the project's alerts."""
        found = self.project(project, Action.MANAGE)
        return Response([_as_json(one) for one in found.alert_channels.select_related("user")])

    @extend_schema(
        operation_id="make_webhook",
        request=NewHookShape,
        responses={201: MadeHookShape, **refusals(404)},
    )
    def post(self, request: Request, project: str) -> Response:
        """Add a webhook. Its key, which signs what it gets, is in this answer and nowhere else."""
        found = self.project(project, Action.MANAGE)
        asked = self.read(NewHookShape)
        try:
            check_url(asked["url"])
        except HookError as error:
            raise ValidationError(str(error)) from error
        made = make_hook(found, asked["url"], asked.get("kinds", EVERYTHING))
        return Response({**_as_json(made), "key": made.secret}, status=201)


class HookCall(RequesterCall):
    scopes = {"PATCH": Scope.WRITE, "DELETE": Scope.WRITE}  # noqa: RUF012

    @extend_schema(
        operation_id="change_alert_channel",
        request=KindsShape,
        responses={200: ChannelShape, **refusals(404)},
    )
    def patch(self, request: Request, project: str, channel_id: int) -> Response:
        """Choose which kinds of alerts a webhook or mailbox gets."""
        row = _channel(self, project, channel_id)
        row.kinds = self.read(KindsShape)["kinds"]
        row.save(update_fields=["kinds"])
        return Response(_as_json(row))

    @extend_schema(operation_id="delete_alert_channel", responses={204: None, **refusals(404)})
    def delete(self, request: Request, project: str, channel_id: int) -> Response:
        """Delete a webhook or mailbox, with its part of the log."""
        _channel(self, project, channel_id).delete()
        return Response(status=204)


class TryHookCall(RequesterCall):
    scopes = {"GET": Scope.READ, "POST": Scope.WRITE}  # noqa: RUF012

    @extend_schema(operation_id="tried_webhook", responses={200: TriedHookShape, **refusals(404)})
    def get(self, request: Request, project: str, channel_id: int) -> Response:
        """Tell whether the last test of a webhook was taken."""
        return _tried(_channel(self, project, channel_id))

    @extend_schema(operation_id="try_webhook", request=None, responses={200: TriedHookShape, **refusals(404)})
    def post(self, request: Request, project: str, channel_id: int) -> Response:
        """Send a message of the kind `test` to a webhook soon, once. GET tells whether it was taken."""
        row = _channel(self, project, channel_id)
        if row.kind != AlertChannel.Kind.HOOK:
            raise ValidationError("This is a mailbox: only webhooks are tested.")
        try_soon(row)
        return _tried(row)


class DeliveriesCall(RequesterCall):
    scopes = {"GET": Scope.READ}  # noqa: RUF012

    @extend_schema(
        operation_id="deliveries",
        parameters=[FromShape],
        responses={200: DeliveriesShape, **refusals(404)},
    )
    def get(self, request: Request, project: str) -> Response:
        """Return the log of what was sent or is still to be sent, oldest first, after the row with the id `after`."""
        found = self.project(project, Action.MANAGE)
        page, after = self.page_of(Delivery.objects.filter(alert__project=found).select_related("alert", "mail"))
        values = [
            {
                "id": row.pk,
                "channel": row.channel_id,
                "kind": row.alert.kind,
                "words": row.alert.words,
                "state": row.carrier.state,
                "tries": row.carrier.tries,
                "problem": row.carrier.problem,
                "due_at": row.carrier.due_at,
                "sent_at": row.carrier.sent_at,
            }
            for row in page
        ]
        return Response({"deliveries": values, "after": after})


def _tried(row: AlertChannel) -> Response:
    trial = last_trial(row)
    return Response({"taken": trial and trial.taken, "problem": trial.problem if trial else ""})


def _channel(call: RequesterCall, project: str, channel_id: int) -> AlertChannel:
    found = call.project(project, Action.MANAGE)
    return call.row(found.alert_channels.select_related("project", "user"), channel_id, "webhook or mailbox")


def _as_json(channel: AlertChannel) -> dict[str, Any]:
    return {
        "id": channel.pk,
        "channel": channel.kind,
        "address": channel.url or (channel.user.email if channel.user else ""),
        "kinds": channel.kinds,
        "created_at": channel.created_at,
    }
