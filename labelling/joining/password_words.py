"""A password may not hold the name of the service or of a project: whoever guesses tries these first."""

import re
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import urlsplit

from allauth.mfa.utils import is_mfa_enabled
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.models import AbstractBaseUser
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.utils.translation import gettext

from accounts.may import Action, User, has_some_right, may_somewhere
from annotation.models import Project

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


def _lacks_one(user: User) -> bool:
    return (has_some_right(user) or may_somewhere(user, Action.MANAGE)) and not is_mfa_enabled(user)
