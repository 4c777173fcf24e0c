"""Offers follow the state of the project: only a running one has places on a platform."""

import pytest

from annotation.models import Project
from annotation.rules.states import ProjectState
from campaign.lifecycle.change_state import change_state
from platforms.models import Offer
from platforms.offers.adjust_offers import adjust_offers
from platforms.offers.send_offers import send_offers
from tests.platforms.offers.test_budget import keeps, places, recruits
from tests.platforms.paper import Paper
from tests.support.money import paying

pytestmark = [pytest.mark.both_engines, pytest.mark.django_db]


@pytest.fixture
def project() -> Project:
    return paying(2, each=20)


def test_a_paused_project_publishes_nothing_and_withdraws_its_places(project: Project) -> None:
    platform = Paper()
    recruitment = recruits(platform, project)
    keeps(platform, recruitment)
    assert places() > 0
    change_state(project.pk, ProjectState.PAUSED, None)
    keeps(platform, recruitment)
    assert places() == 0
    assert set(Offer.objects.values_list("state", flat=True)) == {"ended"}
    change_state(project.pk, ProjectState.RUNNING, None)
    keeps(platform, recruitment)
    assert places() > 0


@pytest.mark.parametrize("state", ["draft", "finished", "archived"])
def test_a_project_that_does_not_run_plans_no_places(project: Project, state: str) -> None:
    platform = Paper()
    recruitment = recruits(platform, project)
    Project.objects.update(state=state)
    keeps(platform, recruitment)
    assert places() == 0


def test_a_place_that_was_planned_before_the_pause_is_not_published(project: Project) -> None:
    platform = Paper()
    adjust_offers(platform, recruits(platform, project))
    assert Offer.objects.filter(state="planned").exists()
    Project.objects.update(state="paused")
    send_offers(platform, project.pk)
    assert not Offer.objects.exclude(external_id="").exists()
