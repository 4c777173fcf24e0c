"""What a platform cannot tell is decided by hand, and money moves once."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from pipeline.models import LedgerEntry
from pipeline.money.ledger import account_of
from platforms.contract.errors import UnsureError
from platforms.models import Offer, Payment
from platforms.offers.look_at_offers import look_at_offers
from platforms.settling.carry_out import carry_out_all
from platforms.settling.decide_unknown import MAY_TELL, decide_unknown
from platforms.settling.plan_payments import plan_payments
from platforms.settling.settle_by_hand import CannotSettleError
from tests.platforms.paper import Paper, hands_in, works
from tests.support.money import REWARD, paying
from tests.support.recruiting import an_offer, comes

pytestmark = pytest.mark.django_db
LATER = MAY_TELL + timedelta(minutes=1)


@pytest.fixture
def offer() -> Offer:
    return an_offer(paying(60))


@pytest.fixture
def paper(monkeypatch: pytest.MonkeyPatch) -> Paper:
    """It forgot what it was asked about."""
    monkeypatch.setattr(Paper, "was_done", lambda *_: None)
    return Paper()


@pytest.fixture
def said(offer: Offer, paper: Paper) -> Payment:
    """An approval without an answer."""
    session = comes(offer)
    works(session)
    hands_in(paper, session)
    look_at_offers(paper, offer.project_id)
    plan_payments(paper.name, offer.project_id)
    paper.refuses = UnsureError("No answer.")
    carry_out_all(paper, offer.project_id)
    paper.refuses = None
    payment = Payment.objects.get()
    assert payment.state == "sent"
    return payment


def test_it_is_too_early_while_the_platform_may_still_tell(said: Payment) -> None:
    with pytest.raises(CannotSettleError, match="may still tell"):
        decide_unknown(said.id, done=True)
    said.refresh_from_db()
    assert said.state == "sent"


def test_what_was_done_there_is_paid_here_once(said: Payment, offer: Offer, paper: Paper) -> None:
    decide_unknown(said.id, done=True, now=timezone.now() + LATER)
    assert LedgerEntry.objects.get(kind="paid").cents == REWARD
    assert account_of(said.session.worker_id, offer.project_id).owed == 0
    assert not plan_payments(paper.name, offer.project_id, timezone.now() + LATER)
    with pytest.raises(CannotSettleError, match="This is done"):
        decide_unknown(said.id, done=False, now=timezone.now() + LATER)


def test_what_was_not_done_is_said_again(said: Payment, offer: Offer, paper: Paper) -> None:
    decide_unknown(said.id, done=False, now=timezone.now() + LATER)
    carry_out_all(paper, offer.project_id)
    assert [kind for kind, *_ in paper.told] == ["approve"]
    said.refresh_from_db()
    assert said.state == "done"
    assert account_of(said.session.worker_id, offer.project_id).owed == 0


@pytest.mark.parametrize(("action", "becomes"), [("was_done", "done"), ("was_not_done", "planned")])
def test_in_the_admin_it_is_asked_before_it_is_done(
    action: str, becomes: str, said: Payment, admin_client: Client
) -> None:
    Payment.objects.update(sent_at=timezone.now() - LATER)
    chosen = {"action": action, "_selected_action": [said.id]}
    page = admin_client.post("/admin/workers/payment/", chosen).content.decode()
    assert "own pages" in page
    said.refresh_from_db()
    assert said.state == "sent"
    admin_client.post("/admin/workers/payment/", {**chosen, "sent": "yes"})
    said.refresh_from_db()
    assert said.state == becomes
