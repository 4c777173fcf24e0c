"""Replies of the model: read from completions by their types, and kept in a file so that none is paid twice.

A server may send anything. What cannot be answered with is kept without a digest, for it was paid, too.
"""

import fcntl
import json
import math
import threading
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from clients.annotator.calls import UnreadableError
from clients.annotator.errors import WrongUse


@dataclass(frozen=True, slots=True)
class ModelReply:
    """The reply to one request, with the numbers of tokens that were paid."""

    content: str
    refusal: str = ""
    finish: str = "stop"
    """The reason why it ended; `length`: it was cut off."""
    tokens_in: int = 0
    tokens_out: int = 0
    tokens: tuple[tuple[str, float], ...] = ()
    """Tokens with log probabilities; empty if the server does not tell them."""


class Replies:
    """The file `replies.jsonl` of a folder: one reply a line. A line that a kill cut off is passed over."""

    def __init__(self, folder: Path) -> None:
        """Open or make it. Raises WrongUse if the folder cannot be used, or another process works in it."""
        self.path, self._lock, self._kept = folder / "replies.jsonl", threading.Lock(), dict[str, ModelReply]()
        self._others = list[ModelReply]()
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._file = self.path.open("a+b")
        except OSError as error:
            raise WrongUse(
                f"The folder {folder} cannot be used: {error.strerror}. Name another with --work."
            ) from error
        try:
            self._begin(folder)
        except WrongUse:
            self.close()
            raise

    def _begin(self, folder: Path) -> None:
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise WrongUse(
                f"Another process works in {folder}: wait for it, or name another folder with --work."
            ) from error
        self._read()

    def __len__(self) -> int:
        return len(self._kept)

    def __iter__(self) -> Iterator[ModelReply]:
        """Yield every reply that was paid."""
        yield from self._kept.values()
        yield from self._others

    def get(self, digest: str) -> ModelReply | None:
        return self._kept.get(digest)

    def keep(self, digest: str, reply: ModelReply) -> None:
        """Store the reply. Once this returns, a kill of the process does not lose it."""
        with self._lock:
            self._kept[digest] = reply
            self._write({"digest": digest, **asdict(reply)})

    def count(self, tokens_in: int, tokens_out: int) -> None:
        """Store what a call cost whose reply is not kept."""
        with self._lock:
            self._others.append(ModelReply("", tokens_in=tokens_in, tokens_out=tokens_out))
            self._write({"digest": "", **asdict(self._others[-1])})

    def forget(self, digest: str) -> None:
        """Ask for this reply again the next time. What it cost stays counted."""
        with self._lock:
            self._forget(digest)
            self._write({"digest": digest, "forgotten": True})

    def close(self) -> None:
        self._file.close()

    def _forget(self, digest: str) -> None:
        if (reply := self._kept.pop(digest, None)) is not None:
            self._others.append(reply)

    def _write(self, values: dict[str, Any]) -> None:
        self._file.write(json.dumps(values, ensure_ascii=False).encode() + b"\n")
        self._file.flush()

    def _read(self) -> None:
        self._file.seek(0)
        whole = 0
        for line in self._file:
            if not line.endswith(b"\n"):
                break
            whole += len(line)
            self._keep_line(line)
        self._file.truncate(whole)

    def _keep_line(self, line: bytes) -> None:
        try:
            values: dict[str, Any] = json.loads(line)
            digest = values.pop("digest")
            if values.get("forgotten"):
                self._forget(digest)
                return
            tokens = tuple((str(token), float(logprob)) for token, logprob in values.pop("tokens"))
            reply = ModelReply(**values, tokens=tokens)
            if digest:
                self._kept[digest] = reply
            else:
                self._others.append(reply)
        except (ValueError, TypeError, KeyError) as error:
            raise WrongUse(
                f"{self.path} is no file of replies: remove it, or name another folder with --work."
            ) from error


MAX_TEXT_CHARACTERS = 200_000
"""The most characters of a text, many times those that answer a question."""
LONGEST_REASON = 40
MOST_TOKENS = 10**9
"""The bound of the numbers of tokens, far above those of any call."""
LARGEST, NEARLY_SURE = 1e6, 1e-3
"""The bound of log probabilities, and how far above 0 they may be because a server rounds."""


def read_completion(body: bytes, most_in: int, most_out: int) -> ModelReply:
    """Return the reply; a text of another type is empty. Raises UnreadableError if the body is no completion.

    `most_in`, `most_out`: the tokens that are counted if the server does not tell their number.
    """
    try:
        reply_tokens = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise UnreadableError("it answers, but not with JSON") from error
    choices = _object(reply_tokens).get("choices")
    choice = _object(choices[0] if isinstance(choices, list) and choices else None)
    if not isinstance(choice.get("message"), dict):
        raise UnreadableError("it answers, but not with a completion")
    message, usage = choice["message"], _object(reply_tokens["usage"]) if "usage" in reply_tokens else {}
    content = _text(message.get("content"))
    return ModelReply(
        content=content,
        refusal=_text(message.get("refusal"))[:LONGEST_REASON],
        finish=_text(choice.get("finish_reason"))[:LONGEST_REASON] or "stop",
        tokens_in=_count(usage.get("prompt_tokens"), most_in),
        tokens_out=_count(usage.get("completion_tokens"), len(content.encode()) or most_out),
        tokens=_tokens(_object(choice.get("logprobs")).get("content"), content),
    )


def _tokens(reply_tokens: Any, content: str) -> tuple[tuple[str, float], ...]:
    """Return the tokens with their log probabilities; none if one of them is no such pair, or they are another text."""
    tokens = []
    for part in reply_tokens if isinstance(reply_tokens, list) else []:
        token, logprob = _object(part).get("token"), _number(_object(part).get("logprob"))
        if not isinstance(token, str) or not -LARGEST < logprob < NEARLY_SURE:
            return ()
        tokens.append((_text(token), min(logprob, 0.0)))
    return tuple(tokens) if "".join(token for token, _ in tokens) == content else ()


def _text(value: Any) -> str:
    """Return a text that can be written as UTF-8: a half of a character is a question mark, as long as before."""
    return (
        value.encode(errors="replace").decode() if isinstance(value, str) and len(value) <= MAX_TEXT_CHARACTERS else ""
    )


def _number(value: Any) -> float:
    """Return a number; one outside of all bounds for NaN and what is none."""
    return float(value) if type(value) in (int, float) and abs(value) < LARGEST else math.inf


def _count(value: Any, otherwise: int) -> int:
    return value if type(value) is int and 0 <= value <= MOST_TOKENS else otherwise


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
