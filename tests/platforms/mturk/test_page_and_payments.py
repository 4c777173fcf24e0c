"""The page in Mechanical Turk's frame, and payments that count once, whatever fails."""

from datetime import timedelta
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from platforms.contract import Bonus, ListedSession
from platforms.errors import NothingDoneError, RefusedError, UnsureError
from platforms.models import Identity, Offer, Payment, Recruitment, Session
from platforms.mturk import ENDPOINTS
from platforms.mturk.client import HITDetails, Turk, cents_of, dollars
from platforms.mturk.client import parse_values as client_parse
from platforms.mturk.platform import MTurkPlatform
from tests.platforms.mturk.samples import ANN, BOB, FAULTS, at_work, handed_in, open_offer
from tests.platforms.samples import a_payment
from tests.twins.faults import How, Kind
from tests.twins.mturk import MTurkTwin, api
from tests.twins.mturk.account import wrong_state
from tests.twins.mturk.worker_side import PREVIEW, parse
from workers.models import TrustStatus, Worker
from workers.tokens import read_page_token

pytestmark = pytest.mark.django_db

Answer = Any


@pytest.fixture
def offer(mturk: MTurkPlatform) -> Offer:
    return open_offer(mturk, pays_tests=True)


@pytest.fixture
def visit(mturk: MTurkPlatform, twin: MTurkTwin, offer: Offer) -> dict[str, str]:
    """The parameters of Ann's visit after she accepted the HIT."""
    assignment = at_work(mturk, twin, offer, ANN)
    return {"assignmentId": assignment.id, "hitId": offer.external_id, "workerId": ANN, "turkSubmitTo": twin.submit_to}


def come(client: Client, offer: Offer, **parameters: str) -> Answer:
    return client.get(f"/platforms/mturk/{offer.key}/", parameters)


def is_plain_page(answer: Answer, status: int, words: str) -> bool:
    """Whether the answer is a message that the frame may show."""
    framed = "frame-ancestors" in answer["Content-Security-Policy"] and "X-Frame-Options" not in answer
    return answer.status_code == status and words in answer.content.decode() and framed and not answer.cookies


def directives(answer: Answer) -> dict[str, list[str]]:
    return {name: values for name, *values in map(str.split, answer["Content-Security-Policy"].split(";"))}


def test_a_worker_gets_the_page_with_a_session(client: Client, twin: MTurkTwin, offer: Offer, visit: Any) -> None:
    answer, session = come(client, offer, **visit), Session.objects.get()
    assert (session.external_id, session.offer, session.state) == (visit["assignmentId"], offer, "open")
    assert Identity.objects.get(worker=session.worker).external_id == ANN
    assert TrustStatus.objects.get(worker=session.worker).state == "invited", "the test comes first"
    shown = answer.context
    assert read_page_token(shown["bearer"]) == (session.worker_id, session.id, None)
    assert shown["finish_url"] == f"{twin.url}/mturk/externalSubmit"
    assert shown["finish_fields"] == {"assignmentId": session.external_id, "receipt": str(session.id)}
    assert (shown["platform"], shown["place_word"], shown["task"]) == ("Mechanical Turk", "HIT", "box_quality")
    assert (shown["least"], shown["quota"], shown["reward"], shown["currency"]) == (1, 1, 105, "USD")
    assert shown["pays_tests"] is True
    assert 'id="work"' in answer.content.decode()


def test_the_address_that_the_service_frames_is_this_page(client: Client, twin: MTurkTwin, offer: Offer) -> None:
    framed = urlsplit(parse(twin._account.hits[offer.external_id].question).url)
    assert client.get(framed.path, {"assignmentId": PREVIEW}).status_code == 200
    assert parse_qs(framed.query) == {}


@pytest.mark.parametrize("parameters", [{}, {"assignmentId": PREVIEW}, {"assignmentId": PREVIEW, "workerId": ANN}])
def test_a_preview_makes_no_row(client: Client, offer: Offer, parameters: dict[str, str]) -> None:
    answer = come(client, offer, hitId=offer.external_id, **parameters)
    assert answer.status_code == 200
    assert "Accept the HIT to begin" in answer.content.decode()
    assert 'id="work"' not in answer.content.decode()
    assert [rows.objects.count() for rows in (Worker, Identity, Session)] == [0, 0, 0]


def test_only_the_site_may_frame_it_and_get_its_form(client: Client, settings: Any, offer: Offer, visit: Any) -> None:
    site = settings.MTURK_SITES[0]
    for answer in (come(client, offer), come(client, offer, **visit), come(client, offer, assignmentId="x")):
        assert directives(answer)["frame-ancestors"] == [site]
        assert directives(answer)["form-action"] == ["'self'", site]
        assert directives(answer)["base-uri"] == ["'none'"]
        assert "X-Frame-Options" not in answer
        assert answer["Referrer-Policy"] == "strict-origin"
        assert "no-store" in answer["Cache-Control"]
        assert not answer.cookies


def test_the_real_site_may_have_other_names(client: Client, settings: Any, offer: Offer) -> None:
    settings.MTURK_ENDPOINT_URL, settings.MTURK_SITES = ENDPOINTS["sandbox"], ["https://workersandbox.mturk.com"]
    shown = directives(come(client, offer))
    assert shown["frame-ancestors"] == ["https://workersandbox.mturk.com", "https://*.mturk.com"]
    assert shown["form-action"] == ["'self'", "https://workersandbox.mturk.com"]


def test_all_other_pages_stay_unframed(client: Client) -> None:
    answer = client.get("/account/login/")
    assert directives(answer)["frame-ancestors"] == ["'none'"]
    assert answer["X-Frame-Options"] == "DENY"


@pytest.mark.parametrize("ending", ["", "/"])
def test_the_form_goes_to_the_site_that_is_named(
    client: Client, twin: MTurkTwin, offer: Offer, visit: Any, ending: str
) -> None:
    answer = come(client, offer, **visit | {"turkSubmitTo": twin.url + ending})
    assert answer.context["finish_url"] == f"{twin.url}/mturk/externalSubmit"


def test_the_form_goes_to_the_own_site_where_none_is_named(client: Client, twin: MTurkTwin, offer: Offer, visit: Any):
    del visit["turkSubmitTo"]
    assert come(client, offer, **visit).context["finish_url"] == f"{twin.url}/mturk/externalSubmit"


@pytest.mark.parametrize(
    "elsewhere",
    ["https://evil.example", "{}.evil.example", "{}@evil.example", "{}/path", "{}?next", "javascript:alert(1)", "{}0"],
)
def test_a_form_never_goes_elsewhere(client: Client, twin: MTurkTwin, offer: Offer, visit: Any, elsewhere: str) -> None:
    answer = come(client, offer, **visit | {"turkSubmitTo": elsewhere.format(twin.url)})
    assert is_plain_page(answer, 403, "from Mechanical Turk only")
    assert not Session.objects.exists()


@pytest.mark.parametrize(
    "wrong", [{"workerId": ""}, {"workerId": "1ANN"}, {"assignmentId": "<b>"}, {"hitId": ""}, {"workerId": "A" * 65}]
)
def test_ids_of_no_kind_are_turned_away(client: Client, offer: Offer, visit: Any, wrong: dict[str, str]) -> None:
    assert is_plain_page(come(client, offer, **visit | wrong), 400, "from Mechanical Turk only")
    assert not Session.objects.exists()


def test_another_hit_is_turned_away(client: Client, mturk: MTurkPlatform, offer: Offer, visit: Any) -> None:
    assert is_plain_page(come(client, offer, **visit | {"hitId": "3OTHER"}), 403, "another HIT")
    assert not Worker.objects.exists()


def test_a_page_of_an_unknown_offer_is_a_plain_page_too(client: Client, settings: Any, offer: Offer) -> None:
    assert is_plain_page(client.get("/platforms/mturk/nothing/"), 404, "from Mechanical Turk only")
    settings.MTURK = "off"
    assert come(client, offer).status_code == 404


def test_an_offer_whose_id_is_not_known_yet_asks_to_reload(client: Client, offer: Offer, visit: Any) -> None:
    Offer.objects.update(external_id="", state="planned")
    answer = come(client, offer, **visit)
    assert is_plain_page(answer, 503, "your place is kept")
    assert answer["Retry-After"] == "60"


def test_a_hit_accepted_in_the_last_moment_has_its_whole_time(client: Client, offer: Offer, visit: Any) -> None:
    Offer.objects.update(expires_at=timezone.now() - timedelta(seconds=offer.seconds / 2), state="ended")
    assert is_plain_page(come(client, offer), 410, "has ended")
    assert come(client, offer, **visit).status_code == 200
    Offer.objects.update(expires_at=timezone.now() - timedelta(seconds=offer.seconds))
    assert is_plain_page(come(client, offer, **visit), 410, "has ended")


def test_a_session_that_was_settled_is_over(client: Client, offer: Offer, visit: Any) -> None:
    come(client, offer, **visit)
    Session.objects.update(platform_state="approved")
    assert is_plain_page(come(client, offer, **visit), 410, "settled")


def test_nothing_can_be_posted_to_it(client: Client, offer: Offer, visit: Any) -> None:
    assert client.post(f"/platforms/mturk/{offer.key}/", visit).status_code == 405


ELSEWHERE = {"HTTP_USER_AGENT": "Another Browser/1.0"}


def sessions_page(offer: Offer) -> str:
    Recruitment.objects.get_or_create(platform="mturk", project=offer.project, defaults={"created_at": timezone.now()})
    return reverse("projects:sessions", args=[offer.project.name, "mturk"])


@pytest.mark.parametrize("other", [{"REMOTE_ADDR": "192.0.2.7"}, ELSEWHERE], ids=["network", "browser"])
def test_ids_that_leaked_open_nothing_in_another_browser_and_the_requester_sees_it(
    client: Client, admin_client: Client, offer: Offer, visit: Any, other: dict[str, str]
) -> None:
    come(client, offer, **visit)
    refused = come(Client(**other), offer, **visit)  # type: ignore[arg-type]
    assert is_plain_page(refused, 403, "opened in another browser or on another network")
    assert "bearer" not in (refused.context or {})
    session = Session.objects.get()
    assert (session.strangers, session.state, session.stranger_at is not None) == (1, "open", True)
    assert come(client, offer, **visit).status_code == 200, "a reload by the worker goes on"
    assert [row.session for row in admin_client.get(sessions_page(offer), {"show": "elsewhere"}).context["page"]] == [
        session
    ]


@pytest.mark.both_engines
def test_requesters_let_another_network_go_on(client: Client, admin_client: Client, offer: Offer, visit: Any) -> None:
    come(client, offer, **visit)
    form = {"act": "release", "row": [Session.objects.get().pk], "sent": "yes", "reason": "she wrote"}
    admin_client.post(sessions_page(offer), form)
    assert come(Client(**ELSEWHERE), offer, **visit).status_code == 200  # type: ignore[arg-type]
    assert come(client, offer, **visit).status_code == 403


def test_a_refused_visit_does_not_bring_a_session_back(client: Client, offer: Offer, visit: Any) -> None:
    come(client, offer, **visit)
    Session.objects.update(state="left")
    assert come(Client(**ELSEWHERE), offer, **visit).status_code == 403  # type: ignore[arg-type]
    assert Session.objects.get().state == "left"


APPROVE, REJECT, OVERRIDE, BONUS = Payment.Kind.APPROVE, Payment.Kind.REJECT, Payment.Kind.OVERRIDE, Payment.Kind.BONUS
OPERATIONS = {APPROVE: "ApproveAssignment", REJECT: "RejectAssignment", BONUS: "SendBonus"}
PlatformState = Session.PlatformState


@pytest.fixture
def session(mturk: MTurkPlatform, twin: MTurkTwin) -> Session:
    return handed_in(mturk, twin, open_offer(mturk))


def payment_of(session: Session, kind: Payment.Kind, reason: str = "Because.", cents: int = 0) -> Payment:
    return a_payment(session, kind, reason=reason, cents=cents or 5 * (kind == BONUS))


def seen(mturk: MTurkPlatform, session: Session) -> list[PlatformState]:
    return [one.platform_state for one in mturk.sessions(session.offer)]


@pytest.mark.parametrize(("cents", "amount"), [(1, "0.01"), (10, "0.10"), (105, "1.05"), (123_456, "1234.56")])
def test_cents_are_written_as_dollars(cents: int, amount: str) -> None:
    assert (dollars(cents), cents_of(amount)) == (amount, cents)


def test_fractions_of_a_cent_are_dropped() -> None:
    assert [cents_of(amount) for amount in ("7", "0.999", "-0.10")] == [700, 99, -10]


def test_the_balance_is_what_is_not_promised(mturk: MTurkPlatform) -> None:
    assert mturk.balance_cents() == 1_000_000
    open_offer(mturk, reward_cents=100)
    assert mturk.balance_cents() == 1_000_000 - 3 * 120


def test_a_rejection_says_why(mturk: MTurkPlatform, twin: MTurkTwin, session: Session) -> None:
    mturk.send_payment(payment_of(session, REJECT, "Every box is empty."))
    shown = twin.client().get_assignment(AssignmentId=session.external_id)["Assignment"]
    assert shown["RequesterFeedback"] == "Every box is empty."


def test_a_rejection_without_a_reason_has_one(mturk: MTurkPlatform, session: Session) -> None:
    mturk.send_payment(payment_of(session, REJECT, reason=""))
    assert seen(mturk, session) == [PlatformState.REJECTED]


def test_what_is_settled_the_other_way_is_refused(mturk: MTurkPlatform, twin: MTurkTwin, session: Session) -> None:
    mturk.send_payment(payment_of(session, REJECT))
    with pytest.raises(RefusedError, match="status of"):
        mturk.send_payment(payment_of(session, APPROVE))
    twin.move(days=31)
    with pytest.raises(RefusedError, match="status of"):
        mturk.send_payment(payment_of(session, OVERRIDE))


def test_work_that_cannot_be_reviewed_yet_is_reviewed_later(mturk: MTurkPlatform, session: Session, monkeypatch: Any):
    """Mechanical Turk may refuse for some minutes to review an assignment that it lists."""

    def not_yet(*_: object) -> None:
        raise wrong_state("Assignment", ["null"])

    monkeypatch.setitem(api.OPERATIONS, "ApproveAssignment", not_yet)
    with pytest.raises(NothingDoneError):
        mturk.send_payment(payment_of(session, APPROVE))


@pytest.mark.parametrize(("how", "kind"), FAULTS)
@pytest.mark.parametrize("which", [APPROVE, REJECT, BONUS])
def test_a_payment_without_an_answer_is_read_back(
    mturk: MTurkPlatform, twin: MTurkTwin, session: Session, which: Payment.Kind, how: How, kind: Kind
) -> None:
    payment = payment_of(session, which)
    twin.fail(OPERATIONS[which], how, kind)
    with pytest.raises(UnsureError):
        mturk.send_payment(payment)
    assert mturk.was_done(payment) is (how == "after")
    payment.tries += 1
    mturk.send_payment(payment)
    assert mturk.was_done(payment) is True
    assert len(list(mturk.bonuses(session.offer))) == (which == BONUS)


@pytest.mark.both_engines
def test_a_call_without_an_answer_is_not_waited_for(mturk: MTurkPlatform, twin: MTurkTwin, session: Session) -> None:
    payment = payment_of(session, BONUS)
    twin.fail("SendBonus", "after", "timeout")
    with pytest.raises(UnsureError, match="gave no answer"):
        mturk.send_payment(payment)
    assert mturk.was_done(payment) is True


def test_a_bonus_is_paid_to_the_cent(mturk: MTurkPlatform, twin: MTurkTwin, session: Session) -> None:
    mturk.send_payment(payment_of(session, BONUS, "For more.", cents=1205))
    (paid,) = mturk.bonuses(session.offer)
    assert paid == Bonus(session.external_id, ANN, 1205, paid.reason) and paid.reason.startswith("For more. [")
    assert mturk.balance_cents() == 1_000_000 - 3 * 126 - 1446


def test_days_later_a_bonus_is_still_not_paid_twice(mturk: MTurkPlatform, twin: MTurkTwin, session: Session) -> None:
    payment = payment_of(session, BONUS)
    mturk.send_payment(payment)
    twin.move(hours=25)
    assert mturk.was_done(payment) is True
    payment.tries += 1
    mturk.send_payment(payment)
    assert len(list(mturk.bonuses(session.offer))) == 1


def test_a_bonus_paid_but_not_yet_listed_is_no_refusal(mturk: MTurkPlatform, twin: MTurkTwin, session: Session) -> None:
    """Taken for a refusal, the bonus would be planned and paid once more."""
    payment = payment_of(session, BONUS)
    mturk.send_payment(payment)
    listed, twin._account.bonuses = twin._account.bonuses, []
    with pytest.raises(UnsureError):
        mturk.send_payment(payment)
    twin._account.bonuses = listed
    assert mturk.was_done(payment) is True


def test_a_bonus_without_money_can_be_paid_later(mturk: MTurkPlatform, session: Session) -> None:
    with pytest.raises(NothingDoneError):
        mturk.send_payment(payment_of(session, BONUS, cents=999_999))


@pytest.mark.slow
def test_all_pages_are_read(mturk: MTurkPlatform, twin: MTurkTwin) -> None:
    """A page holds at most a hundred rows, and a HIT may have been extended by hand."""
    offer = open_offer(mturk)
    hit = twin._account.hits[offer.external_id]
    hit.max_assignments = 130
    workers = [f"A{number:03}" for number in range(120)]
    for worker in workers:
        twin.submit(at_work(mturk, twin, offer, worker).id, [("receipt", "1")])
    last, listed = handed_in(mturk, twin, offer, BOB), list(mturk.sessions(offer))
    assert sorted(one.external_worker for one in listed) == sorted([*workers, BOB])
    assert listed[-1] == ListedSession(last.external_id, BOB, PlatformState.SUBMITTED, twin.now)
    for one in listed:
        who = {"AssignmentId": one.external_id, "WorkerId": one.external_worker}
        mturk.turk("send_bonus", **who, BonusAmount="0.01", Reason="For all.")
    assert len(list(mturk.bonuses(offer))) == 121


def test_wrong_keys_change_nothing_and_are_no_refusal(mturk: MTurkPlatform, twin: MTurkTwin, session: Session) -> None:
    """A refused payment waits for the requester; one that was not let in is simply sent again."""
    client = twin.client()

    def spoil(request: Any, **_: Any) -> None:
        del request.headers["Authorization"]

    client.meta.events.register("before-send.mturk", spoil)
    locked_out = MTurkPlatform(Turk(client))
    with pytest.raises(NothingDoneError, match="not let in"):
        locked_out.send_payment(payment_of(session, APPROVE))
    assert seen(mturk, session) == [PlatformState.SUBMITTED]


@pytest.mark.parametrize(
    ("values", "where"), [({}, "HITId"), ({"HITId": "1"}, "MaxAssignments"), ({"HITId": None}, "HITId")]
)
def test_an_answer_without_what_we_read_leaves_us_unsure(values: dict[str, Any], where: str) -> None:
    with pytest.raises(UnsureError, match=f"cannot be read: {where}"):
        client_parse(values, HITDetails)
