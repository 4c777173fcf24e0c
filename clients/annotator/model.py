"""The model: one picture and one text to a server that speaks the chat-completions protocol, within a budget."""

import hashlib
import json
import threading
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any, TypeVar

import httpx

from clients.annotator import calls
from clients.annotator.calls import FIRST_TRIES, TRIES, UnreadableError, retried, seconds_in
from clients.annotator.errors import AnnotatorError, BudgetSpent, NoAnswer, UnreadableReply, shown
from clients.annotator.pictures import Sent
from clients.annotator.replies import ModelReply, Replies, read_completion

MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class Limits:
    """The most that may be spent; None: no limit. Prices are for a million tokens, in the currency of `money`."""

    calls: int | None = None
    tokens: int | None = None
    money: float | None = None
    price_in: float = 0.0
    price_out: float = 0.0


class SpendingLimit:
    """Counts what was spent and refuses calls that no longer fit.

    Calls in flight count as the dearest so far, or as the most that any of them may cost.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits, self._lock = limits, threading.Lock()
        self.calls = self.tokens_in = self.tokens_out = 0
        self._in_flight, self._most_tokens, self._most_money = 0, 0, 0.0

    @property
    def money(self) -> float:
        return self._money(self.tokens_in, self.tokens_out)

    def count(self, tokens_in: int, tokens_out: int) -> None:
        """Count a call that was made."""
        self.calls += 1
        self._add(tokens_in, tokens_out)

    def begin(self, most_in: int = 0, most_out: int = 0) -> None:
        """Reserve a call that takes at most so many tokens. Raises BudgetSpent with the option to raise."""
        with self._lock:
            self._note_dearest(most_in, most_out)
            ahead = self._in_flight + 1
            tokens = self.tokens_in + self.tokens_out + ahead * self._most_tokens
            planned = (
                ("calls", self.calls + 1, self._limits.calls),
                ("tokens", max(tokens, self.tokens_in + self.tokens_out + 1), self._limits.tokens),
                ("money", self.money + ahead * self._most_money, self._limits.money),
            )
            for name, wanted, most in planned:
                if most is not None and wanted > most:
                    raise BudgetSpent(f"The budget of {most:,} {name} is spent: raise --most-{name} and run it again.")
            self.calls += 1
            self._in_flight += 1

    def end(self, tokens_in: int = 0, tokens_out: int = 0) -> None:
        """Count the tokens of a reserved call; of a failed one, none."""
        with self._lock:
            self._in_flight -= 1
            self._add(tokens_in, tokens_out)

    def __str__(self) -> str:
        money = f", {self.money:,.2f} in money" if self._limits.price_in or self._limits.price_out else ""
        return f"{self.calls:,} calls, {self.tokens_in:,} tokens in, {self.tokens_out:,} out{money}"

    def _add(self, tokens_in: int, tokens_out: int) -> None:
        self.tokens_in += tokens_in
        self.tokens_out += tokens_out
        self._note_dearest(tokens_in, tokens_out)

    def _note_dearest(self, tokens_in: int, tokens_out: int) -> None:
        self._most_tokens = max(self._most_tokens, tokens_in + tokens_out)
        self._most_money = max(self._most_money, self._money(tokens_in, tokens_out))

    def _money(self, tokens_in: int, tokens_out: int) -> float:
        return (tokens_in * self._limits.price_in + tokens_out * self._limits.price_out) / MILLION


MAX_PROBLEMS_IN_A_ROW = 5


class InARow:
    """Counts over all threads. Replies that were kept in an earlier run are not counted: they cost nothing now."""

    def __init__(self, replies: Replies, server: str) -> None:
        self._replies, self._server, self._lock = replies, server, threading.Lock()
        self._count, self._open = 0, list[tuple[str, UnreadableReply]]()

    def end(self) -> None:
        """Note a reply that could be read: those before it are skipped."""
        with self._lock:
            self._count = 0
            for _, reason in self._open:
                reason.is_open = False
            self._open.clear()

    def add(self, reason: object, digest: str = "") -> None:
        """Note a reply that could not be read; `digest`: of its request if the reply was kept.

        Raises AnnotatorError at the fifth in a row, and forgets these replies: after the cause was mended, the same
        questions are asked again.
        """
        with self._lock:
            self._count += 1
            if isinstance(reason, UnreadableReply):
                reason.is_open = True
                self._open.append((digest, reason))
            if self._count < MAX_PROBLEMS_IN_A_ROW:
                return
            for kept, problem in self._open:
                problem.is_open, problem.is_left = False, True
                self._replies.forget(kept)
            self._open.clear()
        raise AnnotatorError(
            f"The last {self._count} replies of the model server at {self._server} cannot be read ({reason}). See what "
            "it answers with the command try; then go on by the same command."
        )


OPTIONAL = ("response_format", "logprobs", "seed", "temperature", "max_tokens")
"""Parameters that can be left out for a server that refuses them."""
MOST_TOKENS = 2048
MOST_BYTES = 4 << 20
"""The most bytes of a reply: ten times those of the longest one with its probabilities."""
SMALLEST_PATCH = 14
"""The side in pixels of the smallest part of a picture that a model counts as a token."""
LONGEST_WORDS = 300
"""The most characters of a server's message that are repeated."""
PASSING = (408, 409, 425, 429)
NOT_SENT = (httpx.ConnectError, httpx.ConnectTimeout)
Answer = TypeVar("Answer")


class ServedModel:
    """A model of a server. Several threads may ask it at once."""

    def __init__(
        self,
        server: str,
        name: str,
        *,
        key: str,
        replies: Replies,
        spending: SpendingLimit,
        seed: int = 0,
        without: Collection[str] = (),
        timeout: float = 120.0,
        sleep: Callable[[float], object] = time.sleep,
    ) -> None:
        """`server`: the address before /chat/completions. `timeout`: seconds that one call may take, all in all.

        `without`: parameters of OPTIONAL that are not sent.
        """
        self._client = calls.client(headers={"Authorization": f"Bearer {key}"}, timeout=timeout)
        self.server, self.name, self._timeout = server, name, timeout
        self.replies, self.spending, self._unread = replies, spending, InARow(replies, server)
        self._tries = FIRST_TRIES
        self._seed, self._without, self._sleep = seed, frozenset(without), sleep

    def ask(
        self, task: str, text: str, picture: Sent, schema: dict[str, Any], read: Callable[[ModelReply], Answer]
    ) -> Answer:
        """Return what `read` finds in the kept reply to this request, or in one that is asked for and kept.

        Raises NoAnswer if the model refused, was cut off, or `read` raises it; BudgetSpent; and AnnotatorError if the
        server fails, or if its last replies in a row cannot be read.
        """
        request = self._request(task, text, picture, schema)
        digest = hashlib.sha256(json.dumps(request, sort_keys=True).encode()).hexdigest()
        reply = self.replies.get(digest)
        if reply is not None:
            return read(_whole(reply))
        reply = self._paid(request, _most_tokens_in(text, picture))
        self.replies.keep(digest, reply)
        try:
            found = read(_whole(reply))
        except UnreadableReply as reason:
            self._unread.add(reason, digest)
            raise
        except NoAnswer:
            self._unread.end()
            raise
        self._unread.end()
        return found

    def close(self) -> None:
        """Close the connections and the file of replies."""
        self._client.close()
        self.replies.close()

    def _request(self, task: str, text: str, picture: Sent, schema: dict[str, Any]) -> dict[str, Any]:
        content = [
            {"type": "image_url", "image_url": {"url": picture.data_url}},
            {"type": "text", "text": text},
        ]
        optional = {
            "response_format": {
                "type": "json_schema",
                "json_schema": {"name": task, "schema": schema, "strict": True},
            },
            "logprobs": True,
            "seed": self._seed,
            "temperature": 0,
            "max_tokens": MOST_TOKENS,
        }
        sent = {name: value for name, value in optional.items() if name not in self._without}
        return {"model": self.name, "messages": [{"role": "user", "content": content}], **sent}

    def _paid(self, request: dict[str, Any], most_in: int) -> ModelReply:
        try:
            reply = retried(lambda: self._call(request, most_in), _wait_for, sleep=self._sleep, tries=self._tries)
        except httpx.HTTPStatusError as error:
            raise AnnotatorError(self._refusal(error.response)) from error
        except (httpx.HTTPError, httpx.InvalidURL, UnreadableError) as error:
            raise AnnotatorError(
                f"The model server at {self.server} failed {self._tries} times ({shown(str(error))}): see whether it "
                "runs, and go on by the same command."
            ) from error
        self._tries = TRIES
        return reply

    def _call(self, request: dict[str, Any], most_in: int) -> ModelReply:
        """Make one call, and count it: with its most tokens if the server does not tell how many it took."""
        self.spending.begin(most_in, MOST_TOKENS)
        tokens = (most_in, MOST_TOKENS)
        try:
            reply = read_completion(self._sent(request), *tokens)
            tokens = (reply.tokens_in, reply.tokens_out)
            return reply
        except (*NOT_SENT, httpx.HTTPStatusError):
            tokens = (0, 0)
            raise
        except UnreadableError as reason:
            self.replies.count(*tokens)
            self._unread.add(reason)
            raise
        except httpx.HTTPError:
            self.replies.count(*tokens)
            raise
        finally:
            self.spending.end(*tokens)

    def _sent(self, request: dict[str, Any]) -> bytes:
        """Return the body of the reply. Raises UnreadableError, and the errors of httpx."""
        call = self._client.build_request("POST", f"{self.server.rstrip('/')}/chat/completions", json=request)
        reply = calls.send(self._client, call, seconds=self._timeout, most_bytes=MOST_BYTES)
        return reply.raise_for_status().content

    def _refusal(self, answer: httpx.Response) -> str:
        status = answer.status_code
        said = f"The model server at {self.server} answers {status}: {_words_of(answer)}."
        if answer.has_redirect_location:
            place = shown(answer.headers["Location"])[:LONGEST_WORDS]
            return f"The model server at {self.server} leads to {place}: if it is yours, give that address as --server."
        if status in (401, 403):
            return f"{said} Put the key that it takes into ANNOTATOR_MODEL_KEY."
        if status == 404:
            return f"{said} See --server (it often ends in /v1) and --model."
        if status in (400, 422):
            return f"{said} If it refuses a parameter, leave it out: --without {','.join(OPTIONAL)}."
        return f"{said} Go on later by the same command."


def _whole(reply: ModelReply) -> ModelReply:
    """Return the reply. Raises NoAnswer if it is a refusal or was cut off."""
    if reply.refusal or reply.finish == "content_filter":
        raise NoAnswer("a refusal of the model")
    if reply.finish == "length":
        raise UnreadableReply("a reply that was cut off")
    return reply


def _most_tokens_in(text: str, picture: Sent) -> int:
    """Return more tokens than any model counts: a token is a byte of the text at least, or a patch of the picture."""
    width, height = picture.frame.sent
    return len(text.encode()) + (width // SMALLEST_PATCH + 1) * (height // SMALLEST_PATCH + 1)


def _wait_for(error: Exception) -> float | None:
    if isinstance(error, httpx.HTTPStatusError):
        status = error.response.status_code
        passing = status in PASSING or status >= 500
        if not passing or _problem(error.response).get("code") == "insufficient_quota":
            return None
        return seconds_in(error.response.headers.get("Retry-After"))
    # A connection that broke, or a body that is no JSON or no completion.
    return 0.0 if isinstance(error, httpx.TransportError | UnreadableError) else None


def _words_of(answer: httpx.Response) -> str:
    said = _problem(answer).get("message")
    words = said if isinstance(said, str) and said.strip() else str(answer.status_code)
    return shown(" ".join(words.split()))[:LONGEST_WORDS].rstrip(".")


def _problem(answer: httpx.Response) -> dict[str, Any]:
    """Return the error that a server tells; empty if it tells none in the words of the protocol."""
    try:
        told = json.loads(answer.content)["error"]
    except (ValueError, TypeError, KeyError, RecursionError):
        return {}
    return told if isinstance(told, dict) else {}
