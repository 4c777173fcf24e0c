"""Only a genuine event requests a round, and only once."""

import json
import time
from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client as Sender

from platforms.contract.errors import UnsureError
from platforms.models import Counterpart
from platforms.prolific.platform import ProlificPlatform
from platforms.prolific.web_hooks import hook_secret
from tests.platforms.prolific.samples import handed_in, open_offer
from tests.support.services import PATIENCE
from tests.twins.prolific import ProlificTwin
from tests.twins.prolific.account import Event, signature

pytestmark = pytest.mark.django_db
ADDRESS = "/platforms/prolific/hook/"


@pytest.fixture(autouse=True)
def own_cache(settings: Any, tmp_path: Any) -> None:
    backend = "django.core.cache.backends.locmem.LocMemCache"
    settings.CACHES = {"default": {"BACKEND": backend, "LOCATION": str(tmp_path)}}


@pytest.fixture
def requests(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    given: list[str] = []
    monkeypatch.setattr("platforms.pages.prolific.request_sync", given.append)
    return given


@pytest.fixture
def events(twin: ProlificTwin, prolific: ProlificPlatform) -> Iterator[list[Event]]:
    """The events since we subscribed: a study opened, and a participant came, worked and handed in."""
    prolific.subscribe()
    handed_in(twin, open_offer(prolific))
    yield twin.pending_events()


def deliver(event: Event, *, secret: str = "", at: float | None = None, body: bytes = b"") -> int:
    """Post an event as the twin does. Returns the status of the answer."""
    sent, timestamp = json.dumps(event.payload).encode(), str(int(time.time() if at is None else at))
    headers = {
        "X-Event-ID": event.id,
        "X-Prolific-Request-Timestamp": timestamp,
        "X-Prolific-Request-Signature": signature(secret or hook_secret(), timestamp, sent),
    }
    sender = Sender(enforce_csrf_checks=True)
    return sender.post(ADDRESS, body or sent, content_type="application/json", headers=headers).status_code


def test_each_event_requests_a_round_in_whatever_order_they_come(events: list[Event], requests: list[str]) -> None:
    assert [deliver(event) for event in reversed(events)] == [204] * len(events)
    assert requests == ["prolific"] * len(events)
    assert {event.payload["event_type"] for event in events} == {"study.status.change", "submission.status.change"}


def test_an_event_that_comes_twice_is_one_request(events: list[Event], requests: list[str]) -> None:
    assert [deliver(events[0]), deliver(events[0])] == [204, 204]
    assert requests == ["prolific"]


def test_forged_changed_and_replayed_events_are_turned_away(events: list[Event], requests: list[str]) -> None:
    event = events[0]
    assert deliver(event, secret="guessed") == 401
    assert deliver(event, body=b'{"event_type": "submission.status.change"}') == 401
    assert deliver(event, at=time.time() - 310) == 401
    assert deliver(event, at=time.time() + 300 + PATIENCE) == 401
    assert Sender().post(ADDRESS, {}, content_type="application/json").status_code == 401
    assert requests == []


def test_a_timestamp_that_is_no_number_is_turned_away(events: list[Event], requests: list[str]) -> None:
    for timestamp in ("", "soon", "-1", "²"):
        signed = signature(hook_secret(), timestamp, b"{}")
        headers = {"X-Prolific-Request-Timestamp": timestamp, "X-Prolific-Request-Signature": signed}
        answer = Sender().post(ADDRESS, b"{}", content_type="application/json", headers=headers)
        assert answer.status_code == 401
    assert requests == []


def test_nothing_is_genuine_before_we_subscribed(twin: ProlificTwin, requests: list[str]) -> None:
    timestamp = str(int(time.time()))
    signed = signature("", timestamp, b"{}")
    headers = {"X-Prolific-Request-Timestamp": timestamp, "X-Prolific-Request-Signature": signed}
    assert Sender().post(ADDRESS, b"{}", content_type="application/json", headers=headers).status_code == 401
    assert Sender().get(ADDRESS).status_code == 405
    assert requests == []


@pytest.mark.both_engines
def test_subscribing_twice_subscribes_once_and_keeps_the_secret(twin: ProlificTwin, prolific: ProlificPlatform) -> None:
    assert prolific.subscribe()
    secret = twin.account.hooks.secret
    assert prolific.subscribe()
    subscriptions = twin.account.hooks.subscriptions.values()
    assert sorted(one.event_type for one in subscriptions) == ["study.status.change", "submission.status.change"]
    assert all(one.confirmed for one in subscriptions)
    assert (twin.account.hooks.secret, hook_secret()) == (secret, secret)


@pytest.mark.both_engines
def test_while_something_is_open_we_stay_subscribed_and_only_then(
    twin: ProlificTwin, prolific: ProlificPlatform
) -> None:
    assert list(prolific.events()) == []
    assert twin.account.hooks.subscriptions == {}
    open_offer(prolific)
    twin.fail("GET", "/hooks/subscriptions/", times=2)
    with pytest.raises(UnsureError):
        prolific.events()
    prolific.events()
    calls = len(twin.calls)
    prolific.events()
    assert (len(twin.account.hooks.subscriptions), len(twin.calls)) == (2, calls)


@pytest.mark.parametrize("path", ["/hooks/subscriptions/", "/hooks/subscriptions/*/", "/hooks/secrets/"])
@pytest.mark.parametrize("how", ["before", "after"])
def test_an_unconfirmed_subscription_is_made_anew(
    twin: ProlificTwin, prolific: ProlificPlatform, path: str, how: Any
) -> None:
    twin.fail("POST", path, how=how, kind="cut")
    with pytest.raises(UnsureError):
        prolific.subscribe()
    prolific.subscribe()
    subscriptions = twin.account.hooks.subscriptions.values()
    assert [one.confirmed for one in subscriptions] == [True, True]
    assert hook_secret() == twin.account.hooks.secret


def test_a_subscription_that_the_platform_disabled_is_made_anew(twin: ProlificTwin, prolific: ProlificPlatform) -> None:
    prolific.subscribe()
    for one in twin.account.hooks.subscriptions.values():
        one.enabled = False
    prolific.subscribe()
    enabled = {one.id for one in twin.account.hooks.subscriptions.values() if one.enabled}
    assert enabled == set(Counterpart.objects.filter(external_id__in=enabled).values_list("external_id", flat=True))
    assert len(enabled) == 2


def test_a_secret_of_the_settings_comes_first(twin: ProlificTwin, prolific: ProlificPlatform, settings: Any) -> None:
    prolific.subscribe()
    settings.PROLIFIC_HOOK_SECRET = "given by the requester"
    assert hook_secret() == "given by the requester"
