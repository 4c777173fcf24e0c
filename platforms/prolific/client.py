"""Calls Prolific's API. A call ends in one of four ways: done, refused, certainly not done, or unknown."""

import ssl
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Self, TypeVar

import httpx
from pydantic import ValidationError
from tenacity import Retrying, retry_if_exception_type, stop_after_attempt, wait_exponential

from platforms.errors import NothingDoneError, PlatformError, RefusedError, UnsureError
from platforms.prolific.wire_format import Json, ProlificResponse, Refusal, ResponsePage

CONNECT_SECONDS = 5.0
LONGEST_MESSAGE = 400
MOST_BYTES = 16 << 20
"""The most bytes of an answer, far above those of a page of a list."""
WHOLE_TIMES = 3
"""The time for a whole answer, as a multiple of the time to wait for a part."""
NOT_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)
NOT_LET_IN = {401, 403}
Body = TypeVar("Body", bound=ProlificResponse)


class ThrottledError(NothingDoneError):
    """Prolific has too many requests at the moment."""


@dataclass(frozen=True, slots=True)
class Client:
    """`seconds`: time to wait for an answer. `tries`, `first_pause` (seconds): for calls that are harmless to repeat;
    each further pause is four times as long."""

    url: str
    token: str
    seconds: float = 20.0
    tries: int = 3
    first_pause: float = 0.5

    def for_pages(self) -> Self:
        """Return a client that gives up sooner, because somebody waits for the page."""
        return replace(self, seconds=min(self.seconds, 5.0), tries=min(self.tries, 2))

    def send_once(self, method: str, path: str, body: Json | None = None, **query: str) -> httpx.Response:
        """Make a call that must not be repeated, such as a payment.

        Raises RefusedError, NothingDoneError, or UnsureError if it is not known whether the call took effect.
        """
        try:
            # Each call has a connection of its own: one that was kept open may be closed before the next call, which
            # would then be left without an answer.
            with httpx.stream(
                method,
                self.url + path,
                json=body,
                params=query or None,
                headers={"Authorization": f"Token {self.token}", "Accept-Encoding": "identity"},
                timeout=httpx.Timeout(self.seconds, connect=min(CONNECT_SECONDS, self.seconds)),
                verify=_certificates(),
            ) as coming:
                answer = self._whole(coming)
        except NOT_SENT as error:
            raise NothingDoneError("Prolific could not be reached.", out_of_reach=True) from error
        except httpx.HTTPError as error:
            raise UnsureError(f"Prolific gave no answer to {method} {path}.", out_of_reach=True) from error
        return _checked(answer)

    def _whole(self, response: httpx.Response) -> httpx.Response:
        """Return the answer with its body. Raises UnsureError if it has no end.

        A timeout of httpx begins anew with each part.
        """
        end, content = time.monotonic() + WHOLE_TIMES * self.seconds, bytearray()
        for part in response.iter_raw():
            content += part
            if len(content) > MOST_BYTES or time.monotonic() > end:
                raise UnsureError("Prolific's answer has no end.")
        if "Content-Encoding" in response.headers:
            raise UnsureError("Prolific's answer is compressed, which was not asked for.")
        return httpx.Response(
            response.status_code, headers=response.headers, content=bytes(content), request=response.request
        )

    def send(self, method: str, path: str, body: Json | None = None, **query: str) -> httpx.Response:
        """Make a call that is harmless to repeat, a few times if there is no answer. Raises as `send_once`."""
        retrying = Retrying(
            retry=retry_if_exception_type((UnsureError, NothingDoneError)),
            stop=stop_after_attempt(self.tries),
            wait=wait_exponential(multiplier=self.first_pause, exp_base=4),
            reraise=True,
        )
        return retrying(self.send_once, method, path, body, **query)

    def read(self, path: str, body: type[Body], **query: str) -> Body:
        return parse(self.send("GET", path, None, **query), body)

    def rows(self, path: str, row: type[Body], **query: str) -> Iterator[Body]:
        """Yield the rows of all pages of a list."""
        seen = []
        while query not in seen:
            seen.append(query)
            page = parse(self.send("GET", path, None, **query), ResponsePage[row])  # type: ignore[valid-type]
            yield from page.results
            if page.next_query is None:
                return
            query = page.next_query
        raise PlatformError(f"The pages of Prolific's {path} lead in a circle.")


def parse(answer: httpx.Response, body: type[Body]) -> Body:
    """Read the body of an answer. Raises UnsureError if the body is something else than expected."""
    try:
        return body.model_validate_json(answer.content)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "its body"
        raise UnsureError(f"Prolific's answer cannot be read: {where}: {first['msg']}.") from error


def _checked(answer: httpx.Response) -> httpx.Response:
    status = answer.status_code
    if answer.is_success:
        return answer
    if status in NOT_LET_IN:
        raise NothingDoneError(f"Prolific does not let us in ({status}): check PROLIFIC_TOKEN.")
    if status == httpx.codes.TOO_MANY_REQUESTS:
        raise ThrottledError
    if answer.is_server_error or status == httpx.codes.REQUEST_TIMEOUT:
        raise UnsureError(f"Prolific has a problem ({status}).")
    raise RefusedError(f"Prolific: {_message(answer)[:LONGEST_MESSAGE]}")


def _message(answer: httpx.Response) -> str:
    """Return the platform's message in one line."""
    try:
        detail = Refusal.model_validate_json(answer.content).error.detail
    except ValidationError:
        return f"refused with status {answer.status_code}."
    return _plain(detail) or str(answer.status_code)


def _plain(detail: Any) -> str:
    if isinstance(detail, dict):
        return " ".join(f"{name}: {_plain(value)}" for name, value in detail.items())
    if isinstance(detail, list):
        return " ".join(_plain(value) for value in detail)
    return str(detail)


@cache
def _certificates() -> ssl.SSLContext:
    return httpx.create_ssl_context()
