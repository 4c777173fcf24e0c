"""HITs of offers and who finds them, events, and the modes of Mechanical Turk."""

import json
import logging
import os
import subprocess
import sys
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.utils import timezone

from platforms import jobs
from platforms.contract import OfferEvent, OfferStatus
from platforms.errors import NothingDoneError, PlatformOffError, RefusedError, UnsureError
from platforms.models import Counterpart, Offer, Session
from platforms.mturk import ENDPOINTS, endpoint, origin, sites
from platforms.mturk.client import sqs_of
from platforms.mturk.platform import MTurkPlatform, mturk_platform
from tests.platforms.mturk import samples
from tests.platforms.mturk.samples import ANN, BOB, CAY, an_offer, at_work, handed_in, hits, open_offer
from tests.platforms.patient import PatientTurk
from tests.platforms.samples import ask_again
from tests.platforms.sides import MTurkSide
from tests.platforms.story import assert_ended_well, tell
from tests.platforms.world import World, a_world
from tests.support.places import ROOT
from tests.support.rows import make_project
from tests.support.table import case, row
from tests.twins.mturk import MTurkTwin, Queue
from tests.twins.mturk.account import TurkError
from tests.twins.mturk.worker_side import parse

pytestmark = pytest.mark.django_db

DAY = 24 * 3600


def test_an_offer_becomes_a_hit_with_what_it_says(mturk: MTurkPlatform, twin: MTurkTwin) -> None:
    offer = an_offer(terms={"title": "Boxes", "description": "Look.", "keywords": "dogs", "auto_approve_days": 0.5})
    made = mturk.publish(offer)
    (hit,) = hits(twin)
    assert (made.external_id, made.expires_at) == (hit.id, hit.expiration)
    assert abs(hit.expiration - offer.expires_at) < timedelta(minutes=1)
    kind = hit.type
    assert (kind.title, kind.description, kind.keywords, str(kind.reward)) == ("Boxes", "Look.", "dogs", "1.05")
    assert (kind.duration, kind.auto_approval, hit.max_assignments) == (3600, DAY / 2, 3)
    question = parse(hit.question)
    assert (question.url, question.height) == (f"http://localhost/platforms/mturk/{offer.key}/", 0)


def test_the_token_finds_the_hit_of_an_unknown_first_try(mturk: MTurkPlatform, twin: MTurkTwin) -> None:
    offer = an_offer()
    assert mturk.publish(offer) == mturk.publish(offer)
    assert len(hits(twin)) == 1


def test_whatever_the_refusal_names_the_hit_is_ours(mturk: MTurkPlatform, twin: MTurkTwin, monkeypatch: Any):
    offer = an_offer()
    another, first = mturk.publish(an_offer()), mturk.publish(offer)

    def refuse(*_: object) -> None:
        raise TurkError("HitAlreadyExists", f"SEEN BEFORE, LIKE {another.external_id}, BY A1TWINREQUESTERSNUMBER")

    monkeypatch.setattr("tests.twins.mturk.hits.refuse_repetition", refuse)
    assert mturk.publish(offer) == first


def test_a_hit_is_found_days_after_its_answer_was_lost(mturk: MTurkPlatform, twin: MTurkTwin) -> None:
    offer = an_offer()
    twin.fail("CreateHITWithHITType", "after", "cut")
    with pytest.raises(UnsureError):
        mturk.publish(offer)
    for _ in range(12):
        mturk.publish(an_offer())
    twin.move(hours=25)
    made = mturk.publish(ask_again(offer))
    assert [hit.id for hit in hits(twin) if hit.annotation == offer.key] == [made.external_id]


def test_a_hit_has_up_to_nine_places(mturk: MTurkPlatform, twin: MTurkTwin) -> None:
    assert mturk.marketplace().most_places == {"entry": 9, "work": 1}
    assert mturk.offer_status(open_offer(mturk, places=9)).open
    with pytest.raises(RefusedError, match="9 places here, not 10"):
        mturk.publish(an_offer(places=10))
    assert len(hits(twin)) == 1


def test_without_money_nothing_is_made_and_it_can_be_tried_again(mturk: MTurkPlatform, twin: MTurkTwin) -> None:
    offer = an_offer(reward_cents=500_000)
    with pytest.raises(NothingDoneError, match="not enough money"):
        mturk.publish(offer)
    assert hits(twin) == []


def test_a_refusal_is_shown_in_mechanical_turks_words(mturk: MTurkPlatform) -> None:
    with pytest.raises(RefusedError, match=r"AssignmentDurationInSeconds must be between 30 and \d+\.$"):
        mturk.publish(an_offer(seconds=5))


def test_places_that_are_taken_are_counted(mturk: MTurkPlatform, twin: MTurkTwin) -> None:
    offer = open_offer(mturk, places=1)
    assert mturk.offer_status(offer) == OfferStatus(open=True, taken=0)
    taken = at_work(mturk, twin, offer)
    assert mturk.offer_status(offer) == OfferStatus(open=True, taken=1), "it may be given back"
    twin.give_back(taken.id)
    assert mturk.offer_status(offer) == OfferStatus(open=True, taken=0)
    twin.submit(twin.accept(offer.external_id, ANN).id, [("receipt", "1")])
    assert mturk.offer_status(offer) == OfferStatus(open=False, taken=1)


def test_a_hit_that_is_gone_is_closed(mturk: MTurkPlatform) -> None:
    offer = open_offer(mturk, taken=2)
    offer.external_id = "3GONE"
    assert mturk.offer_status(offer) == OfferStatus(open=False, taken=2)
    mturk.withdraw(offer)


def test_a_late_offer_has_the_shortest_life(mturk: MTurkPlatform, twin: MTurkTwin) -> None:
    """An offer may have to be made before its id is known and it can be withdrawn."""
    mturk.publish(an_offer(expires_at=timezone.now() - timedelta(hours=1)))
    assert hits(twin)[0].expiration - twin.now == timedelta(seconds=30)


def test_nothing_more_is_listed_of_a_hit_that_the_service_has_forgotten(mturk: MTurkPlatform) -> None:
    """If this raised an error, every round would read the HIT for ever."""
    gone = an_offer(external_id="3GONEGONEGONEGONEGONEGONEGONE0")
    assert not mturk.offer_status(gone).open
    assert list(mturk.sessions(gone)) == []


@pytest.fixture
def offers(mturk: MTurkPlatform) -> dict[str, str]:
    """The kind of each offer by its HIT id."""
    project = make_project()
    made = {kind.value: open_offer(mturk, kind, project=project) for kind in (Offer.Kind.ENTRY, Offer.Kind.WORK)}
    return {offer.external_id: kind for kind, offer in made.items()}


def found(twin: MTurkTwin, offers: dict[str, str], worker: str) -> list[str]:
    return [offers[hit.id] for hit in twin.discover(worker)]


def report(mturk: MTurkPlatform, passed: dict[str, bool | None]) -> None:
    mturk.screen(project_id=Offer.objects.latest("id").project_id, task="box_quality", passed=passed)


def test_newcomers_need_experience(twin: MTurkTwin, offers: dict[str, str]) -> None:
    twin.worker(ANN, approved=499)
    twin.worker(BOB, approved=940, rejected=60)
    twin.worker(CAY, approved=950, rejected=50)
    assert [found(twin, offers, worker) for worker in (ANN, BOB, CAY)] == [[], [], ["entry"]]


def test_experience_can_be_left_out(mturk: MTurkPlatform, twin: MTurkTwin) -> None:
    shown = {"title": "Boxes", "description": "Look."}
    offer = open_offer(mturk, Offer.Kind.ENTRY, terms={**shown, "approved_least": 0, "approved_percent": 0})
    twin.worker(BOB, rejected=1)
    assert [hit.id for hit in twin.discover(BOB)] == [offer.external_id]


def test_an_unknown_worker_keeps_no_other_result_from_being_reported(
    mturk: MTurkPlatform, twin: MTurkTwin, offers: dict[str, str]
) -> None:
    with pytest.raises(RefusedError):
        report(mturk, {"nobody": True, BOB: True})
    assert found(twin, offers, BOB) == ["work"]
    assert twin.mails == []


def test_two_services_with_one_account_do_not_mix_their_workers(mturk: MTurkPlatform, twin: MTurkTwin, settings: Any):
    project = make_project()
    mturk.screen(project_id=project.id, task="box_quality", passed={BOB: True})
    Counterpart.objects.all().delete()
    settings.ADDRESS = "http://other.localhost"
    mturk.publish(an_offer(project=project))
    assert twin.discover(BOB) == []


@pytest.fixture
def offer(mturk: MTurkPlatform, twin: MTurkTwin) -> Offer:
    """An offer on which somebody has worked."""
    made = open_offer(mturk)
    handed_in(mturk, twin, made)
    return made


def test_an_event_is_read_once(mturk: MTurkPlatform, queue: Queue, offer: Offer) -> None:
    assert list(mturk.events()) == [OfferEvent(offer.external_id, "AssignmentSubmitted")]
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
    assert list(mturk.events()) == [OfferEvent(offer.external_id, "AssignmentSubmitted")]


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


def test_an_offer_is_published_although_its_events_are_refused(mturk: MTurkPlatform, twin: MTurkTwin, caplog: Any):
    with caplog.at_level(logging.WARNING):
        offer = open_offer(MTurkPlatform(mturk.turk, queue_url=samples.QUEUE_URL, version="1999-01-01"))
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
        settings.ADDRESS, settings.MTURK_QUEUE_URL = "http://localhost", samples.QUEUE_URL
        with a_world(MTurkSide(twin), monkeypatch) as made:
            yield made


@pytest.mark.both_engines
def test_an_event_settles_a_session_before_the_next_round(world: World, queue: Queue) -> None:
    world.settle()
    session = world.does(world.offers(Offer.Kind.ENTRY)[0], "A1ADAADAADAADA")
    jobs.poll_events_job()
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
        jobs.poll_events_job()
        if wrong == "all of it":
            queue.show_again()
        return real(**options)

    world.round = round_with_events  # type: ignore[method-assign]
    assert_ended_well(world, tell(world))


SANDBOX, LIVE = ENDPOINTS["sandbox"], ENDPOINTS["live"]


@pytest.mark.slow
def test_mechanical_turk_is_off_by_default(tmp_path: Path) -> None:
    env = {"PATH": os.environ["PATH"], "DJANGO_SETTINGS_MODULE": "config.settings", "CHAINBOX_DATA": str(tmp_path)}
    code = "from django.conf import settings as s; print(s.MTURK, s.MTURK_ENDPOINT_URL or '-', s.MTURK_SITES)"
    shown = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=env, capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "off - []"


@row("off", "", "")
@row("off", LIVE, "")
@row("sandbox", "", SANDBOX)
@row("sandbox", SANDBOX + "/", SANDBOX)
@row("sandbox", "http://127.0.0.1:5000", "http://127.0.0.1:5000")
@row("live", "", LIVE)
@row("live", LIVE, LIVE)
def test_calls_go_where_the_mode_says(mode: str, chosen: str, url: str) -> None:
    assert endpoint(mode, chosen) == url


@row("live", "http://127.0.0.1:5000")
@row("live", SANDBOX)
@row("live", LIVE.replace("https", "http"))
@row("sandbox", LIVE)
@row("sandbox", LIVE.upper())
@row("sandbox", LIVE + ":443")
def test_an_address_of_another_mode_stops_the_start(mode: str, chosen: str) -> None:
    with pytest.raises(ImproperlyConfigured, match="MTURK_ENDPOINT_URL"):
        endpoint(mode, chosen)


def test_sites_are_origins() -> None:
    assert sites("sandbox", []) == ["https://workersandbox.mturk.com"]
    assert sites("live", []) == ["https://www.mturk.com"] and sites("off", []) == []
    assert sites("live", ["https://a.example/", "http://b.example:81"]) == ["https://a.example", "http://b.example:81"]
    for wrong in ("https://a.example/x", "a.example", "https://*.mturk.com/", "https://A.example"):
        with pytest.raises(ImproperlyConfigured, match="MTURK_SITES"):
            sites("live", [wrong])


@row("https://www.mturk.com/x?y", "https://www.mturk.com")
@row("HTTPS://WWW.mturk.com:443", "https://www.mturk.com")
@row("http://[::1]:80/", "http://[::1]")
@row("https://www.mturk.com:444", "https://www.mturk.com:444")
@row("https://www.mturk.com@evil.example/", "")
@row("https://www.mturk.com:port", "")
@row("javascript:alert(1)", "")
@row("//www.mturk.com", "")
@row("https://[", "")
def test_an_origin_is_scheme_host_and_port(url: str, compared: str) -> None:
    assert origin(url) == compared


@case("there is no platform while it is switched off", ("off", SANDBOX, "https://boxes.example"), "MTURK is off")
@case("the real site shows https pages only", ("sandbox", SANDBOX, "http://boxes.example"), "https")
def test_settings_without_a_platform(values: tuple[str, str, str], why: str, settings: Any) -> None:
    settings.MTURK, settings.MTURK_ENDPOINT_URL, settings.ADDRESS = values
    with pytest.raises(PlatformOffError, match=why):
        mturk_platform()


def test_a_database_of_the_sandbox_never_goes_live(settings: Any, twin: MTurkTwin, mturk: MTurkPlatform) -> None:
    settings.ADDRESS = "https://boxes.example"
    assert mturk_platform().marketplace().live is False
    mturk.publish(an_offer())
    settings.MTURK, settings.MTURK_ENDPOINT_URL = "live", LIVE
    with pytest.raises(PlatformOffError, match="MTURK=sandbox"):
        mturk_platform()


def test_live_is_called_live(settings: Any) -> None:
    settings.MTURK, settings.MTURK_ENDPOINT_URL, settings.ADDRESS = "live", LIVE, "https://boxes.example"
    place = mturk_platform().marketplace()
    assert (place.live, place.currency, place.fee_percent) == (True, "USD", 20)
