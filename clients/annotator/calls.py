"""Calls over HTTP: tried again after passing faults, each bounded by one deadline for the whole reply and by its bytes.

A timeout of httpx begins anew with each byte, and its replies may be of any size.
"""

import contextlib
import random
import socket
import threading
import time
from collections.abc import Callable
from email.utils import parsedate_to_datetime
from typing import Any, TypeVar

import httpx

from clients.annotator.errors import CallStopped

AS_IT_IS = "identity"
"""The only encoding that is read: a compressed reply may be a thousand times as long as what is sent."""


class UnreadableError(ValueError):
    """The server answered, with a reply that is not read."""


def client(**options: Any) -> httpx.Client:
    """Return a client for `send`. Each call has a connection of its own, which can be ended at the deadline."""
    headers = {**options.pop("headers", {}), "Accept-Encoding": AS_IT_IS}
    return httpx.Client(headers=headers, limits=httpx.Limits(max_keepalive_connections=0), **options)


def send(client: httpx.Client, request: httpx.Request, *, seconds: float, most_bytes: int) -> httpx.Response:
    """Return the whole reply. Raises UnreadableError if it is too long or compressed, and the errors of httpx.

    `seconds`: for everything after the connection is there, however slowly it comes.
    """
    deadline = _Deadline()
    request.extensions["trace"] = deadline.note
    end = threading.Timer(seconds, deadline.cut)
    end.daemon = True
    end.start()
    try:
        with contextlib.closing(client.send(request, stream=True)) as reply:
            content = _body(reply, most_bytes)
    except httpx.TransportError as error:
        if deadline.is_over:
            raise httpx.ReadTimeout(f"no whole reply within {seconds:g} s", request=request) from error
        raise
    finally:
        end.cancel()
    return httpx.Response(reply.status_code, headers=reply.headers, content=content, request=reply.request)


def _body(reply: httpx.Response, most_bytes: int) -> bytes:
    if reply.headers.get("Content-Encoding", AS_IT_IS) != AS_IT_IS:
        raise UnreadableError("a compressed reply, which was not asked for")
    content = bytearray()
    for part in reply.iter_raw():
        content += part
        if len(content) > most_bytes:
            raise UnreadableError(f"a reply of more than {most_bytes:,} bytes")
    return bytes(content)


class _Deadline:
    """Ends a call's connection while another thread reads from it."""

    def __init__(self) -> None:
        self.is_over = False
        self._stream: Any = None

    def note(self, event: str, details: dict[str, Any]) -> None:
        """Note the connection of the call: httpx tells its steps by the request's extension `trace`."""
        if event.endswith(("connect_tcp.complete", "start_tls.complete")):
            self._stream = details["return_value"]
            if self.is_over:
                self._end()

    def cut(self) -> None:
        self.is_over = True
        if self._stream is not None:
            self._end()

    def _end(self) -> None:
        with contextlib.suppress(OSError):
            self._stream.get_extra_info("socket").shutdown(socket.SHUT_RDWR)


Result = TypeVar("Result")
TRIES, FIRST_TRIES = 8, 3
"""Tries of a call; before the server has answered once, fewer: its address may be wrong."""
FIRST_SECONDS, LONGEST_SECONDS = 0.5, 60.0
LONGEST_ASKED = 600.0
"""The longest wait that a server may ask for, in seconds."""


def retried(
    call: Callable[[], Result],
    wait_for: Callable[[Exception], float | None],
    *,
    sleep: Callable[[float], object] = time.sleep,
    tries: int = TRIES,
) -> Result:
    """Call until it succeeds, and raise the last error.

    `wait_for`: tells of an error for how many seconds the server wants to be left alone: 0.0 if it does not say, None
    if trying again is of no use. `sleep`: waits for so many seconds, or returns true before if the run ends, as the
    `wait` of an Event does; then Stopped is raised.
    """
    for number in range(1, tries + 1):
        try:
            return call()
        except Exception as error:
            asked = wait_for(error)
            if asked is None or number == tries:
                raise
            if sleep(max(min(asked, LONGEST_ASKED), _backoff(number))):
                raise CallStopped(f"A call was not tried again, because the run ends: {error}") from error
    raise AssertionError("the last try returns or raises")


def seconds_in(retry_after: str | None) -> float:
    """Return the seconds of a Retry-After header: a number or a date; 0.0 if there is none or it cannot be read."""
    if not retry_after:
        return 0.0
    try:
        return max(0.0, float(retry_after))
    except ValueError:
        pass
    try:
        return max(0.0, parsedate_to_datetime(retry_after).timestamp() - time.time())
    except (ValueError, TypeError, IndexError, OverflowError, OSError):  # the library reads dates of any shape
        return 0.0


def _backoff(number: int) -> float:
    """Return a wait in seconds that doubles from try to try; its second half is drawn, so that callers spread."""
    longest = min(FIRST_SECONDS * 2.0 ** (number - 1), LONGEST_SECONDS)
    return longest * (0.5 + random.random() / 2)
