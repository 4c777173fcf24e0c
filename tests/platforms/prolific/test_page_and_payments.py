"""Participants who arrive from Prolific, submissions, and payments that take effect once, whatever fails."""

from datetime import timedelta
from typing import Any
from urllib.parse import parse_qs, urlsplit

import jwt
import pytest
from django.http import HttpResponse
from django.test import Client as Browser
from django.utils import timezone

from platforms.errors import NothingDoneError, RefusedError, UnsureError
from platforms.models import Identity, Offer, Payment, Session
from platforms.pages.prolific import KEYS, _keys
from platforms.prolific.platform import ProlificPlatform
from platforms.prolific.wire_format import SHORTEST_REASON
from tests.platforms.prolific.samples import FAULTS, FEW_FAULTS, a_session, an_offer, handed_in, open_offer
from tests.platforms.samples import a_payment
from tests.support.table import row
from tests.twins.faults import How
from tests.twins.faults import Kind as FaultKind
from tests.twins.prolific import Participant, ProlificTwin
from tests.twins.prolific.account import Submission
from tests.twins.prolific.signing import rotate_key, token_of
from tests.twins.prolific.submissions import STEPS
from workers.models import Access, Worker
from workers.tokens import read_page_token

pytestmark = pytest.mark.django_db


@pytest.fixture
def offer(prolific: ProlificPlatform) -> Offer:
    return open_offer(prolific)


@pytest.fixture
def someone(twin: ProlificTwin) -> Participant:
    return twin.participant()


def visit(address: str, **changes: str) -> Any:
    """Open the address to which Prolific sends a browser. `changes`: parameters that a forger replaced."""
    parts = urlsplit(address)
    query = {name: values[0] for name, values in parse_qs(parts.query).items()} | changes
    return Browser().get(parts.path, query)


def is_refused(answer: HttpResponse) -> bool:
    return answer.status_code == 403 and not Session.objects.exists()


def test_a_participant_gets_a_session_and_a_token_for_it(offer: Offer, someone: Participant) -> None:
    submission, address = someone.start(offer.external_id)
    answer, session = visit(address), Session.objects.get()
    assert (session.offer, session.external_id, session.state) == (offer, submission.id, Session.State.OPEN)
    assert Identity.objects.get().external_id == someone.id
    assert Access.objects.get().task == offer.task
    assert read_page_token(answer.context["bearer"]) == (session.worker_id, session.id, None)


def test_the_page_sets_no_cookie_reads_none_and_is_kept_nowhere(offer: Offer, someone: Participant) -> None:
    answer = visit(someone.start(offer.external_id)[1])
    assert answer.status_code == 200 and not answer.cookies
    assert "Cookie" not in answer.get("Vary", "")
    assert "no-store" in answer["Cache-Control"]


@pytest.mark.both_engines
def test_the_page_ends_where_prolific_takes_the_code(twin: ProlificTwin, offer: Offer, someone: Participant) -> None:
    answer = visit(someone.start(offer.external_id)[1])
    address, _, code = answer.context["finish_url"].partition("?cc=")
    assert (address, answer.context["finish_fields"]) == (f"{twin.site}/submissions/complete", {})
    assert someone.complete(code).status == "AWAITING REVIEW"


def test_somebody_elses_submission_study_or_name_opens_nothing(
    twin: ProlificTwin, prolific: ProlificPlatform, offer: Offer, someone: Participant
) -> None:
    other_offer, other = open_offer(prolific, task="box_drawing"), twin.participant()
    other_submission, _ = other.start(other_offer.external_id)
    _, address = someone.start(offer.external_id)
    there = {"session": other_submission.id, "pid": other.id}
    forged = [{"pid": name} for name in (other.id, "0" * 24, "{{%PROLIFIC_PID%}}")]
    forged += [{"session": name} for name in (other_submission.id, "0" * 24, "../studies", "")]
    study = {"study": other_offer.external_id}
    for changes in (*forged, study, there, there | study):
        assert is_refused(visit(address, **changes)), changes


def test_another_studys_place_opens_no_offer(prolific: ProlificPlatform, offer: Offer, someone: Participant) -> None:
    other = open_offer(prolific, project_id=offer.project_id, task="box_drawing")
    _, address = someone.start(offer.external_id)
    assert is_refused(visit(address.replace(offer.key, other.key)))


@pytest.fixture
def signed_offer(prolific: ProlificPlatform, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Offer:
    """A study whose address Prolific signs, in a workspace that has this."""
    settings.PROLIFIC_SIGNS_ADDRESSES = True
    monkeypatch.setattr("platforms.pages.prolific.COOLDOWN", 0)
    _keys.cache_clear()
    return open_offer(prolific)


def test_a_signed_address_opens_a_session_and_opens_it_again_later(
    twin: ProlificTwin, signed_offer: Offer, someone: Participant
) -> None:
    _, address = someone.start(signed_offer.external_id)
    assert visit(address).status_code == 200
    with twin.acting() as account:
        claims = jwt.decode(token_in(address), options={"verify_signature": False})
        old = token_of(account, claims | {"exp": claims["iat"] - 1})
    assert visit(address, prolific_token=old).status_code == 200
    assert Session.objects.count() == 1


@row({"exp": 1_700_000_000})
@row({"iss": "https://prolific.example"})
@row({"aud": "https://elsewhere.example/?pid=1"})
@row({"sub": "0" * 24})
@row({"prolific": {}})
def test_a_signature_for_something_else_opens_nothing(
    changes: dict[str, Any], twin: ProlificTwin, signed_offer: Offer, someone: Participant
) -> None:
    _, address = someone.start(signed_offer.external_id)
    with twin.acting() as account:
        claims = jwt.decode(token_in(address), options={"verify_signature": False})
        other = token_of(account, claims | changes)
    asked = len(twin.calls)
    assert is_refused(visit(address, prolific_token=other))
    assert ("GET", "/submissions/*/") not in twin.calls[asked:]


def test_an_address_that_nobody_or_somebody_else_signed_opens_nothing(
    twin: ProlificTwin, signed_offer: Offer, someone: Participant
) -> None:
    _, address = someone.start(signed_offer.external_id)
    claims = jwt.decode(token_in(address), options={"verify_signature": False})
    kid = jwt.get_unverified_header(token_in(address))["kid"]
    forged = jwt.encode(claims, "k" * 32, algorithm="HS256", headers={"kid": kid})
    unsigned = jwt.encode(claims, "", algorithm="none", headers={"kid": kid})
    for token in (forged, unsigned, "", "nonsense"):
        assert is_refused(visit(address, prolific_token=token)), token
    assert is_refused(visit(address, pid=twin.participant().id))


def test_prolifics_keys_are_read_once_and_again_after_a_change(
    twin: ProlificTwin, signed_offer: Offer, someone: Participant
) -> None:
    other, third = twin.participant(), twin.participant()
    for participant in (someone, other):
        assert visit(participant.start(signed_offer.external_id)[1]).status_code == 200
    assert twin.calls.count(("GET", KEYS)) == 1
    with twin.acting() as account:
        rotate_key(account)
    assert visit(third.start(signed_offer.external_id)[1]).status_code == 200
    assert twin.calls.count(("GET", KEYS)) == 2


def test_while_prolifics_keys_cannot_be_read_the_visitor_is_asked_to_wait(
    twin: ProlificTwin, signed_offer: Offer, someone: Participant, settings: Any
) -> None:
    _, address = someone.start(signed_offer.external_id)
    settings.PROLIFIC_API_URL = "http://127.0.0.1:9"
    assert visit(address).status_code == 503
    settings.PROLIFIC_API_URL = twin.url
    assert visit(address).status_code == 200


def token_in(address: str) -> str:
    return parse_qs(urlsplit(address).query)["prolific_token"][0]


def returned(twin: ProlificTwin, someone: Participant, submission: Submission) -> None:
    someone.give_back(submission)


def timed_out(twin: ProlificTwin, someone: Participant, submission: Submission) -> None:
    twin.clock.forward(minutes=61)


def completed(twin: ProlificTwin, someone: Participant, submission: Submission) -> None:
    someone.complete("anything")


@pytest.mark.parametrize("end", [returned, timed_out, completed])
def test_a_place_that_is_over_opens_nothing(twin: ProlificTwin, offer: Offer, someone: Participant, end: Any) -> None:
    submission, address = someone.start(offer.external_id)
    end(twin, someone, submission)
    answer = visit(address)
    assert is_refused(answer)
    assert "given back" in answer.content.decode()


@pytest.mark.parametrize("kind", ["500", "throttle", "cut"])
def test_while_prolific_does_not_answer_the_visitor_is_asked_to_wait(
    twin: ProlificTwin, offer: Offer, someone: Participant, kind: Any
) -> None:
    _, address = someone.start(offer.external_id)
    twin.fail("GET", "/submissions/*/", kind=kind, times=2)
    answer = visit(address)
    assert (answer.status_code, answer["Retry-After"], Worker.objects.count()) == (503, "15", 0)
    assert visit(address).status_code == 200


def test_visitors_of_a_study_whose_id_we_do_not_know_yet_are_let_in(
    twin: ProlificTwin, prolific: ProlificPlatform, someone: Participant
) -> None:
    offer = an_offer()
    study = prolific.publish(offer).external_id
    handed_in(twin, open_offer(prolific), someone)
    _, address = someone.start(study)
    assert visit(address).status_code == 200
    stranger = an_offer(project_id=offer.project_id, task="box_drawing")
    assert visit(address.replace(offer.key, stranger.key)).status_code == 403


Kind, State = Payment.Kind, Payment.State
PAY, LIST = "/bulk-bonus-payments/*/pay/", "/submissions/bonus-payments/"
TWENTY_FIVE_HOURS = timedelta(hours=25)


@pytest.fixture
def session(twin: ProlificTwin, prolific: ProlificPlatform) -> Session:
    """A session that was handed in on our page and on Prolific."""
    offer = open_offer(prolific)
    return a_session(offer, handed_in(twin, offer))


@pytest.fixture
def submission(twin: ProlificTwin, session: Session) -> Submission:
    return twin.account.submissions[session.external_id]


def later(payment: Payment) -> Payment:
    """Pretend that the payment was sent a day ago."""
    payment.sent_at = timezone.now() - TWENTY_FIVE_HOURS
    payment.save()
    return payment


def test_an_approved_session_is_paid_its_reward_once(twin: ProlificTwin, prolific: ProlificPlatform, session: Session):
    for kind in (Kind.REJECT, Kind.OVERRIDE, Kind.APPROVE, Kind.OVERRIDE):
        prolific.send_payment(a_payment(session, kind, reason="Nothing in the boxes.", state=State.DONE))
    assert [charge.amount for charge in twin.account.wallet.paid] == [150]


@pytest.mark.parametrize(("how", "kind"), FEW_FAULTS)
@pytest.mark.parametrize("decision", [Kind.APPROVE, Kind.REJECT, Kind.OVERRIDE])
def test_a_decision_is_taken_although_a_call_fails(
    twin: ProlificTwin, prolific: ProlificPlatform, submission: Submission, decision: Any, how: How, kind: FaultKind
) -> None:
    session = Session.objects.get()
    if decision == Kind.OVERRIDE:
        prolific.send_payment(a_payment(session, Kind.REJECT, reason="No.", state=State.DONE))
    twin.fail("POST", "/submissions/*/transition/", how=how, kind=kind)
    payment = a_payment(session, decision, reason="No.")
    prolific.send_payment(payment)
    assert prolific.was_done(payment)
    assert submission.status == ("REJECTED" if decision == Kind.REJECT else "APPROVED")


@pytest.fixture
def pays_parts(settings: Any) -> None:
    settings.PROLIFIC_PAYS_PARTS = True


@pytest.mark.parametrize(("how", "kind"), FEW_FAULTS)
def test_a_part_of_the_reward_is_paid_once_although_a_call_fails(
    pays_parts: None, twin: ProlificTwin, prolific: ProlificPlatform, how: How, kind: FaultKind
) -> None:
    session = a_session(offer := open_offer(prolific), handed_in(twin, offer))
    payment = a_payment(session, Kind.PART, cents=60, reason="You did not get to the end.")
    assert prolific.was_done(payment) is False
    twin.fail("POST", "/submissions/*/transition/", how=how, kind=kind)
    for _ in range(2):
        prolific.send_payment(payment)
    assert prolific.was_done(payment) is True
    submission = twin.account.submissions[session.external_id]
    assert (submission.status, submission.messages) == ("PARTIALLY APPROVED", ["You did not get to the end."])
    assert [charge.amount for charge in twin.account.wallet.paid] == [60]
    assert listed(prolific, offer) == {session.external_id: PlatformState.APPROVED}
    charged, status = prolific.cost(offer), prolific.offer_status(offer)
    assert charged is not None and (charged.paid, status.taken) == (60, 1)


def test_a_part_is_refused_by_a_study_that_was_made_without_the_code_for_it(
    prolific: ProlificPlatform, session: Session
) -> None:
    assert not prolific.pays_parts
    with pytest.raises(RefusedError, match="actor researcher"):
        prolific.send_payment(a_payment(session, Kind.PART, cents=60))


def test_a_participant_is_asked_once_to_give_a_submission_back(
    twin: ProlificTwin, prolific: ProlificPlatform, session: Session, submission: Submission
) -> None:
    prolific.request_return(session, "Nothing in the boxes.")
    assert (submission.messages, submission.return_asked is not None) == (["Nothing in the boxes."], True)
    twin.fail("POST", "/submissions/*/request-return/", how="after", kind="cut")
    with pytest.raises(UnsureError):
        prolific.request_return(session, "Once more.")
    assert submission.messages == ["Nothing in the boxes.", "Once more."]
    twin.participant(submission.participant).give_back(submission)
    assert listed(prolific, session.offer) == {session.external_id: PlatformState.RETURNED}


def test_a_platform_that_refuses_to_repeat_itself_is_understood(
    prolific: ProlificPlatform, session: Session, submission: Submission, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The step leads to a status that does not exist, so a repetition is refused.
    monkeypatch.setitem(STEPS, "APPROVE", ({"AWAITING REVIEW"}, "NOWHERE"))
    for _ in range(2):
        prolific.send_payment(a_payment(session, Kind.APPROVE, state=State.DONE))
    assert submission.status == "APPROVED"


def test_a_rejection_holds_the_requesters_reason_and_is_long_enough(
    prolific: ProlificPlatform, session: Session, submission: Submission
) -> None:
    prolific.send_payment(a_payment(session, Kind.REJECT, reason="Nothing in the boxes."))
    assert submission.rejected_because.startswith("Nothing in the boxes. ")
    assert len(submission.rejected_because) >= SHORTEST_REASON


def test_what_was_paid_cannot_be_rejected(prolific: ProlificPlatform, session: Session) -> None:
    prolific.send_payment(a_payment(session, Kind.APPROVE))
    with pytest.raises(RefusedError, match="APPROVED"):
        prolific.send_payment(a_payment(session, Kind.REJECT))


@pytest.mark.parametrize("kind", ["timeout", "cut", "500"])
@row("after", "bonus list", (True, True))
@row("before", None, (None, False))
def test_a_bonus_of_unknown_end_is_looked_up_and_sent_again_after_a_day_if_it_was_not_paid(
    how: How, why: str | None, done: tuple[bool | None, bool], kind: FaultKind, prolific: ProlificPlatform,
    session: Session, submission: Submission, twin: ProlificTwin,
) -> None:  # fmt: skip
    twin.fail("POST", PAY, how=how, kind=kind)
    payment = a_payment(session, Kind.BONUS, cents=425)
    with pytest.raises(UnsureError, match=why):
        prolific.send_payment(payment)
    assert (prolific.was_done(payment), prolific.was_done(later(payment))) == done
    if how == "before":
        prolific.send_payment(payment)
    assert submission.bonuses == [425]


@pytest.mark.parametrize(("how", "kind"), FAULTS)
def test_when_the_list_fails_it_is_certain_that_nothing_was_paid(
    twin: ProlificTwin, prolific: ProlificPlatform, session: Session, submission: Submission, how: How, kind: FaultKind
) -> None:
    twin.fail("POST", LIST, how=how, kind=kind)
    payment = a_payment(session, Kind.BONUS, cents=425)
    with pytest.raises(NothingDoneError):
        prolific.send_payment(payment)
    prolific.send_payment(payment)
    assert submission.bonuses == [425]


def test_a_throttled_payment_is_read_back_before_it_is_sent_again(
    twin: ProlificTwin, prolific: ProlificPlatform, session: Session, submission: Submission
) -> None:
    twin.fail("POST", PAY, kind="throttle")
    payment = a_payment(session, Kind.BONUS, cents=425)
    with pytest.raises(UnsureError):
        prolific.send_payment(payment)
    assert prolific.was_done(payment) is None
    assert submission.bonuses == []


def test_a_payment_waits_while_the_balance_is_too_low(
    twin: ProlificTwin, prolific: ProlificPlatform, session: Session, submission: Submission
) -> None:
    payment = a_payment(session, Kind.BONUS, cents=425)
    full, twin.account.wallet.balance = twin.account.wallet.balance, 900
    with pytest.raises(NothingDoneError, match="balance is too low"):
        prolific.send_payment(payment)
    assert twin.account.bonus_lists == {}
    twin.account.wallet.balance = full
    prolific.send_payment(payment)
    assert submission.bonuses == [425]


PlatformState = Session.PlatformState


def listed(prolific: ProlificPlatform, offer: Offer) -> dict[str, Session.PlatformState]:
    return {seen.external_id: seen.platform_state for seen in prolific.sessions(offer)}


def decided(prolific: ProlificPlatform, submission: str, action: str) -> None:
    step = {"action": action, "message": "No. " * 40, "rejection_category": "OTHER"}
    prolific.client.send("POST", f"/submissions/{submission}/transition/", step)


def test_each_status_has_its_word_and_what_is_under_way_is_not_listed(twin: ProlificTwin, prolific: ProlificPlatform):
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
    states = [PlatformState.RETURNED, PlatformState.RETURNED, PlatformState.SUBMITTED]
    assert listed(prolific, offer) == dict(zip(rows, states, strict=True))


def test_a_long_list_is_read_to_its_last_page_although_a_page_fails(twin: ProlificTwin, prolific: ProlificPlatform):
    offer = open_offer(prolific, places=45)
    rows = {handed_in(twin, offer) for _ in range(45)}
    twin.fail("GET", "/studies/*/submissions/", kind="throttle")
    assert listed(prolific, offer).keys() == rows
