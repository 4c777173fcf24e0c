"""A completion of the chat protocol, read by its types: a server may send anything."""

import json
import math
from typing import Any

from clients.annotator.bounded import UnreadableError
from clients.annotator.replies import ModelReply

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
