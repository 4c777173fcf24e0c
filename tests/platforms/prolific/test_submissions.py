"""Prolific's list of submissions is read to its end, and translated into sessions and bonuses."""

import pytest

from platforms.contract.platform import Bonus
from platforms.models import Offer, Payment, Session
from platforms.prolific.platform import ProlificPlatform
from tests.platforms.prolific.samples import a_payment, a_session, handed_in, open_offer
from tests.twins.prolific import ProlificTwin

pytestmark = pytest.mark.django_db
PlatformState = Session.PlatformState


def listed(prolific: ProlificPlatform, offer: Offer) -> dict[str, Session.PlatformState]:
    return {seen.external_id: seen.platform_state for seen in prolific.sessions(offer)}


def decided(prolific: ProlificPlatform, submission: str, action: str) -> None:
    step = {"action": action, "message": "No. " * 40, "rejection_category": "OTHER"}
    prolific.client.send("POST", f"/submissions/{submission}/transition/", step)


def test_each_status_has_its_word_and_what_is_under_way_is_not_listed(
    twin: ProlificTwin, prolific: ProlificPlatform
) -> None:
    offer = open_offer(prolific, places=10)
    waiting, approved, rejected = (handed_in(twin, offer) for _ in range(3))
    decided(prolific, approved, "APPROVE")
    decided(prolific, rejected, "REJECT")
    leaver = twin.participant()
    returned, _ = leaver.start(offer.external_id)
    leaver.give_back(returned)
    twin.participant().start(offer.external_id)
    twin.participant().reserve(offer.external_id)
    words = [PlatformState.SUBMITTED, PlatformState.APPROVED, PlatformState.REJECTED, PlatformState.RETURNED]
    assert listed(prolific, offer) == dict(zip([waiting, approved, rejected, returned.id], words, strict=True))


def test_a_listed_session_names_its_worker_and_its_time(twin: ProlificTwin, prolific: ProlificPlatform) -> None:
    offer, someone = open_offer(prolific), twin.participant()
    before = twin.clock.now()
    handed_in(twin, offer, someone)
    (seen,) = prolific.sessions(offer)
    assert seen.external_worker == someone.id
    assert seen.at is not None and before <= seen.at <= twin.clock.now()


def test_a_participant_who_ran_out_of_time_returned_the_place_unless_they_have_the_code(
    twin: ProlificTwin, prolific: ProlificPlatform
) -> None:
    offer = open_offer(prolific)
    gone, guessing, late = (twin.participant() for _ in range(3))
    rows = [who.start(offer.external_id)[0].id for who in (gone, guessing, late)]
    twin.clock.forward(minutes=61)
    guessing.complete("GUESSED")
    handed = late.complete(twin.account.studies[offer.external_id].fields["completion_codes"][0]["code"])
    assert handed.status == "TIMED-OUT"
    assert listed(prolific, offer) == dict(
        zip(rows, [PlatformState.RETURNED, PlatformState.RETURNED, PlatformState.SUBMITTED], strict=True)
    )


def test_a_long_list_is_read_to_its_last_page_although_a_page_fails(
    twin: ProlificTwin, prolific: ProlificPlatform
) -> None:
    offer = open_offer(prolific, places=45)
    rows = {handed_in(twin, offer) for _ in range(45)}
    twin.fail("GET", "/studies/*/submissions/", kind="throttle")
    assert listed(prolific, offer).keys() == rows


def test_bonuses_are_listed_with_whom_and_how_much(twin: ProlificTwin, prolific: ProlificPlatform) -> None:
    offer, someone = open_offer(prolific), twin.participant()
    submission = handed_in(twin, offer, someone)
    handed_in(twin, offer)
    session = a_session(offer, submission)
    for cents in (425, 5, 425):
        prolific.send_payment(a_payment(session, Payment.Kind.BONUS, cents=cents, state=Payment.State.DONE))
    assert list(prolific.bonuses(offer)) == [Bonus(submission, someone.id, cents) for cents in (425, 5, 425)]
