"""The answer of a page while the storage of pictures and exports cannot be reached."""

import logging
from collections.abc import Callable
from functools import wraps
from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseBase

from annotation.s3 import StorageError

logger = logging.getLogger(__name__)


def reachable(answer: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """Answer with 503 if the storage fails, and log the reason."""

    @wraps(answer)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        try:
            return answer(request, *args, **kwargs)
        except StorageError as error:
            logger.error("%s: %s", request.path, error)
            return HttpResponse(
                "The files cannot be reached right now. Try again in a minute.",
                status=503,
                headers={"Retry-After": "30"},
            )

    return guarded
