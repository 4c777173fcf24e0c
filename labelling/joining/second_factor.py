"""The demand for a second factor: without one nobody manages a project or uses a right, where SECOND_FACTOR is on."""

from collections.abc import Callable
from typing import Any

from allauth.mfa.utils import is_mfa_enabled
from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect

from accounts.may import Action, User, has_some_right, may_somewhere

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
