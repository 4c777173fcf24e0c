"""What goes wrong in one place stays there."""

from typing import Any

import pytest
from django.test import Client

from platforms.contract.terms import Terms
from platforms.jobs import sync_job
from platforms.models import Offer, Recruitment
from platforms.offers.recruit import begin_recruiting
from platforms.prolific.fields import allowed_minutes
from platforms.sync import Round
from tests.platforms.paper import Paper
from tests.platforms.world import World
from tests.support.money import ASK, paying

pytestmark = pytest.mark.django_db


def test_a_round_that_breaks_off_keeps_no_other_project_from_being_paid(monkeypatch: pytest.MonkeyPatch) -> None:
    rounds = []

    def breaks_first(platform: Any, recruitment: Recruitment) -> Round:
        rounds.append(recruitment.project_id)
        if len(rounds) == 1:
            raise ZeroDivisionError
        return Round()

    monkeypatch.setattr("platforms.jobs.find_platform", lambda _: Paper())
    monkeypatch.setattr("platforms.jobs.sync", breaks_first)
    projects = [paying(name=name) for name in ("first", "second")]
    for project in projects:
        begin_recruiting(Paper(), project.pk, [ASK], Terms(), actor="ada")
    with pytest.raises(ZeroDivisionError):
        sync_job()
    assert rounds == [project.pk for project in projects]


@pytest.mark.parametrize("platform", ["mturk", "prolific"])
@pytest.mark.parametrize("key", ["%00", "a%00b", "%F0%9F%92%A9", "x" * 5000])
def test_an_address_that_names_no_offer_is_not_found(platform: str, key: str, side: Any) -> None:
    assert Client().get(f"/platforms/{platform}/{key}/").status_code == 404


def test_a_session_lasts_as_long_as_the_platform_lets_it(world: World) -> None:
    """Prolific gives at least a certain time, whatever we ask for."""
    world.settle()
    offer = world.offers(Offer.Kind.ENTRY)[0]
    Offer.objects.update(seconds=300)
    offer.refresh_from_db()
    session = world.arrive(offer, "A1ADAADAADAADA")
    given = (session.ends_at - session.opened_at).total_seconds()
    assert given == {"mturk": 300, "prolific": 60 * allowed_minutes(offer)}[world.side.name]
    assert world.side.name == "mturk" or given > 300
