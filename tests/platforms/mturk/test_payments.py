"""Approvals, rejections and bonuses count once, whatever fails, and can be read back."""

from typing import Any

import pytest

from platforms.contract.errors import NothingDoneError, RefusedError, UnsureError
from platforms.contract.platform import Bonus, ListedSession
from platforms.models import Payment, Session
from platforms.mturk.client import Turk, parse
from platforms.mturk.platform import MTurkPlatform
from platforms.mturk.wire_format import HITDetails, cents_of, dollars
from tests.platforms.mturk.samples import ANN, BOB, FAULTS, a_payment, at_work, handed_in, open_offer
from tests.twins.faults import How, Kind
from tests.twins.mturk import MTurkTwin, api
from tests.twins.mturk.account import wrong_state

pytestmark = pytest.mark.django_db
APPROVE, REJECT, OVERRIDE, BONUS = (
    Payment.Kind.APPROVE,
    Payment.Kind.REJECT,
    Payment.Kind.OVERRIDE,
    Payment.Kind.BONUS,
)
OPERATIONS = {
    APPROVE: "ApproveAssignment",
    REJECT: "RejectAssignment",
    OVERRIDE: "ApproveAssignment",
    BONUS: "SendBonus",
}
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


@pytest.mark.both_engines
def test_a_session_is_approved(mturk: MTurkPlatform, session: Session) -> None:
    assert seen(mturk, session) == [PlatformState.SUBMITTED]
    assert mturk.was_done(payment_of(session, APPROVE)) is False
    payment = Payment.objects.get()
    assert mturk.send_payment(payment) == ""
    assert mturk.was_done(payment) is True
    assert seen(mturk, session) == [PlatformState.APPROVED]


def test_a_session_approved_twice_is_approved_once(mturk: MTurkPlatform, session: Session) -> None:
    payment = payment_of(session, APPROVE)
    mturk.send_payment(payment)
    mturk.send_payment(payment)
    assert mturk.balance_cents() == 1_000_000 - 3 * 126


def test_a_rejection_says_why_and_can_be_taken_back(mturk: MTurkPlatform, twin: MTurkTwin, session: Session) -> None:
    mturk.send_payment(payment_of(session, REJECT, "Every box is empty."))
    assert seen(mturk, session) == [PlatformState.REJECTED]
    shown = twin.client().get_assignment(AssignmentId=session.external_id)["Assignment"]
    assert shown["RequesterFeedback"] == "Every box is empty."
    payment = payment_of(session, OVERRIDE)
    assert mturk.was_done(payment) is False
    mturk.send_payment(payment)
    mturk.send_payment(payment)
    assert (mturk.was_done(payment), seen(mturk, session)) == (True, [PlatformState.APPROVED])


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


def test_work_that_cannot_be_reviewed_yet_is_reviewed_later(
    mturk: MTurkPlatform, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
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
    assert paid == Bonus(session.external_id, ANN, 1205, paid.reason)
    assert paid.reason.startswith("For more. [")
    assert mturk.balance_cents() == 1_000_000 - 3 * 126 - 1446


def test_days_later_a_bonus_is_still_not_paid_twice(mturk: MTurkPlatform, twin: MTurkTwin, session: Session) -> None:
    payment = payment_of(session, BONUS)
    mturk.send_payment(payment)
    twin.move(hours=25)
    assert mturk.was_done(payment) is True
    payment.tries += 1
    mturk.send_payment(payment)
    assert len(list(mturk.bonuses(session.offer))) == 1


def test_a_bonus_that_was_paid_but_is_not_listed_yet_is_no_refusal(
    mturk: MTurkPlatform, twin: MTurkTwin, session: Session
) -> None:
    """Taken for a refusal, the bonus would be planned and paid once more."""
    payment = payment_of(session, BONUS)
    mturk.send_payment(payment)
    listed, twin._account.bonuses = twin._account.bonuses, []
    with pytest.raises(UnsureError):
        mturk.send_payment(payment)
    twin._account.bonuses = listed
    assert mturk.was_done(payment) is True


def test_bonuses_of_one_session_are_kept_apart(mturk: MTurkPlatform, session: Session) -> None:
    first = payment_of(session, BONUS)
    mturk.send_payment(first)
    Payment.objects.filter(id=first.id).update(state=Payment.State.DONE)
    second = payment_of(session, BONUS)
    assert mturk.was_done(second) is False
    mturk.send_payment(second)
    assert len(list(mturk.bonuses(session.offer))) == 2


def test_a_bonus_without_money_can_be_paid_later(mturk: MTurkPlatform, session: Session) -> None:
    with pytest.raises(NothingDoneError):
        mturk.send_payment(payment_of(session, BONUS, cents=999_999))


def test_a_payment_for_an_unknown_assignment_is_refused(mturk: MTurkPlatform, session: Session) -> None:
    session.external_id = "3GONE"
    for kind in (BONUS, APPROVE):
        with pytest.raises(RefusedError):
            mturk.send_payment(payment_of(session, kind))
        assert not mturk.was_done(Payment(session=session, kind=kind))


@pytest.mark.slow
def test_all_pages_are_read(mturk: MTurkPlatform, twin: MTurkTwin) -> None:
    """A page holds at most a hundred rows, and a HIT may have been extended by hand."""
    offer = open_offer(mturk)
    hit = twin._account.hits[offer.external_id]
    hit.max_assignments = 130
    workers = [f"A{number:03}" for number in range(120)]
    for worker in workers:
        session = at_work(mturk, twin, offer, worker)
        twin.submit(session.id, [("receipt", "1")])
    last = handed_in(mturk, twin, offer, BOB)
    listed = list(mturk.sessions(offer))
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
        parse(values, HITDetails)
