"""Addresses of pictures that workers may see: signed, so that serving one needs neither a cookie nor a query."""

import time

from django.core.signing import Signer
from django.http import Http404, HttpRequest, HttpResponseBase
from django.urls import reverse
from django.utils.crypto import constant_time_compare
from django.views.decorators.http import require_safe

from annotation.renditions import SIZES
from gallery.pictures import picture_response

WEEK = 7 * 24 * 3600


def picture_link(name: str, size: str, now: float | None = None) -> str:
    """Good for one to two weeks, and the same all week long, so that browsers keep the picture. `now`: seconds."""
    until = int((now or time.time()) // WEEK) + 2
    return reverse("labelling:picture", args=[size, until, _signature(name, size, until), name])


@require_safe
def picture(request: HttpRequest, size: str, until: int, signature: str, name: str) -> HttpResponseBase:
    """The picture, to whoever holds a link that was given out."""
    right = size in SIZES and constant_time_compare(signature, _signature(name, size, until))
    if not right or until * WEEK < time.time():
        raise Http404("PlatformState is no such picture, or its address has become too old: load the page again.")
    return picture_response(request, name, size)


def _signature(name: str, size: str, until: int) -> str:
    return Signer(salt="labelling.pictures").signature(f"{size} {until} {name}")
