"""What a platform cannot tell is decided by hand, and money moves once."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from pipeline.ledger import account_of
from platforms.carry_out import carry_out_all
from platforms.decide_said import MAY_TELL, decide_said
from platforms.errors import UnsureError
from platforms.look_at_offers import look_at_offers
from platforms.plan_movements import plan_movements
from platforms.settle_by_hand import CannotSettleError
from tests.platforms.paper import Paper, hands_in, works
from tests.support.money import REWARD, paying
from tests.support.recruiting import an_offer, comes
from workers.models import LedgerEntry, Movement, Offer

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
def said(offer: Offer, paper: Paper) -> Movement:
    """An approval without an answer."""
    session = comes(offer)
    works(session)
    hands_in(paper, session)
    look_at_offers(paper, offer.project_id)
    plan_movements(paper.name, offer.project_id)
    paper.refuses = UnsureError("No answer.")
    carry_out_all(paper, offer.project_id)
    paper.refuses = None
    movement = Movement.objects.get()
    assert movement.state == "said"
    return movement


def test_it_is_too_early_while_the_platform_may_still_tell(said: Movement) -> None:
    with pytest.raises(CannotSettleError, match="may still tell"):
        decide_said(said.id, done=True)
    said.refresh_from_db()
    assert said.state == "said"


def test_what_was_done_there_is_paid_here_once(said: Movement, offer: Offer, paper: Paper) -> None:
    decide_said(said.id, done=True, now=timezone.now() + LATER)
    assert LedgerEntry.objects.get(kind="paid").cents == REWARD
    assert account_of(said.session.worker_id, offer.project_id).owed == 0
    assert not plan_movements(paper.name, offer.project_id, timezone.now() + LATER)
    with pytest.raises(CannotSettleError, match="This is done"):
        decide_said(said.id, done=False, now=timezone.now() + LATER)


def test_what_was_not_done_is_said_again(said: Movement, offer: Offer, paper: Paper) -> None:
    decide_said(said.id, done=False, now=timezone.now() + LATER)
    carry_out_all(paper, offer.project_id)
    assert [kind for kind, *_ in paper.told] == ["approve"]
    said.refresh_from_db()
    assert said.state == "done"
    assert account_of(said.session.worker_id, offer.project_id).owed == 0


@pytest.mark.parametrize(("action", "becomes"), [("was_done", "done"), ("was_not_done", "planned")])
def test_in_the_admin_it_is_asked_before_it_is_done(
    action: str, becomes: str, said: Movement, admin_client: Client
) -> None:
    Movement.objects.update(said_at=timezone.now() - LATER)
    chosen = {"action": action, "_selected_action": [said.id]}
    page = admin_client.post("/admin/workers/movement/", chosen).content.decode()
    assert "own pages" in page
    said.refresh_from_db()
    assert said.state == "said"
    admin_client.post("/admin/workers/movement/", {**chosen, "said": "yes"})
    said.refresh_from_db()
    assert said.state == becomes
