"""An offer becomes one HIT, whatever fails, is looked up, and is withdrawn."""

from datetime import timedelta

import pytest
from django.utils import timezone

from platforms.contract.errors import NothingDoneError, RefusedError, UnsureError
from platforms.contract.platform import OfferStatus
from platforms.models import Counterpart
from platforms.mturk.platform import MTurkPlatform
from tests.platforms.mturk.samples import ANN, FAULTS, an_offer, at_work, hits, open_offer
from tests.platforms.samples import ask_again
from tests.twins.faults import How, Kind
from tests.twins.mturk import MTurkTwin, Refused
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


def test_publishing_again_finds_the_hit(mturk: MTurkPlatform, twin: MTurkTwin) -> None:
    offer = an_offer()
    first = mturk.publish(offer)
    assert mturk.publish(ask_again(offer)) == first
    assert len(hits(twin)) == 1


def test_the_token_finds_the_hit_of_an_unknown_first_try(mturk: MTurkPlatform, twin: MTurkTwin) -> None:
    offer = an_offer()
    assert mturk.publish(offer) == mturk.publish(offer)
    assert len(hits(twin)) == 1


def test_whatever_the_refusal_names_the_hit_is_ours(
    mturk: MTurkPlatform, twin: MTurkTwin, monkeypatch: pytest.MonkeyPatch
) -> None:
    offer = an_offer()
    another, first = mturk.publish(an_offer()), mturk.publish(offer)

    def refuse(*_: object) -> None:
        raise TurkError("HitAlreadyExists", f"SEEN BEFORE, LIKE {another.external_id}, BY A1TWINREQUESTERSNUMBER")

    monkeypatch.setattr("tests.twins.mturk.hits.refuse_repetition", refuse)
    assert mturk.publish(offer) == first


@pytest.mark.parametrize(("how", "kind"), FAULTS)
def test_one_hit_is_made_whatever_fails(mturk: MTurkPlatform, twin: MTurkTwin, how: How, kind: Kind) -> None:
    offer = an_offer()
    for operation in ("CreateQualificationType", "CreateHITType", "CreateHITWithHITType"):
        twin.fail(operation, how, kind)
        with pytest.raises(UnsureError):
            mturk.publish(offer)
        ask_again(offer)
    made = mturk.publish(offer)
    assert [hit.id for hit in hits(twin)] == [made.external_id]
    assert Counterpart.objects.filter(name__startswith="qualification").count() == 1


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


@pytest.mark.parametrize(("how", "kind"), FAULTS)
def test_a_withdrawn_hit_is_closed_to_all_but_those_who_have_a_place(
    mturk: MTurkPlatform, twin: MTurkTwin, how: How, kind: Kind
) -> None:
    offer = open_offer(mturk)
    place = at_work(mturk, twin, offer)
    twin.fail("UpdateExpirationForHIT", how, kind)
    with pytest.raises(UnsureError):
        mturk.withdraw(offer)
    for _ in range(2):
        mturk.withdraw(offer)
    assert mturk.offer_status(offer) == OfferStatus(open=False, taken=1)
    with pytest.raises(Refused):
        twin.accept(offer.external_id, "A2BOB")
    assert twin.submit(place.id, [("receipt", "1")]).status == "Submitted"


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
