"""A payment that the platform refused is retried once the requester has fixed the cause."""

import pytest
from django.utils import timezone

from annotation.models import Project
from pipeline.models import Assignment
from pipeline.money.refuse_pay import refuse_pay
from platforms.contract.errors import RefusedError
from platforms.models import Offer, Payment, Session
from platforms.settling.plan_payments import plan_payments
from platforms.settling.send_payments import send_payments
from platforms.settling.settle_by_hand import CannotSettleError, retry_payment
from tests.platforms.paper import Paper
from tests.platforms.settling.samples import handed_in, sent
from tests.support.money import REWARD
from tests.support.recruiting import an_offer, comes

pytestmark = pytest.mark.django_db
POOR = RefusedError("You have insufficient funds.")


def refused(paper: Paper, offer: Offer) -> Payment:
    plan_payments("mturk", offer.project_id)
    paper.refuses = POOR
    send_payments(paper, offer.project_id)
    paper.refuses = None
    return Payment.objects.get(state="refused")


def more_is_owed(offer: Offer) -> Session:
    """A settled session whose worker is still owed 45 cents."""
    session = handed_in(offer, questions=9, here=True)
    Session.objects.filter(id=session.id).update(platform_state="approved")
    return session


def test_a_refused_payment_is_sent_again(offer: Offer, paper: Paper) -> None:
    handed_in(offer, questions=2, here=True)
    payment = refused(paper, offer)
    assert payment.last_error == str(POOR)
    retry_payment(payment.id)
    assert sent(paper, offer) == [("approve", "A1", REWARD)]


def test_a_payment_that_was_not_refused_is_not_retried(offer: Offer, paper: Paper) -> None:
    handed_in(offer, questions=2, here=True)
    payment = refused(paper, offer)
    retry_payment(payment.id)
    with pytest.raises(CannotSettleError, match="planned"):
        retry_payment(payment.id)


def test_an_approval_is_not_retried_if_the_session_was_settled_meanwhile(offer: Offer, paper: Paper) -> None:
    handed_in(offer, questions=2, here=True)
    payment = refused(paper, offer)
    Session.objects.update(platform_state="approved")
    with pytest.raises(CannotSettleError, match="approved on the platform"):
        retry_payment(payment.id)


def test_an_approval_is_not_retried_if_its_pay_was_refused_meanwhile(offer: Offer, paper: Paper) -> None:
    handed_in(offer, questions=2, here=True)
    payment = refused(paper, offer)
    refuse_pay(assignment_id=Assignment.objects.get().id, reason="one button", actor="ada")
    with pytest.raises(CannotSettleError, match="refused: take that back"):
        retry_payment(payment.id)


def test_a_refused_bonus_is_sent_again_while_it_is_owed(offer: Offer, paper: Paper) -> None:
    more_is_owed(offer)
    payment = refused(paper, offer)
    assert (payment.kind, payment.cents) == ("bonus", 45)
    retry_payment(payment.id)
    assert sent(paper, offer) == [("bonus", "A1", 45)]


def test_a_bonus_that_goes_with_another_session_by_now_is_not_paid_twice(
    project: Project, offer: Offer, paper: Paper
) -> None:
    first = more_is_owed(offer)
    payment = refused(paper, offer)
    second = comes(an_offer(project), "W1", "A2")
    Session.objects.filter(id=second.id).update(platform_state="submitted")
    assert [(one.session, one.cents) for one in plan_payments("mturk", project.pk)] == [(second, 45)]
    with pytest.raises(CannotSettleError, match="0 cents are owed"):
        retry_payment(payment.id, now=timezone.now())
    assert payment.session == first
