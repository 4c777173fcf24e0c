"""A requester decides by hand on sessions without work."""

from typing import Any

import pytest

from pipeline.money.ledger import account_of
from platforms.contract.errors import RefusedError
from platforms.models import Offer, Payment, Session
from platforms.settling.plan_payments import plan_payments
from platforms.settling.settle_by_hand import CannotSettleError, settle_by_hand
from tests.platforms.paper import Paper
from tests.platforms.settling.samples import handed_in, sent
from tests.support.money import REWARD

pytestmark = pytest.mark.django_db
Kind = Payment.Kind
POOR = RefusedError("You have insufficient funds.")


def decide(session: Session, kind: Payment.Kind = Kind.APPROVE, reason: str = "The page failed.") -> Payment:
    return settle_by_hand(session_id=session.id, kind=kind, reason=reason)


def test_an_approval_pays_the_reward_and_nothing_is_owed_after_it(offer: Offer, paper: Paper) -> None:
    session = handed_in(offer)
    decide(session)
    assert sent(paper, offer) == [("approve", "A1", REWARD)]
    account = account_of(session.worker_id, offer.project_id)
    assert (account.bonus, account.paid, account.owed) == (REWARD, REWARD, 0)


def test_what_was_earned_in_it_is_a_part_of_the_reward(offer: Offer, paper: Paper) -> None:
    session = handed_in(offer, questions=2)
    decide(session)
    sent(paper, offer)
    account = account_of(session.worker_id, offer.project_id)
    assert (account.earned, account.bonus, account.owed) == (10, REWARD - 10, 0)


def test_a_rejection_pays_nothing_and_says_why(offer: Offer, paper: Paper) -> None:
    payment = decide(handed_in(offer), Kind.REJECT, " Nothing was done. ")
    assert (payment.cents, payment.reason) == (0, "Nothing was done.")
    assert sent(paper, offer) == [("reject", "A1", 0)]
    assert plan_payments("mturk", offer.project_id) == []


def test_what_earned_something_is_not_rejected_without_refusing_that(offer: Offer) -> None:
    with pytest.raises(CannotSettleError, match="10 cents were earned"):
        decide(handed_in(offer, questions=2), Kind.REJECT)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"platform_state": ""}, "does not wait"),
        ({"platform_state": "approved"}, "does not wait"),
        ({"state": "finished"}, "handed in here"),
    ],
)
def test_only_sessions_without_work_here_are_decided_by_hand(
    offer: Offer, change: dict[str, Any], message: str
) -> None:
    session = handed_in(offer)
    Session.objects.update(**change)
    with pytest.raises(CannotSettleError, match=message):
        decide(session)


@pytest.mark.both_engines
def test_it_is_decided_once(offer: Offer) -> None:
    session = handed_in(offer)
    decide(session)
    with pytest.raises(CannotSettleError, match="on its way"):
        decide(session, Kind.REJECT)
    assert Payment.objects.count() == 1


def test_a_bonus_is_no_decision(offer: Offer) -> None:
    with pytest.raises(CannotSettleError, match="approved or rejected"):
        decide(handed_in(offer), Kind.BONUS)
