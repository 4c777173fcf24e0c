"""Tokens by which programs act for a requester: made, found, revoked, and taken by the API. A token is shown once."""

import hmac
import secrets
from collections.abc import Collection
from datetime import timedelta
from hashlib import sha256
from typing import Any

from django.contrib.auth.models import User
from django.db.models import QuerySet
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework.authentication import BaseAuthentication, get_authorization_header
from rest_framework.exceptions import AuthenticationFailed, MethodNotAllowed, PermissionDenied
from rest_framework.permissions import BasePermission
from rest_framework.request import Request

from accounts.events import Kind, record
from accounts.models import RequesterToken, Scope
from annotation.models import Project
from runtime import clock

PREFIX = 8
MOST_DAYS = 3650
LONGEST_NAME = 100


class TokenError(ValueError):
    """The token cannot be made as asked for."""


def make_requester_token(
    user: User, *, name: str, scopes: Collection[str], project: Project | None = None, days: int | None = None
) -> str:
    """Make a token and return it. `days`: until it expires; None: it never does.

    Raises TokenError for an empty or overlong name, for no scope or an unknown one, and for days outside 1 to 3650.
    """
    unknown = sorted(set(scopes) - set(Scope.values))
    if not 1 <= len(name.strip()) <= LONGEST_NAME:
        raise TokenError(f"A token's name has 1 to {LONGEST_NAME} characters: say where the token is used.")
    if unknown or not scopes:
        wrong = f", not {unknown[0]!r}" if unknown else ""
        raise TokenError(f"Choose one or more of {', '.join(Scope.values)}{wrong}.")
    if days is not None and not 1 <= days <= MOST_DAYS:
        raise TokenError(f"A token lasts 1 to {MOST_DAYS} days, not {days}.")
    token = secrets.token_urlsafe(36)
    RequesterToken.objects.create(
        user=user,
        name=name.strip(),
        project=project,
        scopes=sorted(set(scopes)),
        prefix=token[:PREFIX],
        digest=_digest(token),
        expires_at=clock.now() + timedelta(days=days) if days else None,
    )
    return token


def find_requester_token(token: str) -> RequesterToken | None:
    """Return the row of a token that counts; None if it is unknown, revoked or expired, or its user is not active."""
    if not token.isprintable():
        return None
    row = RequesterToken.objects.select_related("user", "project").filter(prefix=token[:PREFIX]).first()
    # An unknown prefix is compared, too, so that the time taken does not tell which prefixes exist.
    right = hmac.compare_digest(_digest(token), row.digest if row else "0" * 64)
    now = clock.now()
    if row is None or not right or row.revoked_at or not row.user.is_active:
        return None
    if row.expires_at is not None and row.expires_at <= now:
        return None
    if row.used_on != now.date():
        RequesterToken.objects.filter(pk=row.pk).update(used_on=now.date())
    return row


def revoke_requester_token(user: User, token_id: int) -> bool:
    """Revoke a token of the user from now on. Returns False if the user has no such token that counts."""
    mine = RequesterToken.objects.filter(user=user, pk=token_id, revoked_at=None)
    if mine.update(revoked_at=clock.now()) != 1:
        return False
    record(Kind.KEYS, f"token {token_id} of {user}", result="revoked")
    return True


def _digest(token: str) -> str:
    return sha256(token.encode()).hexdigest()


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
