"""Events reach whoever subscribed, signed and at least once; faults come when they are asked for."""

import base64
import hashlib
import hmac
from collections.abc import Iterator

import httpx
import pytest

from tests.twins.prolific import ProlificTwin
from tests.twins.prolific.receiver import Receiver
from tests.twins.prolific.samples import Researcher, a_researcher, study, waiting


@pytest.fixture
def researcher() -> Iterator[Researcher]:
    with a_researcher() as client:
        yield client


@pytest.fixture
def twin(researcher: Researcher) -> ProlificTwin:
    return researcher.twin


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with Receiver() as running:
        yield running


def test_an_event_is_signed_with_the_secret_over_timestamp_and_body(researcher: Researcher, receiver: Receiver) -> None:
    twin = researcher.twin
    secret = researcher.subscribe(receiver.url)
    row = waiting(twin, researcher.live_study())
    assert twin.deliver() == [204, 204, 204]
    assert [one["status"] for one in receiver.payloads()] == ["RESERVED", "ACTIVE", "AWAITING REVIEW"]
    headers, body = receiver.got[-1]
    signed = hmac.new(secret.encode(), headers["X-Prolific-Request-Timestamp"].encode() + body, hashlib.sha256)
    assert headers["X-Prolific-Request-Signature"] == base64.b64encode(signed.digest()).decode()
    assert receiver.payloads()[-1]["resource_id"] == row


def test_an_event_that_was_not_received_comes_again_under_the_same_id(
    twin: ProlificTwin, researcher: Researcher, receiver: Receiver
) -> None:
    researcher.subscribe(receiver.url)
    twin.participant().reserve(researcher.live_study())
    receiver.answer = 500
    assert twin.deliver() == [500]
    receiver.answer = 204
    assert twin.deliver() == [204]
    assert twin.deliver() == []
    assert len({headers["X-Event-ID"] for headers, _ in receiver.got}) == 1


def test_nothing_is_sent_before_a_subscription_is_confirmed(twin: ProlificTwin, researcher: Researcher) -> None:
    workspace = {"workspace_id": twin.workspace}
    body = workspace | {"event_type": "submission.status.change", "target_url": "https://chainbox.example/events/"}
    assert "secret" in researcher.refused("POST", "/hooks/subscriptions/", body)
    researcher.done("POST", "/hooks/secrets/", workspace)
    key = researcher.done("POST", "/hooks/subscriptions/", body)["id"]
    assert "secret" in researcher.refused("POST", f"/hooks/subscriptions/{key}/", {"secret": "guessed"})
    twin.participant().reserve(researcher.live_study())
    assert twin.pending_events() == []


def test_a_call_that_failed_before_had_no_effect_and_one_that_failed_after_had_it(researcher: Researcher) -> None:
    twin = researcher.twin
    twin.fail("POST", "/studies/", how="before", kind="500")
    assert researcher.call("POST", "/studies/", study()).status_code == 500
    assert researcher.done("GET", "/studies/")["results"] == []
    twin.fail("POST", "/studies/", how="after", kind="lost")
    with pytest.raises(httpx.RemoteProtocolError):
        researcher.call("POST", "/studies/", study())
    assert len(researcher.done("GET", "/studies/")["results"]) == 1


def test_a_timeout_lasts_until_the_caller_gives_up(twin: ProlificTwin, researcher: Researcher) -> None:
    twin.fail("GET", "/users/me/", kind="timeout")
    with pytest.raises(httpx.ReadTimeout):
        httpx.get(f"{twin.url}/users/me/", headers={"Authorization": f"Token {twin.token}"}, timeout=0.2)
    assert researcher.call("GET", "/users/me/").is_success


def test_throttling_says_when_to_come_again_and_ends(twin: ProlificTwin, researcher: Researcher) -> None:
    twin.fail("GET", "/studies/*/submissions/", kind="throttle", times=2, retry_after=3)
    path = f"/studies/{researcher.live_study()}/submissions/"
    answers = [researcher.call("GET", path) for _ in range(3)]
    assert [one.status_code for one in answers] == [429, 429, 200]
    assert answers[0].headers["Retry-After"] == "3"
