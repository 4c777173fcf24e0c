"""The address to which Prolific sends events. A genuine event requests a round; rounds come without events, too."""

from hashlib import sha256

from django.core.cache import cache
from django.http import HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from platforms.jobs import request_sync
from platforms.prolific import NAME
from platforms.prolific.web_hooks import hook_secret, is_genuine
from upkeep import clock

REMEMBERED_SECONDS = 24 * 3600
"""Prolific repeats an event for so long."""


@csrf_exempt
@require_POST
def hook(request: HttpRequest) -> HttpResponse:
    genuine = is_genuine(
        secret=hook_secret(),
        timestamp=request.headers.get("X-Prolific-Request-Timestamp", ""),
        body=request.body,
        signature=request.headers.get("X-Prolific-Request-Signature", ""),
        now=clock.now().timestamp(),
    )
    if not genuine:
        return HttpResponse("This is not signed by Prolific.\n", status=401, content_type="text/plain")
    if cache.add(_cache_key(request.headers.get("X-Event-ID", ""), request.body), True, REMEMBERED_SECONDS):
        request_sync(NAME)
    return HttpResponse(status=204)


def _cache_key(event_id: str, body: bytes) -> str:
    return f"prolific:event:{sha256(event_id.encode() or body).hexdigest()}"
