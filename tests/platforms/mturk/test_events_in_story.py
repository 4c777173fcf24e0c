"""Events make rounds come sooner, and nothing depends on them: repeated, shuffled or lost, they change no ending."""

from collections.abc import Iterator
from typing import Any

import pytest

from platforms import jobs
from platforms.models import Offer, Session
from tests.platforms.mturk.samples import QUEUE_URL
from tests.platforms.mturk_side import MTurkSide
from tests.platforms.patient import PatientTurk
from tests.platforms.story import assert_ended_well, tell
from tests.platforms.world import World, a_world
from tests.twins.mturk import MTurkTwin, Queue

pytestmark = pytest.mark.django_db


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
