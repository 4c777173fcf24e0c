"""The server: checks requests by the types of the client `openai`, answers in them, and fails when it is told to."""

import hashlib
import json
import re
import sys
from collections import deque
from collections.abc import Callable
from functools import cache
from threading import Event, Lock
from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from tests.support import web_server
from tests.twins.chat.faults import PASSING, Fault

KEY = "the twin's key"
TOKEN = re.compile(r"\w+|\W")
SURE = -0.105
"""The log probability of each token: 0.9."""
ERRORS = {Fault.BUSY: 429, Fault.BROKEN: 500, Fault.OVERLOADED: 503}


@cache
def request_types() -> tuple[TypeAdapter[Any], set[str]]:
    """Return the client's type of a request, and the names of its parameters. To import the client takes a while."""
    from openai.types.chat.completion_create_params import CompletionCreateParamsNonStreaming

    known = {"stream", *CompletionCreateParamsNonStreaming.__annotations__}
    return TypeAdapter(CompletionCreateParamsNonStreaming), known


class ChatTwin:
    """A server on a free port of 127.0.0.1, for the time of a block. `say`: what the model says to a request."""

    def __init__(self, say: Callable[[dict[str, Any]], str], *, logprobs: bool = True) -> None:
        pytest.importorskip("openai", reason="needs the extra dev")
        self.say, self.logprobs = say, logprobs
        self.faults: deque[Fault | None] = deque()
        """The faults of the next calls; None: this call succeeds."""
        self.every: tuple[int, tuple[Fault, ...]] | None = None
        """After how many calls one fails, and the faults that take turns."""
        self.retry_after = 0.2
        """The seconds for which a server that is busy wants to be left alone."""
        self.requests: list[tuple[str, dict[str, Any]]] = []
        """Digest and body of each request, in order."""
        self.reached, self._go, self._left = Event(), Event(), -1
        self._lock = Lock()
        self._go.set()
        self._server = Server(type("Bound", (Handler,), {"twin": self}))
        self.url = f"{self._server.url}/v1"

    def __enter__(self) -> "ChatTwin":
        self._server.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self.release()
        self._server.__exit__()

    def hold(self, after: int) -> None:
        """Answer so many more calls, then none until `release`; the first that waits sets `reached`."""
        with self._lock:
            self._left = after
            self.reached.clear()
            self._go.clear()

    def release(self) -> None:
        """Answer again."""
        with self._lock:
            self._left = -1
            self._go.set()

    def take(self, body: dict[str, Any]) -> Fault | None:
        """Note a request, wait if calls are held, and return its fault."""
        with self._lock:
            self.requests.append((hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest(), body))
            waits = self._left == 0
            self._left -= self._left > 0
            fault = self.faults.popleft() if self.faults else self._in_turn()
        if waits:
            self.reached.set()
            self._go.wait()
        return fault

    def _in_turn(self) -> Fault | None:
        if self.every is None:
            return None
        rounds, rest = divmod(len(self.requests), self.every[0])
        return None if rest else self.every[1][rounds % len(self.every[1])]

    def completion(self, body: dict[str, Any], fault: Fault | None) -> dict[str, Any]:
        """Return a completion as the real servers send it."""
        from openai.types.chat import ChatCompletion

        said = {
            Fault.PROSE: "Sure! In this picture I can see the thing on the left.",
            Fault.OTHER_SHAPE: '{"verdict": "certainly", "boxes": "two"}',
        }.get(fault or Fault.BUSY) or ("" if fault is Fault.REFUSAL else self.say(body))
        if fault in (Fault.HALF_ANSWER, Fault.CUT_OFF):
            said = said[: len(said) // 2]
        tokens = TOKEN.findall(said)
        told = [{"token": one, "logprob": SURE, "bytes": list(one.encode()), "top_logprobs": []} for one in tokens]
        message = {"role": "assistant", "content": said or None}
        message["refusal"] = "I cannot help with this picture." if fault is Fault.REFUSAL else None
        choice = {
            "index": 0,
            "finish_reason": "length" if fault is Fault.CUT_OFF else "stop",
            "message": message,
            "logprobs": {"content": told, "refusal": None} if self.logprobs and body.get("logprobs") else None,
        }
        usage = {"prompt_tokens": 1000, "completion_tokens": len(tokens), "total_tokens": 1000 + len(tokens)}
        values = {"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": body["model"]}
        return ChatCompletion.model_validate({**values, "choices": [choice], "usage": usage}).model_dump(mode="json")


class Server(web_server.Server):
    def handle_error(self, request: Any, client_address: Any) -> None:
        """Pass over callers who were killed."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


class Handler(web_server.Handler):
    twin: ChatTwin
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        sent = self.body()
        if len(sent) < int(self.headers["Content-Length"]):
            return None
        if self.headers.get("Authorization") != f"Bearer {KEY}":
            return self._send(401, problem("Incorrect API key provided.", "invalid_api_key"))
        if self.path != "/v1/chat/completions":
            return self._send(404, problem(f"Invalid URL (POST {self.path})", None))
        body = json.loads(sent)
        if wrong := fault_in(body):
            return self._send(400, problem(wrong, "invalid_request"))
        fault = self.twin.take(body)
        if fault in ERRORS:
            headers = {"Retry-After": str(self.twin.retry_after)} if fault is Fault.BUSY else {}
            return self._send(ERRORS[fault], problem(str(fault), None), headers)
        if fault is Fault.NO_COMPLETION:
            return self._send(200, {"status": "warming up"})
        data = json.dumps(self.twin.completion(body, fault if fault not in PASSING else None)).encode()
        if fault is Fault.HALF:
            return self._send(200, data[: len(data) // 2])
        self._send(200, data, cut=fault is Fault.CUT)

    def _send(
        self, status: int, body: dict[str, Any] | bytes, headers: dict[str, str] | None = None, *, cut: bool = False
    ) -> None:
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        told = {"Content-Type": "application/json", "Content-Length": str(len(data)), **(headers or {})}
        self.send(status, data[: len(data) // 2] if cut else data, told)
        self.close_connection = cut or self.close_connection


def fault_in(body: Any) -> str:
    """Return what a strict server says to a wrong request; empty if it is right."""
    request, known = request_types()
    if unknown := sorted(set(body) - known):
        return f"Unrecognized request argument supplied: {unknown[0]}"
    try:
        for message in request.validate_python(body)["messages"]:
            list(message["content"] or ())  # parts are checked as they are read
    except ValidationError as error:
        return str(error)
    return ""


def problem(message: str, code: str | None) -> dict[str, Any]:
    return {"error": {"message": message, "type": "invalid_request_error", "param": None, "code": code}}
