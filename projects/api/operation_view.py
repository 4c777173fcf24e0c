"""The API calls of operations, derived from their declarations, and the base of each call of a requester."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from itertools import groupby
from typing import Any, ClassVar, cast

from django.contrib.auth.models import User
from django.urls import URLPattern, path
from drf_spectacular.utils import OpenApiParameter, extend_schema
from pydantic import BaseModel, ValidationError, create_model
from rest_framework import exceptions, serializers
from rest_framework.authentication import SessionAuthentication
from rest_framework.exceptions import NotFound, PermissionDenied
from rest_framework.parsers import BaseParser
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.may import Action
from accounts.models import RequesterToken, Scope
from accounts.reauthentication import needs_password
from accounts.requester_tokens import AllowedByToken, RequesterTokenAuthentication
from annotation.models import Project
from labelling.api import serializers as shapes
from labelling.api.errors import PlainJSONParser
from projects.operation import Caller, Input, Operation, Refused, SentFile, find_project
from projects.operation_fields import errors_by_place, input_fields, names_in_path


def refusals(*codes: int) -> dict[int, type[shapes.ErrorShape]]:
    """Return the error responses of a call: these and the ones that every call has."""
    return {code: shapes.ErrorShape for code in (*codes, 400, 401, 403, 503)}


class RequesterCall(APIView):
    """A call by a requester's program or page. `scopes` says by method what a token must allow."""

    authentication_classes = (RequesterTokenAuthentication, SessionAuthentication)
    permission_classes = (IsAuthenticated, AllowedByToken)
    parser_classes: tuple[type[BaseParser], ...] = (PlainJSONParser,)
    scopes: ClassVar[dict[str, Scope]] = {}

    @property
    def user(self) -> User:
        return cast(User, self.request.user)

    @property
    def token(self) -> RequesterToken | None:
        """The program's token; None: a page of the user."""
        return cast(RequesterToken | None, self.request.auth)

    @property
    def caller(self) -> Caller:
        return Caller(self.user, self.user.get_username(), self.token)

    def project(self, name: str, action: Action, *, of_six_tasks: bool = False) -> Project:
        """Return the project in which the caller may do this. Raises NotFound, or PermissionDenied with the role.

        `of_six_tasks`: a survey has nothing of what is asked for.
        """
        try:
            return find_project(name, self.caller, action, surveys=not of_six_tasks)
        except Refused as refused:
            raise (PermissionDenied if refused.status == 403 else NotFound)(str(refused)) from refused

    def read(self, shape: type[serializers.Serializer[Any]], data: Any = None) -> dict[str, Any]:
        serializer = shape(data=self.request.data if data is None else data)
        serializer.is_valid(raise_exception=True)
        return cast(dict[str, Any], serializer.validated_data)


AnyOperation = Operation[Any, Any, Any]
PROJECT = "projects/<slug:project>/"
REAUTHENTICATION_NEEDED = (
    "Money or rights move: give your password again on a page of the service first, or call with a token."
)


def operation_paths(operations: tuple[AnyOperation, ...]) -> list[URLPattern]:
    """Return the addresses of the operations that the API has. What is read gives an address its name."""

    def address(operation: AnyOperation) -> str:
        return f"{PROJECT if operation.of_project else ''}{operation.path}"

    in_api = [operation for operation in operations if operation.path is not None]
    in_api.sort(key=lambda operation: (address(operation), not operation.is_reading))
    return [
        path(place, api_view(*calls).as_view(), name=calls[0].name)
        for place, grouped in groupby(in_api, address)
        for calls in [tuple(grouped)]
    ]


def api_view(*operations: AnyOperation) -> type[RequesterCall]:
    """Return the view of the operations that share an address, one a method."""
    scopes = {operation.method.upper(): operation.scope for operation in operations}
    calls = {operation.method: _call(operation) for operation in operations}
    return type(f"{operations[0].name}_view", (RequesterCall,), {"scopes": scopes, **calls})


def _call(operation: AnyOperation) -> Callable[..., Response]:
    def call(self: RequesterCall, request: Request, project: str = "", **place: Any) -> Response:
        if operation.password and self.token is None and needs_password(request._request):
            return Response({"code": "password_needed", "message": REAUTHENTICATION_NEEDED}, status=403)
        try:
            found = operation.find(project, self.caller)
            given = _read(operation, request, place)
            result = operation.run(found, given, self.caller)
        except Refused as refused:
            return Response({"code": refused.code, "message": str(refused)}, status=refused.status)
        return Response(result.model_dump(mode="json"), status=operation.status)

    call.__doc__ = operation.help
    is_read = operation.method == "get"
    body = None if is_read else _body(operation)
    described = extend_schema(
        operation_id=operation.name,
        request=body,
        parameters=_parameters(operation) if is_read else None,
        responses={
            operation.status: operation.output,
            **refusals(*((404,) if operation.of_project else ()), *operation.refusals),
        },
    )
    return described(call)


def _read(operation: AnyOperation, request: Request, place: Mapping[str, Any]) -> Input:
    """Return the input of a call. Raises ValidationError. JSON must have the right types; an address is text."""
    sent = request.query_params.dict() if operation.method == "get" else request.data
    if not isinstance(sent, Mapping):
        raise exceptions.ValidationError("The request should be an object with named values.")
    if doubled := sent.keys() & place.keys():
        raise exceptions.ValidationError({name: ["This is unknown."] for name in sorted(doubled)})
    values = {**sent, **place}
    try:
        if operation.method == "get":
            return operation.input.model_validate(values)
        return operation.input.model_validate_json(json.dumps(values), strict=True)
    except ValidationError as error:
        raise exceptions.ValidationError(errors_by_place(error)) from error


def _body(operation: AnyOperation) -> type[BaseModel] | None:
    """Return the model of what a call sends: the input without what stands in the address, and without files."""
    fields = operation.input.model_fields
    files = {field.name for field in input_fields(operation) if field.kind is SentFile}
    elsewhere = names_in_path(operation) | files
    # drf-spectacular marks the class of a PATCH as partial: a class of its own keeps the response whole.
    if not elsewhere and operation.method != "patch":
        return operation.input if fields else None
    rest: dict[str, Any] = {name: (info.annotation, info) for name, info in fields.items() if name not in elsewhere}
    if not rest:
        return None
    return create_model(operation.input.__name__, __base__=Input, __doc__=operation.input.__doc__, **rest)


def _parameters(operation: AnyOperation) -> list[OpenApiParameter]:
    in_path = names_in_path(operation)
    return [
        OpenApiParameter(
            field.name,
            field.kind,
            description=field.help,
            required=field.required,
            enum=field.choices or None,
            default=field.default,
        )
        for field in input_fields(operation)
        if field.name not in in_path
    ]
