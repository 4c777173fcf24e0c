"""Offers within the cap and the balance, their terms, platforms out of reach, and the command `publish`."""

import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db.models import F, Sum
from pydantic import ValidationError

from annotation.models import Project
from annotation.rules.states import ProjectState
from pipeline.project.settings_versions import change_settings, current_settings
from platforms.contract import Marketplace, RecruitmentTerms
from platforms.errors import MOST_FAILURES, NothingDoneError, PlatformError, RefusedError, UnsureError
from platforms.models import Offer, Payment, Recruitment
from platforms.offers.adjust_offers import adjust_offers
from platforms.offers.budget import Places, free_places
from platforms.offers.recruit import BadRecruitmentError, begin_recruiting
from platforms.offers.send_offers import send_offers
from platforms.registry import PLATFORMS
from platforms.sync import Round, sync
from projects.lifecycle.change_state import change_state
from projects.operation_fields import input_fields
from projects.recruiting.operations import offer_cost
from tests.platforms.paper import Paper, hands_in, works
from tests.support.kept import Kept
from tests.support.money import ASK, REWARD, paying
from tests.support.projects import project_of
from tests.support.recruiting import an_offer, comes
from tests.support.table import case, row

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
def offering(kept: Kept, db: None) -> Project:
    kept.write()
    return Project.objects.get(name="small")


def recruits(platform: Paper, project: Project, **terms: Any) -> Recruitment:
    usual = {"most_places": 9, "entry_places": 0, "quota": 2}
    return begin_recruiting(platform, project.pk, [ASK], RecruitmentTerms(**usual | terms), actor="ada")


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


def test_a_place_counts_for_all_that_it_may_cost_in_every_round(offering: Project) -> None:
    changed(offering, spend_cap_cents=6 * 2 * REWARD)
    keeps(One(), recruits(One(), offering))
    assert places() == 6


def test_free_places_of_offers_that_differ_add_up(offering: Project) -> None:
    for state, quota in (("open", 1), ("planned", 1), ("open", 2), ("ended", 2)):
        an_offer(offering, state=state, quota=quota, places=3, taken=1)
    an_offer(offering, kind="entry", places=1)
    of_each = {(ASK.value, "work"): Places(6, 8 * REWARD), (ASK.value, "entry"): Places(1, REWARD)}
    assert free_places(Offer.objects.all()) == of_each


def test_newcomers_and_others_share_one_cap(offering: Project) -> None:
    changed(offering, spend_cap_cents=6 * 2 * REWARD)
    keeps(Paper(), recruits(Paper(), offering, entry_places=9))
    assert places() == 6


def test_a_session_at_work_counts_for_what_it_may_still_cost(offering: Project) -> None:
    """The spend cap counts a reward far above the pay of an assignment before it is paid."""
    changed(offering, spend_cap_cents=6 * 500)
    paper = Paper()
    recruitment = recruits(paper, offering, reward_cents=500, quota=1)
    keeps(paper, recruitment)
    (offer,) = Offer.objects.all()
    for number in range(4):
        comes(offer, f"W{number}", f"A{number}")
    Offer.objects.update(taken=4)
    keeps(paper, recruitment)
    assert places() == 2


def test_two_projects_on_one_account_share_its_money(offering: Project) -> None:
    platform = Holding(money=round(1.2 * 10 * 2 * REWARD))
    first, second = (recruits(platform, one) for one in (offering, paying(QUESTIONS // 20, name="second", each=20)))
    keeps(platform, first, second)
    assert places() == 10


def test_a_cap_that_is_lowered_ends_offers(offering: Project) -> None:
    paper = Paper()
    recruitment = recruits(paper, offering, most_places=9)
    keeps(paper, recruitment)
    assert places() == 9
    changed(offering, spend_cap_cents=1)
    keeps(paper, recruitment)
    assert places() == 0


def test_nothing_is_offered_for_nothing(offering: Project) -> None:
    recruitment = recruits(Paper(), offering)
    changed(offering, reward_cents=dict.fromkeys(current_settings(offering.pk)[1].reward_cents, 0))
    keeps(Paper(), recruitment)
    assert places() == 0


def test_nothing_more_is_offered_in_another_currency(offering: Project) -> None:
    recruitment = recruits(Paper(), offering)
    changed(offering, currency="EUR")
    with pytest.raises(BadRecruitmentError, match="EUR"):
        adjust_offers(Paper(), recruitment)


def test_a_task_that_is_dropped_is_no_longer_offered(offering: Project) -> None:
    paper = Paper()
    recruitment = recruits(paper, offering)
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


@row({"most_places": 0}, "greater than or equal to 1")
@row({"days": math.nan}, "less than or equal to 365")
@row({"minutes": "an hour"}, "valid integer")
@row({"minutes": 5.5}, "valid integer")
@row({"least": 2}, "a session needs 2 assignments, so it must be allowed at least as many")
@row({"description": "x" * 2001}, "at most 2000 characters")
def test_a_term_that_does_not_fit_is_named(values: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError) as raised:
        RecruitmentTerms(**values)
    assert message in str(raised.value)


def test_every_number_has_limits() -> None:
    fields = {field.name: field for field in input_fields(offer_cost)}
    numbers = {name for name, value in RecruitmentTerms() if type(value) in (int, float)}
    assert {name for name in numbers if fields[name].low is not None and fields[name].high is not None} == numbers


SILENCE = UnsureError("No answer.", out_of_reach=True)
CLOSED = NothingDoneError("Nobody is there.", out_of_reach=True)


@pytest.fixture
def recruitment(project: Project, paper: Paper) -> Recruitment:
    return begin_recruiting(paper, project_id=project.id, tasks=[ASK], terms=RecruitmentTerms(), actor="ada")


@pytest.fixture
def offers(project: Project) -> list[Offer]:
    return [an_offer(project) for _ in range(6)]


def fails(monkeypatch: pytest.MonkeyPatch, error: PlatformError, *names: str) -> Counter[str]:
    """Make these calls of the platform fail from now on. Returns how often each was made."""
    calls: Counter[str] = Counter()

    def failing(name: str) -> Callable[..., None]:
        def fail(self: Paper, *args: object, **named: object) -> None:
            calls[name] += 1
            raise error

        return fail

    for name in names:
        monkeypatch.setattr(Paper, name, failing(name))
    return calls


def messages(this: Round) -> str:
    return " ".join(str(failure) for failure in this.failures)


@pytest.mark.parametrize("error", [SILENCE, CLOSED], ids=["silent", "closed"])
def test_a_round_gives_up_after_three_calls_in_a_row(
    error: PlatformError, offers: list[Offer], recruitment: Recruitment, paper: Paper, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = fails(monkeypatch, error, "offer_status", "marketplace", "publish", "screen", "send_payment")
    this = sync(paper, recruitment)
    assert calls == {"offer_status": MOST_FAILURES}
    assert "the rest waits for the next round" in messages(this)
    recruitment.refresh_from_db()
    assert recruitment.looked_at is None


def test_the_next_round_does_what_was_left(
    offers: list[Offer], recruitment: Recruitment, paper: Paper, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        fails(patch, SILENCE, "offer_status")
        sync(paper, recruitment)
    assert not sync(paper, recruitment).failures
    assert not Offer.objects.filter(id__in=[one.id for one in offers], looked_at=None).exists()


@case("refused", RefusedError("Never."))
@case("try later", UnsureError("Try again later."))
def test_a_platform_that_answers_is_asked_everything(
    error: PlatformError, offers: list[Offer], recruitment: Recruitment, paper: Paper, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An error with one offer does not concern the others."""
    calls, this = fails(monkeypatch, error, "offer_status"), sync(paper, recruitment)
    assert calls["offer_status"] == len(offers)
    assert "next round" not in messages(this)


def test_payments_are_given_up_together_and_stay_planned_or_sent(
    project: Project, recruitment: Recruitment, paper: Paper, monkeypatch: pytest.MonkeyPatch
) -> None:
    offer = an_offer(project, places=6)
    for number in range(6):
        session = comes(offer, f"W{number}", f"A{number}")
        works(session)
        hands_in(paper, session)
    calls = fails(monkeypatch, SILENCE, "send_payment")
    sync(paper, recruitment)
    assert calls["send_payment"] == MOST_FAILURES
    states = Counter(Payment.objects.values_list("state", flat=True))
    assert states == {"sent": MOST_FAILURES, "planned": 6 - MOST_FAILURES}


@pytest.fixture
def published(monkeypatch: pytest.MonkeyPatch) -> Paper:
    """The platform to which the commands publish."""
    found = Paper()
    monkeypatch.setitem(PLATFORMS, "mturk", lambda: found)
    return found


def publish(project: Project, *words: str) -> None:
    call_command("publish", project.name, "mturk", "--entry-places", "0", "--total-cents", "100000", *words)


@row(["--most-places", "-1"], "--most-places: '-1' should be greater than or equal to 1")
@row(["--days", "nan"], "--days: ")
@row(["--approve-hours=-1"], "--approve-hours: ")
@row(["--title", "x" * 129], "--title: .* 128 characters")
def test_a_term_of_publish_that_does_not_fit_is_named(words: list[str], message: str, published: Paper) -> None:
    with pytest.raises(CommandError, match=message):
        publish(paying(), *words)
    assert not Recruitment.objects.exists()


def test_a_platform_that_is_off_says_so() -> None:
    with pytest.raises(CommandError, match="MTURK is off"):
        publish(paying())


@case("that pays nothing", project_of, "Nothing is paid for")
@case("in another currency", partial(paying, currency="GBP"), "GBP")
def test_a_project_is_not_offered(make: Callable[[], Project], words: str, published: Paper) -> None:
    with pytest.raises(CommandError, match=words):
        publish(make())


def test_an_empty_project_offers_nothing_until_there_is_work(published: Paper) -> None:
    publish(paying(0))
    assert Recruitment.objects.get().active
    assert not Offer.objects.exists()


def test_twice_is_one_recruitment_with_the_last_terms(published: Paper) -> None:
    project = paying(3, each=20)
    publish(project, "--tasks", ASK.value)
    offered = Offer.objects.count()
    publish(project, "--tasks", ASK.value, "--minutes", "30")
    assert Recruitment.objects.get().terms["minutes"] == 30
    assert Offer.objects.count() == offered


def test_a_task_that_is_left_out_the_second_time_ends(published: Paper) -> None:
    project = paying(3, each=20)
    recruitment = begin_recruiting(published, project.pk, [ASK], RecruitmentTerms(), actor="ada")
    publish(project, "--tasks", ASK.value)
    assert Offer.objects.filter(state="open").exists()
    publish(project, "--tasks", "box_drawing")
    assert set(Offer.objects.values_list("state", flat=True)) == {"ended"}
    assert Recruitment.objects.get() == recruitment
