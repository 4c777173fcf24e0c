"""Signed links to the pictures that workers see: serving a picture needs neither a cookie nor a query."""

from functools import lru_cache

from django.conf import settings
from django.core.signing import Signer
from django.http import Http404, HttpRequest, HttpResponseBase
from django.urls import get_script_prefix, reverse
from django.utils.crypto import constant_time_compare
from django.views.decorators.http import require_safe

from annotation.pictures import SIZES, picture_response
from runtime import clock

WEEK = 7 * 24 * 3600
MAX_CACHED_LINKS = 10_000
"""Links that a process keeps: an image is shown to several workers, and each time to each with the same links."""


def picture_link(name: str, size: str, now: float | None = None) -> str:
    """Return a link that is valid for one to two weeks. It stays the same all week, so that browsers keep the picture.

    `now`: seconds since 1970.
    """
    until = int((now or clock.now_without_asking().timestamp()) // WEEK) + 2
    return _link(name, size, until, get_script_prefix(), settings.SECRET_KEY)


@lru_cache(MAX_CACHED_LINKS)
def _link(name: str, size: str, until: int, prefix: str, key: str) -> str:
    """Make a link. `prefix` and `key`: what it depends on besides, so that another one is made if they change."""
    return reverse("labelling:picture", args=[size, until, _signature(name, size, until), name])


@require_safe
def picture(request: HttpRequest, size: str, until: int, signature: str, name: str) -> HttpResponseBase:
    """Serve the picture to anybody who has a valid link."""
    right = size in SIZES and constant_time_compare(signature, _signature(name, size, until))
    if not right or until * WEEK < clock.now_without_asking().timestamp():
        raise Http404("There is no such picture, or the link is too old: load the page again.")
    return picture_response(request, name, size)


def _signature(name: str, size: str, until: int) -> str:
    return Signer(salt="labelling.pictures").signature(f"{size} {until} {name}")
