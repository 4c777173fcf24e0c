"""Speaks to Prolific's API. A call ends in one of four ways: done, refused, certainly not done, or nobody knows."""

import ssl
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Self
from urllib.parse import parse_qsl, urlsplit

import httpx

from platforms.contract.errors import NothingDoneError, PlatformError, RefusedError, UnsureError

Json = dict[str, Any]
CONNECT_SECONDS = 5.0
LONGEST_WORDS = 400
NOT_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)
NOT_LET_IN = {401, 403}
TRY_LATER = 429
"""What answers so did nothing."""


class ThrottledError(NothingDoneError):
    """Too many requests: the platform says that it did nothing."""


@dataclass(frozen=True, slots=True)
class Client:
    """`seconds`: how long it waits for an answer; `pauses`: between the tries of what is harmless to repeat."""

    url: str
    token: str
    seconds: float = 20.0
    pauses: tuple[float, ...] = (0.5, 2.0)

    def hasty(self) -> Self:
        """For pages: somebody waits."""
        return replace(self, seconds=min(self.seconds, 5.0), pauses=self.pauses[:1])

    def tell_once(self, method: str, path: str, body: Json | None = None, **query: str) -> httpx.Response:
        """RefusedError, NothingDoneError or, if nobody can know whether it was heard, UnsureError."""
        try:
            # A connection of its own: one kept open may be gone by the next call, and leave it without an answer.
            answer = httpx.request(
                method,
                self.url + path,
                json=body,
                params=query or None,
                headers={"Authorization": f"Token {self.token}"},
                timeout=httpx.Timeout(self.seconds, connect=min(CONNECT_SECONDS, self.seconds)),
                verify=_trusted(),
            )
        except NOT_SENT as error:
            raise NothingDoneError("Prolific could not be reached.", out_of_reach=True) from error
        except httpx.HTTPError as error:
            raise UnsureError(f"Prolific gave no answer to {method} {path}.", out_of_reach=True) from error
        return _checked(answer)

    def tell(self, method: str, path: str, body: Json | None = None, **query: str) -> httpx.Response:
        """Only what is harmless to repeat: it is said again until there is an answer, a few times."""
        for pause in self.pauses:
            try:
                return self.tell_once(method, path, body, **query)
            except (UnsureError, NothingDoneError):
                time.sleep(pause)
        return self.tell_once(method, path, body, **query)

    def read(self, path: str, **query: str) -> Json:
        return json_of(self.tell("GET", path, None, **query))

    def rows(self, path: str, **query: str) -> Iterator[Json]:
        """Of all pages of a list."""
        seen = []
        while query not in seen:
            seen.append(query)
            page = self.read(path, **query)
            yield from page["results"]
            further = ((page.get("_links") or {}).get("next") or {}).get("href")
            if not further:
                return
            # Only its query: the token goes nowhere but to the address that the settings name.
            query = dict(parse_qsl(urlsplit(further).query))
        raise PlatformError(f"Prolific's pages of {path} lead round in a circle.")


def json_of(answer: httpx.Response) -> Json:
    """UnsureError: it was answered by something else than the API."""
    try:
        body: Json = answer.json()
    except ValueError as error:
        raise UnsureError("Prolific's answer cannot be read.") from error
    return body


def _checked(answer: httpx.Response) -> httpx.Response:
    status = answer.status_code
    if answer.is_success:
        return answer
    if status in NOT_LET_IN:
        raise NothingDoneError(f"Prolific does not let us in ({status}): look at PROLIFIC_TOKEN.")
    if status == TRY_LATER:
        raise ThrottledError("Prolific has too many requests at the moment.")
    if answer.is_server_error or status == httpx.codes.REQUEST_TIMEOUT:
        raise UnsureError(f"Prolific is in last_error ({status}).")
    raise RefusedError(f"Prolific: {_words(answer)[:LONGEST_WORDS]}")


def _words(answer: httpx.Response) -> str:
    """What the platform says, in one line."""
    try:
        return _plain(answer.json()["error"]["detail"]) or str(answer.status_code)
    except (ValueError, KeyError, TypeError):
        return f"refused with status {answer.status_code}."


def _plain(detail: Any) -> str:
    if isinstance(detail, dict):
        return " ".join(f"{name}: {_plain(value)}" for name, value in detail.items())
    if isinstance(detail, list):
        return " ".join(_plain(value) for value in detail)
    return str(detail)


@cache
def _trusted() -> ssl.SSLContext:
    return httpx.create_ssl_context()
