"""Calls on the settings of a project: read them, and change some with a reason."""

from django.db import transaction
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.may import Action
from accounts.models import Scope
from labelling.api.survey_shapes import Shape
from pipeline.project.settings_versions import change_settings, current_settings, hold_settings
from pipeline.settings.settings import Settings
from projects.api.calls import RequesterCall, refusals
from projects.predictions.judges import check_model_annotators

# A value of the wrong type fails in the rules' own operations, with one of these.
WRONG = (ValueError, TypeError, KeyError, AttributeError)


class SettingsShape(Shape):
    version = serializers.IntegerField()
    values = serializers.JSONField(help_text="All settings by name; docs/reference/settings.md describes each.")


class ChangeShape(Shape):
    values = serializers.JSONField(help_text="Settings to change, by name. The others stay.")
    reason = serializers.CharField(max_length=200)
    based_on = serializers.IntegerField(min_value=1, help_text="The version that you read.")


class SettingsCall(RequesterCall):
    scopes = {"GET": Scope.READ, "PATCH": Scope.WRITE}  # noqa: RUF012  # the base class declares it

    @extend_schema(operation_id="settings", responses={200: SettingsShape, **refusals(404)})
    def get(self, request: Request, project: str) -> Response:
        """Return all settings, and the number of their version."""
        version, settings = current_settings(self.project(project, Action.MANAGE).pk)
        return Response({"version": version, "values": settings.to_json()})

    @extend_schema(
        operation_id="change_settings",
        request=ChangeShape,
        responses={200: SettingsShape, **refusals(404, 409)},
    )
    @transaction.atomic
    def patch(self, request: Request, project: str) -> Response:
        """Change settings by name. Refused if somebody has changed them since you read them."""
        found = self.project(project, Action.MANAGE)
        data = self.read(ChangeShape)
        version, current = hold_settings(found.pk)
        if version != data["based_on"]:
            message = f"Version {version} was made in the meantime: read the settings again, and start from that."
            return Response({"code": "changed", "message": message}, status=409)
        settings = _changed(current, data["values"])
        if settings == current:
            raise ValidationError("These are the current settings: nothing would change.")
        version = change_settings(
            project_id=found.pk, settings=settings, reason=data["reason"], made_by=self.user.get_username()
        )
        return Response({"version": version, "values": settings.to_json()})


def _changed(current: Settings, values: object) -> Settings:
    if not isinstance(values, dict):
        raise ValidationError('Write an object: {"name": value, ...}.')
    try:
        settings = Settings.from_json({**current.to_json(), **values})
        settings.edited_dictionaries()
        check_model_annotators(settings)
    except WRONG as error:
        raise ValidationError(f"{error}") from error
    return settings
