"""Signing in by an OpenID Connect provider: who may come in, and whom its claims make an administrator."""

from collections.abc import Mapping
from fnmatch import fnmatch
from typing import Any

from allauth.core.exceptions import ImmediateHttpResponse
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from allauth.socialaccount.models import SocialLogin
from django.conf import settings
from django.http import HttpRequest
from django.shortcuts import render
from django.utils.translation import gettext

from accounts.events import Kind, record


class ProviderAdapter(DefaultSocialAccountAdapter):
    """Reads the claims of the ID token: at each sign-in, so that what the provider takes away ends here, too."""

    def pre_social_login(self, request: HttpRequest, login: SocialLogin) -> None:
        claims, user = login.account.extra_data["id_token"], login.user
        if settings.OIDC_ALLOW and not has_claim(claims, settings.OIDC_ALLOW):
            record(Kind.FAILED_SIGN_IN, "by the provider, whose claims do not let in", result="refused")
            words = gettext("Your account at the provider may not come in here.")
            raise ImmediateHttpResponse(render(request, "403.html", {"exception": words}, status=403))
        if settings.OIDC_ADMINISTRATORS:
            user.is_superuser = has_claim(claims, settings.OIDC_ADMINISTRATORS)
            if user.pk is not None:
                user.save(update_fields=["is_superuser"])

    def is_open_for_signup(self, request: HttpRequest, login: SocialLogin) -> bool:
        """Make an account for whoever may come in."""
        return True


def has_claim(claims: Mapping[str, Any], patterns: list[tuple[str, str]]) -> bool:
    """Tell whether a claim has a value like its pattern, in one pair of both, which may be lists.

    An e-mail address that the provider has not verified counts for nothing.
    """
    return any(
        fnmatch(str(value).casefold(), pattern.casefold())
        for name, pattern in patterns
        if name != "email" or claims.get("email_verified") is True
        for value in _values(claims.get(name))
    )


def _values(claim: Any) -> list[Any]:
    return claim if isinstance(claim, list) else [] if claim is None else [claim]
