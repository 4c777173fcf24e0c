"""A WSGI application whose responses take three seconds, except for the health check and of /address: the caller's."""

import time
from collections.abc import Callable, Iterable
from typing import Any


def application(
    environ: dict[str, Any], start_response: Callable[[str, list[tuple[str, str]]], Any]
) -> Iterable[bytes]:
    if environ["PATH_INFO"] not in ("/healthz", "/address"):
        time.sleep(3)
    body = environ["REMOTE_ADDR"].encode() if environ["PATH_INFO"] == "/address" else b"ok\n"
    start_response("200 OK", [("Content-Type", "text/plain"), ("Content-Length", str(len(body)))])
    return [body]
