"""The decorator of views that are asked for once more: before money moves, rights are given, or data is deleted."""

from functools import partial

from allauth.account.decorators import reauthentication_required
from allauth.core.exceptions import ReauthenticationRequired
from django.http import HttpRequest

reauthenticated = partial(reauthentication_required, allow_get=True)
"""Whoever sends the form gives the password or the second factor again, at most once in a quarter of an hour."""


def needs_password(request: HttpRequest) -> bool:
    """Return whether the password or the second factor must be given again before what the request sends is done."""
    try:
        reauthenticated(lambda _: None)(request)
    except ReauthenticationRequired:
        return True
    return False
