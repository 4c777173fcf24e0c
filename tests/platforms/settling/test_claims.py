"""A run claims each row before it sends it, so no other run sends it meanwhile."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from platforms.contract.errors import RefusedError, UnsureError
from platforms.models import Offer, Payment, Session
from platforms.offers.read_offers import read_offers
from platforms.offers.send_offers import send_offers
from platforms.settling.plan_payments import plan_payments
from platforms.settling.send_payments import send_payment
from platforms.sync import Round, settle
from tests.platforms.paper import Paper, serves

pytestmark = [pytest.mark.both_engines, pytest.mark.django_db]
PlatformState = Session.PlatformState


class TestClaims:
    """Rounds take long. A row that another run is sending is not sent again, however long ago the round started."""

    def test_of_payments(self, offer: Offer, paper: Paper, monkeypatch: pytest.MonkeyPatch) -> None:
        serves(paper, offer)
        read_offers(paper, offer.project_id)
        plan_payments(paper.name, offer.project_id)
        long_ago = timezone.now() - timedelta(hours=1)
        asked = []

        def another_run_meanwhile(self: Paper, payment: Payment) -> str:
            theirs = Payment.objects.select_related("session__offer").get(id=payment.id)
            asked.append(send_payment(self, theirs))
            return ""

        monkeypatch.setattr(Paper, "send_payment", another_run_meanwhile)
        monkeypatch.setattr(Paper, "was_done", lambda *_: pytest.fail("it is being sent at this moment"))
        settle(paper, offer.project_id, Round(), now=long_ago)
        assert asked == [False]

    def test_of_offers(self, offer: Offer, paper: Paper, monkeypatch: pytest.MonkeyPatch) -> None:
        Offer.objects.update(state="planned", external_id="")
        made = []

        def another_run_meanwhile(self: Paper, one: Offer) -> Any:
            made.append(one.pk)
            assert len(made) == 1, "two runs make the same offer at once"
            send_offers(self, one.project_id)
            raise UnsureError("no answer")

        monkeypatch.setattr(Paper, "publish", another_run_meanwhile)
        send_offers(paper, offer.project_id)
        assert made == [offer.pk]


def test_an_offer_that_is_to_end_and_was_refused_is_over(
    offer: Offer, paper: Paper, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The offer may have existed; the refusal says that it does not."""
    Offer.objects.update(state="ending", external_id="", tries=1)
    monkeypatch.setattr(Paper, "publish", lambda *_: (_ for _ in ()).throw(RefusedError("no such type")))
    send_offers(paper, offer.project_id)
    offer.refresh_from_db()
    assert (offer.state, offer.last_error) == ("ended", "no such type")
