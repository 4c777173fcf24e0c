"""A WSGI application whose responses take three seconds, except for the health check and of /address: the caller's.

It makes the file ARRIVED, if the environment names one, when a slow request has arrived.
"""

import os
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any


def application(
    environ: dict[str, Any], start_response: Callable[[str, list[tuple[str, str]]], Any]
) -> Iterable[bytes]:
    if environ["PATH_INFO"] not in ("/healthz", "/address"):
        if "ARRIVED" in os.environ:
            Path(os.environ["ARRIVED"]).touch()
        time.sleep(3)
    body = environ["REMOTE_ADDR"].encode() if environ["PATH_INFO"] == "/address" else b"ok\n"
    start_response("200 OK", [("Content-Type", "text/plain"), ("Content-Length", str(len(body)))])
    return [body]
