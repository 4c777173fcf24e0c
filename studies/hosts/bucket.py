"""A twin of S3 as a process: `python -m studies.hosts.bucket ADDRESS PORT`.

Like the real one it refuses what was signed by a clock that is wrong by more than a quarter of an hour.
"""

import sys
from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import parse_qs

from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app
from werkzeug.serving import WSGIRequestHandler, run_simple

MOST_WRONG = timedelta(minutes=15)
REFUSED = "<Error><Code>RequestTimeTooSkewed</Code><Message>The clock of the caller is wrong.</Message></Error>"


def signed_at(environ: dict[str, Any]) -> datetime | None:
    """Return when the caller signed the request, by its own clock; None: it did not."""
    stated = environ.get("HTTP_X_AMZ_DATE") or parse_qs(environ["QUERY_STRING"]).get("X-Amz-Date", [""])[0]
    return datetime.strptime(stated, "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC) if stated else None


def with_clock(application: Callable[..., Any]) -> Callable[..., Iterable[bytes]]:
    """Wrap the twin so that it looks at its clock first. The address of a picture may be old, but not of later."""

    def respond(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        stated = signed_at(environ)
        wrong = timedelta() if stated is None else stated - datetime.now(UTC)
        if wrong > MOST_WRONG or ("HTTP_X_AMZ_DATE" in environ and wrong < -MOST_WRONG):
            start_response("403 Forbidden", [("Content-Type", "application/xml")])
            return [REFUSED.encode()]
        answer: Iterable[bytes] = application(environ, start_response)
        return answer

    return respond


class Quiet(WSGIRequestHandler):
    """Logs nothing, and keeps connections open as S3 does."""

    protocol_version = "HTTP/1.1"

    def log(self, type: str, message: str, *args: Any) -> None:  # the base class's name
        """Say nothing."""


def main(address: str, port: int) -> None:
    """Serve until the process is ended."""
    twin = with_clock(DomainDispatcherApplication(create_backend_app))
    run_simple(address, port, twin, threaded=True, request_handler=Quiet)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
