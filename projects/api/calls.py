"""The base of the requesters' calls: who calls, what their token allows, and which project they mean."""

from typing import Any, ClassVar, cast

from django.contrib.auth.models import User
from rest_framework import serializers
from rest_framework.authentication import SessionAuthentication
from rest_framework.exceptions import NotFound, PermissionDenied
from rest_framework.parsers import BaseParser
from rest_framework.permissions import IsAuthenticated
from rest_framework.views import APIView

from accounts.may import Action
from accounts.models import RequesterToken, Scope
from accounts.requester_tokens import AllowedByToken, RequesterTokenAuthentication
from annotation.models import Project
from labelling.api import serializers as shapes
from labelling.api.errors import PlainJSONParser
from projects.operation import Caller, Refused, find_project


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
