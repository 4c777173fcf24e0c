"""A WSGI application whose responses wait, except for that of /address: the caller's.

It makes a file in the folder ARRIVED for each request that waits, until the file `go` is there.
"""

import os
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from secrets import token_hex
from typing import Any


def application(
    environ: dict[str, Any], start_response: Callable[[str, list[tuple[str, str]]], Any]
) -> Iterable[bytes]:
    if environ["PATH_INFO"] != "/address":
        arrived = Path(os.environ["ARRIVED"])
        (arrived / token_hex(8)).touch()
        while not (arrived / "go").exists():
            time.sleep(0.05)
    body = environ["REMOTE_ADDR"].encode() if environ["PATH_INFO"] == "/address" else b"ok\n"
    start_response("200 OK", [("Content-Type", "text/plain"), ("Content-Length", str(len(body)))])
    return [body]
