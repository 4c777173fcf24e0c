"""Calls over HTTP whose reply is bounded: by one deadline for the whole of it, and by its bytes.

A timeout of httpx begins anew with each byte, and its replies may be of any size.
"""

import contextlib
import socket
import threading
from typing import Any

import httpx

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
