"""Calls on what a requester tells of the data set, for the card beside every export."""

from functools import partial

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.may import Action
from accounts.models import Scope
from annotation.data_card import CARD_FIELDS, CardField, fault_in, given, to_store
from labelling.api.survey_shapes import Shape
from projects.api.calls import RequesterCall, refusals


def _field(field: CardField) -> serializers.CharField:
    return serializers.CharField(
        max_length=field.most,
        required=False,
        allow_blank=True,
        help_text=field.help,
        validators=[partial(_check, field)],
    )


def _check(field: CardField, text: str) -> None:
    if fault := fault_in(field, text):
        raise serializers.ValidationError(fault)


DataCardShape = type("DataCardShape", (Shape,), {field.name: _field(field) for field in CARD_FIELDS})
"""A text for each of CARD_FIELDS."""


class DataCardCall(RequesterCall):
    scopes = {"GET": Scope.READ, "PATCH": Scope.WRITE}  # noqa: RUF012  # the base class declares it

    @extend_schema(operation_id="data_card", responses={200: DataCardShape, **refusals(404)})
    def get(self, request: Request, project: str) -> Response:
        """Return what you told of the data set; empty texts are not given."""
        return Response(given(self.project(project, Action.MANAGE).data_card))

    @extend_schema(
        operation_id="change_data_card", request=DataCardShape, responses={200: DataCardShape, **refusals(404)}
    )
    def patch(self, request: Request, project: str) -> Response:
        """Tell something of the data set; fields that you leave out stay, and an empty text takes one back."""
        found = self.project(project, Action.MANAGE)
        found.data_card = to_store({**found.data_card, **self.read(DataCardShape)})
        found.save(update_fields=["data_card"])
        return Response(given(found.data_card))
