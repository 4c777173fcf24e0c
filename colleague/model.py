"""The model: one picture and one text to a server that speaks the chat-completions protocol."""

import hashlib
import json
import time
from collections.abc import Callable, Collection
from typing import Any

from colleague.errors import ColleagueError, NoAnswer, WrongUse
from colleague.pictures import Sent
from colleague.replies import Replies, Reply
from colleague.retry import FIRST_TRIES, TRIES, retried, seconds_in
from colleague.spending import Spending

OPTIONAL = ("response_format", "logprobs", "seed", "temperature", "max_tokens")
"""Parameters that can be left out for a server that refuses them."""
MOST_TOKENS = 2048
LONGEST_WORDS = 300
"""The most characters of a server's message that are repeated."""
PASSING = (408, 409, 425, 429)


class Model:
    """A model of a server. Several threads may ask it at once."""

    def __init__(
        self,
        server: str,
        name: str,
        *,
        key: str,
        replies: Replies,
        spending: Spending,
        seed: int = 0,
        without: Collection[str] = (),
        timeout: float = 120.0,
        sleep: Callable[[float], object] = time.sleep,
    ) -> None:
        """`server`: the address before /chat/completions. `timeout`: seconds that one call may take.

        `without`: parameters of OPTIONAL that are not sent. Raises WrongUse if the package openai is missing.
        """
        try:
            import openai
        except ImportError as error:
            raise WrongUse("The package openai is not installed: pip install openai (extra “colleague”).") from error
        self._openai = openai
        self._client = openai.OpenAI(base_url=server, api_key=key, max_retries=0, timeout=timeout)
        self.server, self.name = server, name
        self.replies, self.spending = replies, spending
        self._tries = FIRST_TRIES
        self._seed, self._without, self._sleep = seed, frozenset(without), sleep

    def ask(self, task: str, text: str, picture: Sent, schema: dict[str, Any]) -> Reply:
        """Return the kept reply to this request, or ask for one and keep it.

        Raises NoAnswer if the model refused or was cut off, BudgetSpent, and ColleagueError if the server fails.
        """
        request = self._request(task, text, picture, schema)
        digest = hashlib.sha256(json.dumps(request, sort_keys=True).encode()).hexdigest()
        reply = self.replies.get(digest)
        if reply is None:
            reply = self._paid(request)
            self.replies.keep(digest, reply)
        if reply.refusal or reply.finish == "content_filter":
            raise NoAnswer("a refusal of the model")
        if reply.finish == "length":
            raise NoAnswer("a reply that was cut off")
        return reply

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

    def _paid(self, request: dict[str, Any]) -> Reply:
        try:
            reply = retried(lambda: self._call(request), self._wait_for, sleep=self._sleep, tries=self._tries)
        except self._openai.APIStatusError as error:
            raise ColleagueError(self._refusal(error)) from error
        except (self._openai.OpenAIError, ValueError) as error:
            said = str(error.__cause__ or error)
            raise ColleagueError(
                f"The model server at {self.server} failed {self._tries} times ({said}): see whether it runs, and "
                "go on by the same command."
            ) from error
        self._tries = TRIES
        return reply

    def _call(self, request: dict[str, Any]) -> Reply:
        """Make one call, and count it."""
        self.spending.begin()
        reply = Reply("")
        try:
            reply = _reply(self._client.chat.completions.create(**request))
            return reply
        finally:
            self.spending.end(reply.tokens_in, reply.tokens_out)

    def _wait_for(self, error: Exception) -> float | None:
        if isinstance(error, self._openai.APIStatusError):
            passing = error.status_code in PASSING or error.status_code >= 500
            if not passing or error.code == "insufficient_quota":
                return None
            return seconds_in(error.response.headers.get("Retry-After"))
        # A connection that broke, or a body that is no JSON or no completion.
        return 0.0 if isinstance(error, self._openai.OpenAIError | ValueError) else None

    def _refusal(self, error: Any) -> str:
        said = f"The model server at {self.server} answers {error.status_code}: {_words_of(error)}."
        if error.status_code in (401, 403):
            return f"{said} Put the key that it takes into COLLEAGUE_MODEL_KEY."
        if error.status_code == 404:
            return f"{said} See --server (it often ends in /v1) and --model."
        if error.status_code in (400, 422):
            return f"{said} If it refuses a parameter, leave it out: --without {','.join(OPTIONAL)}."
        return f"{said} Go on later by the same command."


def _words_of(error: Any) -> str:
    body = error.body if isinstance(error.body, dict) else {}
    return " ".join(str(body.get("message") or error.message).split()).rstrip(".")[:LONGEST_WORDS]


def _reply(completion: Any) -> Reply:
    """Return what the server sent. Raises ValueError if it is no completion."""
    choices = getattr(completion, "choices", None)
    if not choices or getattr(choices[0], "message", None) is None:
        raise ValueError("it answered, but not with a completion")
    choice, usage = choices[0], completion.usage
    told = getattr(choice.logprobs, "content", None) if choice.logprobs else None
    return Reply(
        content=choice.message.content or "",
        refusal=getattr(choice.message, "refusal", None) or "",
        finish=choice.finish_reason or "stop",
        tokens_in=usage.prompt_tokens if usage else 0,
        tokens_out=usage.completion_tokens if usage else 0,
        tokens=tuple((one.token, one.logprob) for one in told or ()),
    )
