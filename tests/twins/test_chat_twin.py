"""The twin of a model server: as strict as a real one. Its faults are met in tests/colleague."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from tests.support.table import row
from tests.twins.chat import ChatTwin
from tests.twins.chat.twin import KEY

if TYPE_CHECKING:
    import openai

ASKED: dict[str, Any] = {
    "model": "twin",
    "messages": [{"role": "user", "content": [{"type": "text", "text": "Good?"}]}],
}


@pytest.fixture
def twin() -> Iterator[ChatTwin]:
    with ChatTwin(lambda request: '{"answer": "good"}') as running:
        yield running


@pytest.fixture
def client(twin: ChatTwin) -> Iterator["openai.OpenAI"]:
    import openai  # takes a while, and each process of a run reads this file

    with openai.OpenAI(base_url=twin.url, api_key=KEY, max_retries=0) as made:
        yield made


def post(twin: ChatTwin, body: dict[str, Any]) -> httpx.Response:
    address = f"{twin.url}/chat/completions"
    return httpx.post(address, json=body, headers={"Authorization": f"Bearer {KEY}"})


def test_the_client_reads_a_completion_with_its_usage_and_probabilities(client: "openai.OpenAI") -> None:
    completion = client.chat.completions.create(**ASKED, logprobs=True)
    choice = completion.choices[0]
    assert choice.message.content == '{"answer": "good"}' and choice.finish_reason == "stop"
    assert choice.logprobs and choice.logprobs.content
    assert "".join(token.token for token in choice.logprobs.content) == choice.message.content
    assert completion.usage and completion.usage.completion_tokens == len(choice.logprobs.content)


@row({"top": 1}, "Unrecognized request argument supplied: top")
@row({"temperature": "cold"}, "temperature")
@row({"messages": [{"role": "user", "content": [{"type": "image_url", "image_url": "x"}]}]}, "image_url")
@row({"response_format": {"type": "json_schema"}}, "json_schema")
def test_a_request_that_the_protocol_does_not_know_is_refused(other: Any, said: str, twin: ChatTwin) -> None:
    answer = post(twin, ASKED | other)
    assert answer.status_code == 400 and said in answer.json()["error"]["message"]
    assert twin.requests == []
