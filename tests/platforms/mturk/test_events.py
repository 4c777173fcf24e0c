"""Events may be repeated, wrapped, broken or lost; they make rounds come sooner, and nothing depends on them."""

import json
import logging
from collections.abc import Iterator
from typing import Any

import pytest

from platforms import jobs
from platforms.contract.errors import NothingDoneError
from platforms.contract.platform import Event
from platforms.models import Offer, Session
from platforms.mturk.client import sqs_of
from platforms.mturk.platform import MTurkPlatform
from tests.platforms.mturk.samples import QUEUE_URL, at_work, handed_in, open_offer
from tests.platforms.patient import PatientTurk
from tests.platforms.sides import MTurkSide
from tests.platforms.story import assert_ended_well, tell
from tests.platforms.world import World, a_world
from tests.twins.mturk import MTurkTwin, Queue

pytestmark = pytest.mark.django_db


@pytest.fixture
def offer(mturk: MTurkPlatform, twin: MTurkTwin) -> Offer:
    """An offer on which somebody has worked."""
    made = open_offer(mturk)
    handed_in(mturk, twin, made)
    return made


def test_an_event_is_read_once(mturk: MTurkPlatform, queue: Queue, offer: Offer) -> None:
    assert list(mturk.events()) == [Event(offer.external_id, "AssignmentSubmitted")]
    assert (list(mturk.events()), queue.received) == ([], {})


def test_a_repeated_message_is_one_event(mturk: MTurkPlatform, queue: Queue, offer: Offer) -> None:
    queue.duplicate()
    assert len(list(mturk.events())) == 1
    assert (queue.waiting, queue.received) == ([], {})


def test_more_events_than_one_request_holds_are_read(mturk: MTurkPlatform, twin: MTurkTwin) -> None:
    offer = open_offer(mturk, places=9)
    for number in range(25):
        twin.give_back(at_work(mturk, twin, offer, f"A{number}").id)
    assert [event.what for event in mturk.events()] == ["AssignmentReturned"] * 25


def test_a_message_that_went_through_a_topic_is_unwrapped(mturk: MTurkPlatform, queue: Queue, offer: Offer) -> None:
    queue.waiting = [json.dumps({"Type": "Notification", "Message": body}) for body in queue.waiting]
    assert list(mturk.events()) == [Event(offer.external_id, "AssignmentSubmitted")]


@pytest.mark.parametrize(
    "body", ["", "{", "[]", "null", '"words"', '{"Message": 3}', '{"Events": [{}]}', '{"Events": 1, "EventDocId": "1"}']
)
def test_a_broken_message_is_logged_and_deleted(
    mturk: MTurkPlatform, queue: Queue, offer: Offer, caplog: pytest.LogCaptureFixture, body: str
) -> None:
    queue.waiting.insert(0, body)
    with caplog.at_level(logging.WARNING):
        assert [event.offer_external_id for event in mturk.events()] == [offer.external_id]
    assert "is not from Mechanical Turk" in caplog.text
    assert (queue.waiting, queue.received) == ([], {})


def test_an_event_that_was_not_consumed_comes_again(mturk: MTurkPlatform, queue: Queue, offer: Offer) -> None:
    assert next(iter(mturk.events())).offer_external_id == offer.external_id
    queue.show_again()
    assert [event.offer_external_id for event in mturk.events()] == [offer.external_id]


def test_without_a_queue_nothing_is_asked_for(twin: MTurkTwin, mturk: MTurkPlatform) -> None:
    alone = MTurkPlatform(mturk.turk)
    open_offer(alone)
    assert list(alone.events()) == []
    assert "UpdateNotificationSettings" not in [call.operation for call in twin.calls]


def test_an_offer_is_published_although_its_events_are_refused(
    mturk: MTurkPlatform, twin: MTurkTwin, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        offer = open_offer(MTurkPlatform(mturk.turk, queue_url=QUEUE_URL, version="1999-01-01"))
    assert mturk.offer_status(offer).open
    assert "sends no events" in caplog.text


def test_a_queue_that_cannot_be_asked_says_so(mturk: MTurkPlatform, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AWS_ACCESS_KEY_ID", raising=False)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", "/nowhere")
    queue = "https://sqs.eu-west-1.amazonaws.com/1/chainbox"
    client = sqs_of(queue)
    assert client.meta.region_name == "eu-west-1"
    with pytest.raises(NothingDoneError, match="not asked"):
        list(MTurkPlatform(mturk.turk, sqs=client, queue_url=queue).events())


@pytest.fixture
def world(queue: Queue, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    with MTurkTwin(deliver=queue.put) as twin:
        turk = PatientTurk(twin)
        monkeypatch.setattr("platforms.mturk.platform.turk_at", lambda url: turk)
        monkeypatch.setattr("platforms.mturk.platform.sqs_of", lambda url: queue)
        settings.MTURK, settings.MTURK_ENDPOINT_URL, settings.MTURK_SITES = "sandbox", twin.url, [twin.url]
        settings.ADDRESS, settings.MTURK_QUEUE_URL = "http://localhost", QUEUE_URL
        with a_world(MTurkSide(twin), monkeypatch) as made:
            yield made


@pytest.mark.both_engines
def test_an_event_settles_a_session_before_the_next_round(world: World, queue: Queue) -> None:
    world.settle()
    session = world.does(world.offers(Offer.Kind.ENTRY)[0], "A1ADAADAADAADA")
    jobs.hear_job()
    session.refresh_from_db()
    assert session.platform_state == Session.PlatformState.APPROVED
    assert world.side.paid() == 50


@pytest.mark.slow
@pytest.mark.parametrize("wrong", ["lose", "all of it"])
def test_the_story_ends_the_same_whatever_becomes_of_events(world: World, queue: Queue, wrong: str) -> None:
    real = world.round

    def round_with_events(**options: Any) -> Any:
        if wrong == "lose":
            queue.lose()
        else:
            queue.duplicate()
            queue.shuffle()
            queue.lose(len(queue.waiting) // 2)
        jobs.hear_job()
        if wrong == "all of it":
            queue.show_again()
        return real(**options)

    world.round = round_with_events  # type: ignore[method-assign]
    assert_ended_well(world, tell(world))
