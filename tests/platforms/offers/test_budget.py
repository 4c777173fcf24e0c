"""Offers promise no more than the spend cap and the balance allow, and only while the project runs."""

from dataclasses import dataclass, replace
from typing import Any

import pytest
from django.db.models import F, Sum

from annotation.models import Project
from annotation.rules.states import ProjectState
from campaign.lifecycle.change_state import change_state
from pipeline.project.settings_versions import change_settings, current_settings
from platforms.contract.platform import Marketplace
from platforms.contract.terms import Terms
from platforms.models import Offer, Recruitment
from platforms.offers.adjust_offers import adjust_offers
from platforms.offers.budget import Places, free_places
from platforms.offers.recruit import BadRecruitmentError, begin_recruiting
from platforms.offers.send_offers import send_offers
from tests.platforms.paper import Paper
from tests.support.kept import Kept
from tests.support.money import ASK, REWARD, paying
from tests.support.recruiting import an_offer, comes

pytestmark = pytest.mark.django_db
QUESTIONS = 200


@dataclass
class Holding(Paper):
    """A platform that sets aside the rewards of open offers and the fee."""

    money: int = 0

    def balance_cents(self) -> int | None:
        there = Offer.objects.filter(platform=self.name).exclude(external_id="").exclude(state="ended")
        return self.money - round(1.2 * (there.aggregate(cents=Sum(F("places") * F("reward_cents")))["cents"] or 0))


@pytest.fixture(scope="module")
def kept(django_db_setup: None, django_db_blocker: Any) -> Kept:
    """The rows of a project with more questions than nine sessions of two assignments can ask."""
    return Kept(django_db_blocker, lambda: paying(QUESTIONS // 20, each=20))


@pytest.fixture
def project(kept: Kept, db: None) -> Project:
    kept.write()
    return Project.objects.get(name="small")


def recruits(platform: Paper, project: Project, **terms: Any) -> Recruitment:
    usual = {"most_places": 9, "entry_places": 0, "quota": 2}
    return begin_recruiting(platform, project.pk, [ASK], Terms(**usual | terms), actor="ada")


def keeps(platform: Paper, *recruitments: Recruitment, rounds: int = 4) -> None:
    for _ in range(rounds):
        for one in recruitments:
            adjust_offers(platform, one)
            send_offers(platform, one.project_id)


def places() -> int:
    return Offer.objects.filter(state__in=["planned", "open"]).aggregate(n=Sum(F("places") - F("taken")))["n"] or 0


class One(Paper):
    """A platform whose offers of work have one place each, like Mechanical Turk."""

    def marketplace(self) -> Marketplace:
        return Marketplace("USD", 20.0, False, {"entry": 9, "work": 1})


def test_a_place_counts_for_all_that_it_may_cost_in_every_round(project: Project) -> None:
    changed(project, spend_cap_cents=6 * 2 * REWARD)
    keeps(One(), recruits(One(), project))
    assert places() == 6


def test_free_places_of_offers_that_differ_add_up(project: Project) -> None:
    for state, quota in (("open", 1), ("planned", 1), ("open", 2), ("ended", 2)):
        an_offer(project, state=state, quota=quota, places=3, taken=1)
    an_offer(project, kind="entry", places=1)
    of_each = {(ASK.value, "work"): Places(6, 8 * REWARD), (ASK.value, "entry"): Places(1, REWARD)}
    assert free_places(Offer.objects.all()) == of_each


def test_newcomers_and_others_share_one_cap(project: Project) -> None:
    changed(project, spend_cap_cents=6 * 2 * REWARD)
    keeps(Paper(), recruits(Paper(), project, entry_places=9))
    assert places() == 6


def test_a_session_at_work_counts_for_what_it_may_still_cost(project: Project) -> None:
    """The spend cap counts a reward far above the pay of an assignment before it is paid."""
    changed(project, spend_cap_cents=6 * 500)
    paper = Paper()
    recruitment = recruits(paper, project, reward_cents=500, quota=1)
    keeps(paper, recruitment)
    (offer,) = Offer.objects.all()
    for number in range(4):
        comes(offer, f"W{number}", f"A{number}")
    Offer.objects.update(taken=4)
    keeps(paper, recruitment)
    assert places() == 2


def test_two_projects_on_one_account_share_its_money(project: Project) -> None:
    platform = Holding(money=round(1.2 * 10 * 2 * REWARD))
    first, second = (recruits(platform, one) for one in (project, paying(QUESTIONS // 20, name="second", each=20)))
    keeps(platform, first, second)
    assert places() == 10


def test_a_cap_that_is_lowered_ends_offers(project: Project) -> None:
    paper = Paper()
    recruitment = recruits(paper, project, most_places=9)
    keeps(paper, recruitment)
    assert places() == 9
    changed(project, spend_cap_cents=1)
    keeps(paper, recruitment)
    assert places() == 0


def test_nothing_is_offered_for_nothing(project: Project) -> None:
    recruitment = recruits(Paper(), project)
    changed(project, reward_cents=dict.fromkeys(current_settings(project.pk)[1].reward_cents, 0))
    keeps(Paper(), recruitment)
    assert places() == 0


def test_nothing_more_is_offered_in_another_currency(project: Project) -> None:
    recruitment = recruits(Paper(), project)
    changed(project, currency="EUR")
    with pytest.raises(BadRecruitmentError, match="EUR"):
        adjust_offers(Paper(), recruitment)


def test_a_task_that_is_dropped_is_no_longer_offered(project: Project) -> None:
    paper = Paper()
    recruitment = recruits(paper, project)
    keeps(paper, recruitment)
    Recruitment.objects.update(tasks=["box_drawing"])
    recruitment.refresh_from_db()
    keeps(paper, recruitment)
    assert not Offer.objects.exclude(state="ended").filter(task=ASK.value).exists()


def changed(project: Project, **values: Any) -> None:
    _, settings = current_settings(project.pk)
    change_settings(project_id=project.pk, settings=replace(settings, **values))


@pytest.mark.both_engines
def test_a_paused_project_publishes_nothing_and_withdraws_its_places() -> None:
    project, platform = paying(2, each=20), Paper()
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


@pytest.mark.both_engines
@pytest.mark.parametrize("state", ["draft", "finished", "archived"])
def test_a_project_that_does_not_run_plans_no_places(state: str) -> None:
    project, platform = paying(2, each=20), Paper()
    recruitment = recruits(platform, project)
    Project.objects.update(state=state)
    keeps(platform, recruitment)
    assert places() == 0


@pytest.mark.both_engines
def test_a_place_that_was_planned_before_the_pause_is_not_published() -> None:
    project, platform = paying(2, each=20), Paper()
    adjust_offers(platform, recruits(platform, project))
    assert Offer.objects.filter(state="planned").exists()
    Project.objects.update(state="paused")
    send_offers(platform, project.pk)
    assert not Offer.objects.exclude(external_id="").exists()
