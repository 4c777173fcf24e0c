"""Where Prolific tells what happened. An event is a hint to look soon; nothing rests on it."""

import time
from hashlib import sha256

from django.core.cache import cache
from django.http import HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from platforms.jobs import hint_look
from platforms.prolific import NAME
from platforms.prolific.signature import is_genuine
from platforms.prolific.subscription import hook_secret

REMEMBERED_SECONDS = 24 * 3600
"""The platform tries for so long to deliver an event."""


@csrf_exempt
@require_POST
def hook(request: HttpRequest) -> HttpResponse:
    genuine = is_genuine(
        secret=hook_secret(),
        timestamp=request.headers.get("X-Prolific-Request-Timestamp", ""),
        body=request.body,
        signature=request.headers.get("X-Prolific-Request-Signature", ""),
        now=time.time(),
    )
    if not genuine:
        return HttpResponse("This is not signed by Prolific.\n", status=401, content_type="text/plain")
    if cache.add(_mark(request.headers.get("X-Event-ID", ""), request.body), True, REMEMBERED_SECONDS):
        hint_look(NAME)
    return HttpResponse(status=204)


def _mark(event_id: str, body: bytes) -> str:
    told = event_id.encode() or body
    return f"prolific:event:{sha256(told).hexdigest()}"
