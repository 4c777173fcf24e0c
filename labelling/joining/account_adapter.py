"""The parts of signing in that are Chainbox's own: where it leads, how mail is sent, and how tries are counted."""

import re
from collections.abc import Callable, Iterator, Mapping
from fnmatch import fnmatch
from typing import Any
from urllib.parse import urlsplit

from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.forms import default_token_generator
from allauth.account.utils import user_pk_to_url_str
from allauth.core.exceptions import ImmediateHttpResponse
from allauth.mfa.utils import is_mfa_enabled
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from allauth.socialaccount.models import SocialLogin
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.models import AbstractBaseUser, AnonymousUser, User
from django.contrib.sites.shortcuts import get_current_site
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext, gettext_lazy

from accounts.events import Kind, record
from accounts.may import Action, has_some_right, is_of_staff, may_somewhere
from accounts.members import invitations_of
from annotation.models import Project
from labelling.messages import enqueue_mail, write_mail
from workers.address_of import address_of
from workers.models import Worker


class AccountAdapter(DefaultAccountAdapter):
    error_messages = {  # noqa: RUF012
        **DefaultAccountAdapter.error_messages,
        "username_password_mismatch": gettext_lazy("The name or the password is wrong. Both are case-sensitive."),
        "too_many_login_attempts": gettext_lazy("Too many tries. Wait a quarter of an hour, then try again."),
    }

    def get_client_ip(self, request: HttpRequest) -> str:
        """Return the caller's address; of an IPv6 address the first of its network."""
        return address_of(request).split("/")[0] or "0.0.0.0"

    def _get_login_attempts_cache_key(self, request: HttpRequest, **credentials: Any) -> str:
        """Count tries for one name from one address: those from elsewhere lock nobody out."""
        return f"{address_of(request)} {str(credentials.get('username', '')).casefold()}"

    def get_login_redirect_url(self, request: HttpRequest) -> str:
        """Lead workers to their work, and members, or who is to become one, to the projects."""
        user = request.user
        if not isinstance(user, User) or Worker.objects.filter(user=user).exists():
            return reverse("labelling:home")
        return reverse("gallery:start" if is_of_staff(user) or invitations_of(user) else "labelling:home")

    def login(self, request: HttpRequest, user: Any) -> None:
        """Sign in, and say whose session in this browser ended by it."""
        name, before = request.user.get_username(), request.user.pk  # read now: signing in empties the session
        super().login(request, user)
        request.session.set_expiry(settings.ACCOUNT_SESSION_COOKIE_AGE)
        if before not in (None, user.pk):
            messages.warning(
                request, gettext("{name} was signed in here before, and was signed out.").format(name=name)
            )

    def is_reauthentication_required(self, *, app: str, **kwargs: Any) -> bool:
        """Ask again whoever has something to be asked for: a password or a second factor."""
        user = self.request.user
        return super().is_reauthentication_required(app=app) and bool(self.get_reauthentication_methods(user))

    def send_password_reset_mail(self, user: Any, email: str, context: dict[str, Any]) -> None:
        """Send a link to choose a password to an account that has one."""
        if user.has_usable_password():
            record(Kind.RECOVERY, f"link for {user.get_username()}", result="made")
            super().send_password_reset_mail(user, email, context)

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """Write the mail into the table from which a job sends it: nobody waits for a mail server."""
        common = {"request": self.request, "email": email, "current_site": get_current_site(self.request)}
        message = self.render_mail(template_prefix, email, common | context)
        user = context.get("user")
        to = user if isinstance(user, User) and user.email.casefold() == email.casefold() else email
        write_mail(to, message.subject, str(message.body))
        enqueue_mail()


def recovery_link(user: User, base: str) -> str:
    """Return a link that lets whoever has it choose a new password, once, within PASSWORD_RESET_TIMEOUT.

    It ends with the next sign-in, too. `base`: the service's address.
    """
    record(Kind.RECOVERY, f"link for {user.get_username()}", result="made")
    named = {"uidb36": user_pk_to_url_str(user), "key": default_token_generator.make_token(user)}
    return base.rstrip("/") + reverse("account_reset_password_from_key", kwargs=named)


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


SERVICE = "chainbox"
MIN_LENGTH = 4
"""Shorter names are in too many words."""


class NameInPasswordValidator:
    """Refuses a password that holds such a name, in capitals or with other characters between, too."""

    def validate(self, password: str, user: AbstractBaseUser | None = None) -> None:
        plain = _plain(password)
        if any(name in plain for name in _names()):
            raise ValidationError(
                gettext("This password holds the name of this service or of a project: choose another."),
                code="password_holds_a_name",
            )

    def get_help_text(self) -> str:
        return gettext("Your password can’t hold the name of this service or of a project.")


def _names() -> Iterator[str]:
    """Yield the names of the service, of its host, and of projects, without what separates words."""
    host = urlsplit(settings.ADDRESS).hostname or ""
    labels = [] if host == "localhost" or host.replace(".", "").isdigit() else host.split(".")
    names = (name for pair in Project.objects.values_list("name", "title").iterator() for name in pair)
    for name in (SERVICE, *labels, *names):
        if len(plain := _plain(name)) >= MIN_LENGTH:
            yield plain


def _plain(text: str) -> str:
    return re.sub(r"[\W_]+", "", text.casefold())


DEMAND = "This service asks for a second factor of everybody who manages a project or has a right: add one to go on."
OPEN = ("allauth.", "config.help")
"""The beginnings of modules with pages that stay open: those on which a factor is added, and their documentation."""


class SecondFactorMiddleware:
    """Leads whoever needs a second factor and has none to the page on which one is added."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return self.get_response(request)

    def process_view(self, request: HttpRequest, view: Callable[..., Any], *_: Any) -> HttpResponse | None:
        if not settings.SECOND_FACTOR or view.__module__.startswith(OPEN) or not _lacks_one(request.user):
            return None
        messages.warning(request, DEMAND)
        return redirect("mfa_index")


def _lacks_one(user: User | AnonymousUser) -> bool:
    return (has_some_right(user) or may_somewhere(user, Action.MANAGE)) and not is_mfa_enabled(user)
