"""The arguments of `publish`, and the message if one does not fit."""

import pytest
from django.core.management import CommandError, call_command

from annotation.models import Project
from platforms.contract.terms import Terms
from platforms.models import Offer, Recruitment
from platforms.offers.recruit import begin_recruiting
from tests.platforms.paper import Paper
from tests.support.money import ASK, paying
from tests.support.projects import project_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def paper(monkeypatch: pytest.MonkeyPatch) -> Paper:
    """The platform to which the commands publish."""
    found = Paper()
    monkeypatch.setattr("platforms.management.choose.find_platform", lambda _: found)
    return found


def publish(project: Project, *words: str) -> None:
    call_command("publish", "mturk", project.name, "--entry-places", "0", "--yes", *words)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--most-places", "-1"], "most_places is -1"),
        (["--most-places", "99999999999"], "it goes from 1 to 10000"),
        (["--reward-cents", "-5"], "reward_cents is -5"),
        (["--days", "nan"], "days is nan"),
        (["--days", "inf"], "days is inf"),
        (["--approve-hours=-1"], "approve_hours is -1"),
        (["--least", "3", "--quota", "2"], "less than least"),
        (["--title", "x" * 129], "128 characters"),
    ],
)
def test_a_term_that_does_not_fit_is_named(paper: Paper, words: list[str], message: str) -> None:
    with pytest.raises(CommandError, match=message):
        publish(paying(), *words)
    assert not Recruitment.objects.exists()


def test_a_platform_that_is_off_says_so() -> None:
    with pytest.raises(CommandError, match="MTURK is off"):
        publish(paying())


def test_a_project_that_pays_nothing_is_not_offered(paper: Paper) -> None:
    with pytest.raises(CommandError, match="Nothing is paid for"):
        publish(project_of())


def test_a_project_in_another_currency_is_not_offered(paper: Paper) -> None:
    with pytest.raises(CommandError, match="GBP"):
        publish(paying(currency="GBP"))


def test_an_empty_project_offers_nothing_until_there_is_work(paper: Paper) -> None:
    publish(paying(0))
    assert Recruitment.objects.get().active
    assert not Offer.objects.exists()


def test_twice_is_one_recruitment_with_the_last_terms(paper: Paper) -> None:
    project = paying(3, each=20)
    publish(project, "--tasks", ASK.value)
    offered = Offer.objects.count()
    publish(project, "--tasks", ASK.value, "--minutes", "30")
    assert Recruitment.objects.get().terms["minutes"] == 30
    assert Offer.objects.count() == offered


def test_a_task_that_is_left_out_the_second_time_ends(paper: Paper) -> None:
    project = paying(3, each=20)
    recruitment = begin_recruiting(paper, project.pk, [ASK], Terms(), actor="ada")
    publish(project, "--tasks", ASK.value)
    assert Offer.objects.filter(state="open").exists()
    publish(project, "--tasks", "box_drawing")
    assert set(Offer.objects.values_list("state", flat=True)) == {"ended"}
    assert Recruitment.objects.get() == recruitment
