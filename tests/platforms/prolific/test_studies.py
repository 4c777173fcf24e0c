"""Studies of offers, and genuine events, each of which requests a round once."""

import json
import time
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from django.test import Client as Sender

from platforms.contract import RecommendedPay
from platforms.errors import PlatformError, RefusedError, UnsureError
from platforms.models import Counterpart, Offer
from platforms.prolific.client import Client
from platforms.prolific.platform import ProlificPlatform
from platforms.prolific.web_hooks import hook_secret
from tests.platforms.prolific.samples import FEW_FAULTS, an_offer, handed_in, open_offer
from tests.platforms.samples import ask_again
from tests.support.services import PATIENCE
from tests.support.table import row
from tests.twins.faults import How, Kind
from tests.twins.prolific import ProlificTwin
from tests.twins.prolific.account import Event, Study, signature
from tests.twins.prolific.wire import Refusal

pytestmark = pytest.mark.django_db


def studies_of(twin: ProlificTwin) -> list[Study]:
    return list(twin.account.studies.values())


def test_an_offer_is_published_with_its_places_reward_and_time(twin: ProlificTwin, prolific: ProlificPlatform) -> None:
    offer = an_offer(places=4, reward_cents=175, least=3)
    published = prolific.publish(offer)
    (study,) = studies_of(twin)
    assert (published.external_id, study.status) == (study.id, "ACTIVE")
    assert (study.places, study.reward, study.fields["internal_name"]) == (4, 175, offer.key)
    assert study.fields["study_labels"] == ["ai_annotation"]
    # Four times 110 seconds: the test, and three assignments.
    assert (study.fields["estimated_completion_time"], study.fields["maximum_allowed_time"]) == (8, 60)


def test_the_time_until_all_places_are_taken_is_predicted_before_and_while_a_study_is_made(
    twin: ProlificTwin, prolific: ProlificPlatform
) -> None:
    offer = an_offer(places=9)
    assert (prolific.predicted_time(offer), twin.account.studies) == ("4.5 hours", {})
    assert prolific.publish(offer).recruited_in == "4.5 hours"


def test_a_study_is_published_although_its_time_cannot_be_predicted(twin: ProlificTwin, prolific: ProlificPlatform):
    twin.fail("GET", "/studies/*/predicted-recruitment-time/", times=prolific.client.tries)
    assert prolific.publish(an_offer()).recruited_in == ""
    assert [study.status for study in studies_of(twin)] == ["ACTIVE"]


def test_the_newest_recommended_pay_is_that_of_the_accounts_currency(twin: ProlificTwin, prolific: ProlificPlatform):
    assert prolific.recommended_pay() == RecommendedPay(least=800, good=1200)
    twin.account.recommended = []
    assert prolific.recommended_pay() is None


def test_a_study_is_found_again_among_many(twin: ProlificTwin, prolific: ProlificPlatform) -> None:
    offer, *others = [an_offer(places=1, reward_cents=1, task=task) for task in ["box_quality", *["box_drawing"] * 22]]
    for other in others:
        prolific.publish(other)
    first = prolific.publish(offer)
    assert prolific.publish(ask_again(offer)) == first
    assert len(studies_of(twin)) == 23


def test_a_published_study_comes_before_a_draft_of_the_same_name(twin: ProlificTwin, prolific: ProlificPlatform):
    offer = an_offer()
    first = prolific.publish(offer)
    twin.account.studies = {
        "d" * 24: Study("d" * 24, studies_of(twin)[0].fields, twin.clock.now()),
        **twin.account.studies,
    }
    assert prolific.publish(ask_again(offer)) == first
    assert [one.status for one in studies_of(twin)] == ["UNPUBLISHED", "ACTIVE"]


@row("balance", 100, "balance is too low")
@row("currency", "GBP", "GBP, the project in USD")
def test_a_study_that_the_account_cannot_pay_is_not_even_made(
    held: str, amount: Any, why: str, twin: ProlificTwin, prolific: ProlificPlatform
) -> None:
    setattr(twin.account.wallet, held, amount)
    with pytest.raises(RefusedError, match=why):
        prolific.publish(an_offer())
    assert ("POST", "/studies/") not in twin.calls


def test_a_study_may_cost_all_that_is_available_with_fee_and_tax(twin: ProlificTwin, prolific: ProlificPlatform):
    offer = an_offer(places=2, reward_cents=100)
    twin.account.wallet.balance = 2 * (100 + 43 + 9) - 1
    with pytest.raises(RefusedError, match="it is 303 cents, and 304 are needed"):
        prolific.publish(offer)
    twin.account.wallet.balance += 1
    assert prolific.publish(ask_again(offer)).external_id == studies_of(twin)[0].id


def test_a_draft_that_the_account_can_no_longer_pay_is_deleted(twin: ProlificTwin, prolific: ProlificPlatform) -> None:
    offer = an_offer()
    twin.fail("POST", "/studies/*/transition/", times=prolific.client.tries)
    with pytest.raises(UnsureError):
        prolific.publish(offer)
    twin.account.wallet.balance = 0
    with pytest.raises(RefusedError, match="balance is too low"):
        prolific.publish(ask_again(offer))
    assert studies_of(twin) == []


def test_only_studies_of_work_take_a_participant_again(twin: ProlificTwin, prolific: ProlificPlatform) -> None:
    entry, work = open_offer(prolific), open_offer(prolific, Offer.Kind.WORK)
    newcomer, regular = twin.participant(), twin.participant()
    prolific.screen(project_id=work.project_id, task=work.task, passed={regular.id: True})
    handed_in(twin, entry, newcomer)
    with pytest.raises(Refusal, match="taken part"):
        newcomer.reserve(entry.external_id)
    handed_in(twin, work, regular)
    assert regular.reserve(work.external_id).status == "RESERVED"


def test_a_full_study_stays_open_until_all_is_approved(twin: ProlificTwin, prolific: ProlificPlatform) -> None:
    offer = open_offer(prolific, places=1)
    assert prolific.offer_status(offer) == (True, 0)
    submission = handed_in(twin, offer)
    assert prolific.offer_status(offer) == (True, 1)
    prolific.withdraw(offer)  # nobody can take a place now in any case
    prolific.client.send("POST", f"/submissions/{submission}/transition/", {"action": "APPROVE"})
    assert prolific.offer_status(offer) == (False, 1)


@pytest.mark.parametrize(("how", "kind"), FEW_FAULTS)
def test_groups_are_made_once_whatever_fails(twin: ProlificTwin, prolific: ProlificPlatform, how: How, kind: Kind):
    offer = an_offer()
    twin.fail("POST", "/participant-groups/", how=how, kind=kind)
    with pytest.raises(PlatformError):
        prolific.publish(offer)
    prolific.publish(ask_again(offer))
    assert len(twin.account.groups) == 2


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
        assert Sender().post(ADDRESS, b"{}", content_type="application/json", headers=headers).status_code == 401
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


def test_a_subscription_without_the_secret_to_confirm_it_is_no_traceback(
    prolific: ProlificPlatform, monkeypatch: pytest.MonkeyPatch
) -> None:
    send_once = Client.send_once

    def without_secret(client: Client, *call: Any, **query: Any) -> httpx.Response:
        answer = send_once(client, *call, **query)
        answer.headers.pop("X-Hook-Secret", None)
        return answer

    monkeypatch.setattr(Client, "send_once", without_secret)
    with pytest.raises(UnsureError, match="X-Hook-Secret"):
        prolific.subscribe()


@pytest.mark.both_engines
def test_while_something_is_open_we_stay_subscribed_and_only_then(twin: ProlificTwin, prolific: ProlificPlatform):
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
def test_an_unconfirmed_subscription_is_made_anew(twin: ProlificTwin, prolific: ProlificPlatform, path: str, how: Any):
    twin.fail("POST", path, how=how, kind="cut")
    with pytest.raises(UnsureError):
        prolific.subscribe()
    prolific.subscribe()
    assert [one.confirmed for one in twin.account.hooks.subscriptions.values()] == [True, True]
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
