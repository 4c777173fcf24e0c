"""What a requester decides by hand: sessions without work, and what a platform has refused."""

from typing import Any

import pytest
from django.utils import timezone

from annotation.models import Project
from pipeline.models import Assignment
from pipeline.money.ledger import account_of
from pipeline.money.refuse_pay import refuse_pay
from platforms.contract.errors import RefusedError
from platforms.models import Offer, Payment, Session
from platforms.sessions.finish_session import finish_session
from platforms.settling.carry_out import carry_out_all
from platforms.settling.plan_payments import plan_payments
from platforms.settling.retry_payment import retry_payment
from platforms.settling.settle_by_hand import CannotSettleError, settle_by_hand
from tests.platforms.paper import Paper
from tests.support.money import REWARD
from tests.support.projects import submit
from tests.support.recruiting import an_offer, asks, comes

pytestmark = pytest.mark.django_db
Kind = Payment.Kind
POOR = RefusedError("You have insufficient funds.")


def handed_in(offer: Offer, number: int = 1, *, questions: int = 0, here: bool = False) -> Session:
    """PlatformState; and here too if it was finished."""
    session = comes(offer, f"W{number}", f"A{number}")
    if questions:
        assignment = asks(session, questions)
        assert assignment is not None
        submit(assignment, *[3] * questions)
    if here:
        finish_session(session_id=session.id, worker_id=session.worker_id)
    Session.objects.filter(id=session.id).update(platform_state="submitted")
    session.refresh_from_db()
    return session


def decide(session: Session, kind: Payment.Kind = Kind.APPROVE, reason: str = "The page failed.") -> Payment:
    return settle_by_hand(session_id=session.id, kind=kind, reason=reason)


def carried_out(paper: Paper, offer: Offer) -> list[tuple[str, str, int]]:
    carry_out_all(paper, offer.project_id)
    return paper.told


class TestSettlingByHand:
    def test_an_approval_pays_the_reward_and_nothing_is_owed_after_it(self, offer: Offer, paper: Paper) -> None:
        session = handed_in(offer)
        decide(session)
        assert carried_out(paper, offer) == [("approve", "A1", REWARD)]
        account = account_of(session.worker_id, offer.project_id)
        assert (account.bonus, account.paid, account.owed) == (REWARD, REWARD, 0)

    def test_what_was_earned_in_it_is_a_part_of_the_reward(self, offer: Offer, paper: Paper) -> None:
        session = handed_in(offer, questions=2)
        decide(session)
        carried_out(paper, offer)
        account = account_of(session.worker_id, offer.project_id)
        assert (account.earned, account.bonus, account.owed) == (10, REWARD - 10, 0)

    def test_a_rejection_pays_nothing_and_says_why(self, offer: Offer, paper: Paper) -> None:
        payment = decide(handed_in(offer), Kind.REJECT, " Nothing was done. ")
        assert (payment.cents, payment.reason) == (0, "Nothing was done.")
        assert carried_out(paper, offer) == [("reject", "A1", 0)]
        assert plan_payments("mturk", offer.project_id) == []

    def test_what_earned_something_is_not_rejected_without_refusing_that(self, offer: Offer) -> None:
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
    def test_only_what_is_handed_in_there_alone_is_decided_by_hand(
        self, offer: Offer, change: dict[str, Any], message: str
    ) -> None:
        session = handed_in(offer)
        Session.objects.update(**change)
        with pytest.raises(CannotSettleError, match=message):
            decide(session)

    def test_it_is_decided_once(self, offer: Offer) -> None:
        session = handed_in(offer)
        decide(session)
        with pytest.raises(CannotSettleError, match="on its way"):
            decide(session, Kind.REJECT)
        assert Payment.objects.count() == 1

    def test_a_bonus_is_no_decision(self, offer: Offer) -> None:
        with pytest.raises(CannotSettleError, match="approved or rejected"):
            decide(handed_in(offer), Kind.BONUS)


class TestSayingAgain:
    def refused(self, paper: Paper, offer: Offer) -> Payment:
        plan_payments("mturk", offer.project_id)
        paper.refuses = POOR
        carry_out_all(paper, offer.project_id)
        paper.refuses = None
        return Payment.objects.get(state="refused")

    def more_is_owed(self, offer: Offer) -> Session:
        """45 cents, though the session is settled."""
        session = handed_in(offer, questions=9, here=True)
        Session.objects.filter(id=session.id).update(platform_state="approved")
        return session

    def test_what_was_refused_is_said_once_more(self, offer: Offer, paper: Paper) -> None:
        handed_in(offer, questions=2, here=True)
        payment = self.refused(paper, offer)
        assert payment.last_error == str(POOR)
        retry_payment(payment.id)
        assert carried_out(paper, offer) == [("approve", "A1", REWARD)]

    def test_what_was_not_refused_is_not(self, offer: Offer, paper: Paper) -> None:
        handed_in(offer, questions=2, here=True)
        payment = self.refused(paper, offer)
        retry_payment(payment.id)
        with pytest.raises(CannotSettleError, match="planned"):
            retry_payment(payment.id)

    def test_not_what_was_settled_there_meanwhile(self, offer: Offer, paper: Paper) -> None:
        handed_in(offer, questions=2, here=True)
        payment = self.refused(paper, offer)
        Session.objects.update(platform_state="approved")
        with pytest.raises(CannotSettleError, match="approved there"):
            retry_payment(payment.id)

    def test_not_an_approval_whose_pay_is_refused_meanwhile(self, offer: Offer, paper: Paper) -> None:
        handed_in(offer, questions=2, here=True)
        payment = self.refused(paper, offer)
        refuse_pay(assignment_id=Assignment.objects.get().id, reason="one button", actor="ada")
        with pytest.raises(CannotSettleError, match="refused: take that back"):
            retry_payment(payment.id)

    def test_a_bonus_is_said_again_while_it_is_owed(self, offer: Offer, paper: Paper) -> None:
        self.more_is_owed(offer)
        payment = self.refused(paper, offer)
        assert (payment.kind, payment.cents) == ("bonus", 45)
        retry_payment(payment.id)
        assert carried_out(paper, offer) == [("bonus", "A1", 45)]

    def test_a_bonus_that_goes_with_another_session_by_now_is_not_paid_twice(
        self, project: Project, offer: Offer, paper: Paper
    ) -> None:
        first = self.more_is_owed(offer)
        payment = self.refused(paper, offer)
        second = comes(an_offer(project), "W1", "A2")
        Session.objects.filter(id=second.id).update(platform_state="submitted")
        assert [(one.session, one.cents) for one in plan_payments("mturk", project.pk)] == [(second, 45)]
        with pytest.raises(CannotSettleError, match="0 cents are owed"):
            retry_payment(payment.id, now=timezone.now())
        assert payment.session == first
