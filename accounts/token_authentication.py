"""Tell which requester calls the API: by a session of the pages, or by a token of a program."""

from typing import Any

from django.contrib.auth.models import User
from django.db.models import QuerySet
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework.authentication import BaseAuthentication, get_authorization_header
from rest_framework.exceptions import AuthenticationFailed, MethodNotAllowed, PermissionDenied
from rest_framework.permissions import BasePermission
from rest_framework.request import Request

from accounts.models import RequesterToken
from accounts.requester_tokens import find_requester_token
from annotation.models import Project


class RequesterTokenAuthentication(BaseAuthentication):
    """`Authorization: Token TOKEN`."""

    def authenticate(self, request: Request) -> tuple[User, RequesterToken] | None:
        scheme, _, credential = get_authorization_header(request).decode("latin-1").partition(" ")
        if scheme.lower() != "token":
            return None
        token = find_requester_token(credential.strip())
        if token is None:
            raise AuthenticationFailed("This token does not count: it is unknown, expired or revoked. Make another.")
        return token.user, token

    def authenticate_header(self, request: Request) -> str:
        return "Token"


class AllowedByToken(BasePermission):
    """Lets a token in where its scopes hold the one that `view.scopes` names for the method. Pages need no scope."""

    def has_permission(self, request: Request, view: Any) -> bool:
        scope = view.scopes.get("GET" if request.method == "HEAD" else request.method)
        if scope is None:
            raise MethodNotAllowed(request.method or "")
        token = request.auth
        if isinstance(token, RequesterToken) and scope.value not in token.scopes:
            allowed = ", ".join(token.scopes)
            raise PermissionDenied(f"This token allows {allowed}; this call needs {scope.value}: make another token.")
        return True


def opened_by(token: object, projects: QuerySet[Project]) -> QuerySet[Project]:
    """Return the projects that a token opens; all of them for a page, which has none."""
    only = token.project_id if isinstance(token, RequesterToken) else None
    return projects.filter(pk=only) if only else projects


class RequesterTokenSchema(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    target_class = RequesterTokenAuthentication
    name = "requester"

    def get_security_definition(self, auto_schema: object) -> dict[str, str]:
        return {
            "type": "apiKey",
            "in": "header",
            "name": "Authorization",
            "description": "The token of a requester's program: `Token …`.",
        }
