"""Jobs keep up with all recruitments."""

import sys
from typing import Any

import pytest

from annotation.models import Project
from platforms.contract.platform import OfferStatus
from platforms.contract.terms import Terms
from platforms.invitations import NAME as INVITATIONS
from platforms.jobs import sync_job
from platforms.models import Offer
from platforms.offers.recruit import begin_recruiting
from platforms.registry import platforms_set_up
from tests.platforms.paper import Paper, hands_in, works
from tests.support.money import ASK, REWARD, paying
from tests.support.recruiting import an_offer, comes

pytestmark = [pytest.mark.both_engines, pytest.mark.django_db]


class Broken(Paper):
    """A platform on which reading the offers of one project breaks."""

    broken: Project

    def offer_status(self, offer: Offer) -> OfferStatus:
        if offer.project_id == self.broken.pk:
            raise ZeroDivisionError
        return super().offer_status(offer)


def test_a_round_that_breaks_off_keeps_no_other_project_from_being_paid(monkeypatch: pytest.MonkeyPatch) -> None:
    platform = Broken()
    monkeypatch.setattr("platforms.jobs.find_platform", lambda _: platform)
    platform.broken, whole = (paying(3, name=name, each=20) for name in ("first", "second"))
    for number, project in enumerate((platform.broken, whole)):
        begin_recruiting(platform, project.pk, [ASK], Terms(), actor="ada")
        session = comes(an_offer(project), f"W{number}", f"A{number}")
        works(session)
        hands_in(platform, session)
    with pytest.raises(ZeroDivisionError):
        sync_job()
    assert platform.sent == [("approve", "A1", REWARD)]


def test_a_platform_that_is_off_is_not_imported(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.MTURK, settings.PROLIFIC_TOKEN = "off", ""
    for package in ("mturk", "prolific"):
        monkeypatch.setitem(sys.modules, f"platforms.{package}.platform", None)
    assert [platform.name for platform in platforms_set_up()] == [INVITATIONS]
