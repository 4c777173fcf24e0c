"""A trial on Prolific: test participants take the test, and neither money nor answers count."""

import pytest
from django.test import Client

from pipeline.models import Assignment, LedgerEntry
from platforms.contract import RecruitmentTerms
from platforms.errors import RefusedError
from platforms.models import Offer, Payment, Recruitment, Screening, Session
from platforms.offers.budget import free_places
from platforms.offers.recruit import BadRecruitmentError, begin_trial
from platforms.settling.compare_ledger import compare_ledger, project_cost
from platforms.settling.settle_by_hand import CannotSettleError, settle_by_hand
from platforms.status import describe_status, status_of
from tests.platforms.paper import Paper
from tests.platforms.sides import ProlificSide
from tests.platforms.world import World
from tests.support.money import ASK
from tests.support.trusting import TEST, add_stock

pytestmark = [pytest.mark.django_db, pytest.mark.parametrize("side", ["prolific"], indirect=True)]

EMAIL = "tester@example.org"


@pytest.fixture
def world(world: World) -> World:
    """A project with a qualification test that is not offered yet."""
    add_stock(world.project, 10, TEST)
    world.recruitment.delete()
    return world


def begun(world: World, email: str = "") -> Offer:
    """Begin a trial, and return its offer as the next round leaves it."""
    terms = RecruitmentTerms(entry_places=2)
    world.recruitment = begin_trial(world.platform, world.project.pk, [ASK], terms, email=email, actor="ada")
    world.round()
    return Offer.objects.filter(kind=Offer.Kind.TEST).latest("id")


def participant(world: World) -> str:
    assert isinstance(world.side, ProlificSide)
    return next(iter(world.side.twin.account.test_participants))


def handed_in(world: World, offer: Offer) -> Session:
    session = world.arrive(offer, participant(world))
    world.works(session)
    world.finishes(session, participant(world))
    world.round()
    session.refresh_from_db()
    return session


def test_a_trial_is_found_by_test_participants_alone_and_offers_nothing_else(world: World) -> None:
    offer = begun(world, EMAIL)
    assert (offer.state, Offer.objects.count(), world.recruitment.active) == ("open", 1, False)
    assert world.side.finds("A1ADAADAADAADA") == set()
    assert world.side.finds(participant(world)) == {offer.external_id}
    assert "box requirement, test participants, without money: 2 open" in describe_status(
        status_of("prolific", world.project.pk)
    )


def test_a_test_participant_takes_the_test_and_gets_no_question_that_counts(world: World) -> None:
    session = world.arrive(begun(world, EMAIL), participant(world))
    world.works(session)
    world.trust(f"test {session.external_id}")
    headers = {"Authorization": f"Bearer {world.visits[session.pk]['bearer']}"}
    address = f"/api/v1/projects/{world.project.name}/assignments/"
    answer = Client().post(address, {"task": ASK.value}, content_type="application/json", headers=headers)
    assert "hand it in" in answer.text
    assert list(Assignment.objects.values_list("kind", flat=True)) == ["test"]


def test_nobody_is_paid_and_nothing_is_counted_as_paid_even_after_an_approval_there(world: World) -> None:
    assert isinstance(world.side, ProlificSide)
    session = handed_in(world, begun(world, EMAIL))
    assert (session.state, session.platform_state) == ("finished", "submitted")
    with pytest.raises(CannotSettleError, match="trial"):
        settle_by_hand(session_id=session.pk, kind=Payment.Kind.APPROVE, reason="Thank you.")
    step = {"action": "APPROVE"}
    world.platform.client.send("POST", f"/submissions/{session.external_id}/transition/", step)  # type: ignore[attr-defined]
    world.round()
    session.refresh_from_db()
    figures = status_of("prolific", world.project.pk)
    assert (session.platform_state, figures.settled, figures.handed_in, figures.due) == ("approved", 0, 0, 0)
    assert not Payment.objects.exists() and not LedgerEntry.objects.filter(kind="paid").exists()
    assert compare_ledger(world.platform, world.project.pk) == []
    assert project_cost(world.platform, world.project.pk) is None
    assert (world.side.paid(), world.side.twin.account.wallet.paid) == (0, [])


def test_its_places_take_nothing_of_the_budget_and_its_results_change_no_group(world: World) -> None:
    offer = begun(world, EMAIL)
    assert free_places(Offer.objects.all()) == {}
    handed_in(world, offer)
    assert not Screening.objects.exists()


def test_the_next_trial_replaces_it_and_its_participant_begins_anew(world: World) -> None:
    first = begun(world, EMAIL)
    before = handed_in(world, first)
    second = begun(world)
    first.refresh_from_db()
    assert (first.state, second.state) == ("ended", "open")
    again = handed_in(world, second)
    assert again.worker != before.worker and again.state == "finished"


def test_a_recruitment_that_goes_on_keeps_its_terms(world: World) -> None:
    now = world.project.created_at
    terms = RecruitmentTerms(entry_places=1, most_places=1).model_dump()
    Recruitment.objects.create(platform="prolific", project=world.project, tasks=[ASK], terms=terms, created_at=now)
    begun(world, EMAIL)
    world.recruitment.refresh_from_db()
    assert world.recruitment.active and world.recruitment.terms == terms
    assert sorted(Offer.objects.values_list("kind", flat=True)) == ["entry", "test", "work"]


def test_without_a_test_participant_the_platform_says_so_and_no_draft_stays(world: World) -> None:
    offer = begun(world)
    assert (offer.state, "no test participant" in offer.last_error) == ("ended", True)
    assert world.side.made() == 0


def test_a_test_study_whose_answer_was_lost_is_found_again(world: World) -> None:
    world.side.fail(("POST", "/studies/*/test-study"), "after", "timeout")
    offer = begun(world, EMAIL)
    assert offer.state == "planned"
    world.move(hours=1)
    world.round()
    offer.refresh_from_db()
    assert (offer.state, world.side.made()) == ("open", 2), "the draft, and its copy"


def test_a_platform_without_test_participants_has_no_trial(world: World) -> None:
    paper = Paper(has_trials=False)
    with pytest.raises(BadRecruitmentError, match="no test participants"):
        begin_trial(paper, world.project.pk, [ASK], RecruitmentTerms(), email="", actor="ada")


def test_an_address_that_has_an_account_makes_no_test_participant(world: World) -> None:
    begun(world, EMAIL)
    with pytest.raises(RefusedError, match="has an account"):
        begun(world, EMAIL)
