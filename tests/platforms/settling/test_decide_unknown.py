"""A payment about which the platform cannot tell is decided by hand, and money moves once."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from pipeline.models import LedgerEntry
from pipeline.money.ledger import account_of
from platforms.contract.errors import UnsureError
from platforms.models import Offer, Payment, Recruitment
from platforms.offers.read_offers import read_offers
from platforms.settling.plan_payments import plan_payments
from platforms.settling.send_payments import send_payments
from platforms.settling.settle_by_hand import LISTED_WITHIN, CannotSettleError, decide_unknown
from tests.platforms.paper import Paper, hands_in, works
from tests.support.money import REWARD, paying
from tests.support.recruiting import an_offer, comes

pytestmark = pytest.mark.django_db
LATER = LISTED_WITHIN + timedelta(minutes=1)


@pytest.fixture
def offer() -> Offer:
    return an_offer(paying(3, each=20))


@pytest.fixture
def paper(monkeypatch: pytest.MonkeyPatch) -> Paper:
    """A platform that cannot tell whether a payment took effect."""
    monkeypatch.setattr(Paper, "was_done", lambda *_: None)
    return Paper()


@pytest.fixture
def payment(offer: Offer, paper: Paper) -> Payment:
    """An approval without an answer."""
    session = comes(offer)
    works(session)
    hands_in(paper, session)
    read_offers(paper, offer.project_id)
    plan_payments(paper.name, offer.project_id)
    paper.refuses = UnsureError("No answer.")
    send_payments(paper, offer.project_id)
    paper.refuses = None
    made = Payment.objects.get()
    assert made.state == "sent"
    return made


def test_it_is_too_early_while_the_platform_may_still_list_the_payment(payment: Payment) -> None:
    with pytest.raises(CannotSettleError, match="may still tell"):
        decide_unknown(payment.id, done=True)
    payment.refresh_from_db()
    assert payment.state == "sent"


def test_a_payment_that_was_done_is_recorded_once(payment: Payment, offer: Offer, paper: Paper) -> None:
    decide_unknown(payment.id, done=True, now=timezone.now() + LATER)
    assert LedgerEntry.objects.get(kind="paid").cents == REWARD
    assert account_of(payment.session.worker_id, offer.project_id).owed == 0
    assert not plan_payments(paper.name, offer.project_id, timezone.now() + LATER)
    with pytest.raises(CannotSettleError, match="This is done"):
        decide_unknown(payment.id, done=False, now=timezone.now() + LATER)


def test_a_payment_that_was_not_done_is_sent_again(payment: Payment, offer: Offer, paper: Paper) -> None:
    decide_unknown(payment.id, done=False, now=timezone.now() + LATER)
    send_payments(paper, offer.project_id)
    assert [kind for kind, *_ in paper.sent] == ["approve"]
    payment.refresh_from_db()
    assert payment.state == "done"
    assert account_of(payment.session.worker_id, offer.project_id).owed == 0


@pytest.mark.parametrize(("action", "becomes"), [("was_done", "done"), ("was_not_done", "planned")])
@pytest.mark.both_engines
def test_the_page_asks_before_it_decides(action: str, becomes: str, payment: Payment, admin_client: Client) -> None:
    Payment.objects.update(sent_at=timezone.now() - LATER)
    project = payment.session.offer.project
    Recruitment.objects.create(platform="mturk", project=project, created_at=timezone.now())
    payments, chosen = f"/projects/{project.name}/recruit/mturk/payments/", {"act": action, "row": [payment.id]}
    page = admin_client.post(payments, chosen).content.decode()
    assert "own pages" in page
    payment.refresh_from_db()
    assert payment.state == "sent"
    admin_client.post(payments, {**chosen, "sent": "yes"})
    payment.refresh_from_db()
    assert payment.state == becomes
