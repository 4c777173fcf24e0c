"""Recruiting on the requesters' pages: offer, change, read, compare, pay, stop."""

import re
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotation.models import Project
from campaign.recruit import settle_pages
from members.models import Role
from pipeline.models import LedgerEntry
from platforms.contract.errors import PlatformOffError, RefusedError
from platforms.contract.platform import Bonus
from platforms.contract.terms import Terms
from platforms.models import Offer, Payment, Recruitment, Session
from platforms.offers.recruit import begin_recruiting
from platforms.registry import PLATFORMS
from platforms.sessions.hold_session import finish_session
from platforms.sync import sync
from tests.platforms.paper import Paper
from tests.support.members import sign_in
from tests.support.money import ASK, REWARD, paying
from tests.support.projects import submit
from tests.support.recruiting import an_offer, asks, comes

pytestmark = pytest.mark.django_db


@pytest.fixture
def paper(monkeypatch: pytest.MonkeyPatch) -> Paper:
    paper = Paper()
    monkeypatch.setitem(PLATFORMS, "mturk", lambda: paper)
    return paper


@pytest.fixture
def project(paper: Paper) -> Project:
    return paying(3, each=10)


@pytest.fixture
def recruitment(paper: Paper, project: Project) -> Recruitment:
    terms = Terms(quota=2, pays_itself=False)
    made = begin_recruiting(paper, project.pk, [ASK], terms, actor="ada")
    sync(paper, made)
    return made


def off() -> Any:
    raise PlatformOffError("Mechanical Turk is not set up.")


def said(**values: Any) -> dict[str, Any]:
    """A filled-in form."""
    terms = {name: value for name, value in Terms().as_dict().items() if value is not False}
    return {"tasks": [ASK.value], **terms, **values}


def handed_in(paper: Paper, recruitment: Recruitment, number: int = 1) -> Session:
    """Two questions answered, finished here, and there."""
    offer = Offer.objects.filter(kind="work").earliest("id")
    session = comes(offer, f"W{number}", f"A{number}")
    assignment = asks(session, 2)
    assert assignment is not None
    submit(assignment, 3, 3)
    finish_session(session_id=session.id, worker_id=session.worker_id)
    paper.lists(session, Session.PlatformState.SUBMITTED)
    sync(paper, recruitment)
    return session


def url(page: str, project: Project) -> str:
    return reverse(f"campaign:{page}", args=[project.name, "mturk"])


def recruiting(client: Client, project: Project) -> str:
    return client.get(reverse("campaign:recruit", args=[project.name])).text


class TestOfferingWork:
    def test_the_cost_is_said_first_and_nothing_begins(
        self, project: Project, paper: Paper, admin_client: Client
    ) -> None:
        page = admin_client.post(url("offer", project), said(quota=2)).text
        assert "$29.00" in page and "$5.80" in page and "$34.80" in page
        assert "up to 29" in page and "$1,000.00" in page and "without real money" in page
        assert "nobody can take it" in page, "there are no questions for the test"
        assert not Recruitment.objects.exists()

    def test_it_begins_when_it_is_said_again(self, project: Project, admin_client: Client) -> None:
        asked = admin_client.post(url("offer", project), said(quota=2))
        shown = re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', asked.text)
        again = {name: value for name, value in shown if name != "csrfmiddlewaretoken"}
        response = admin_client.post(url("offer", project), {**again, "sent": "yes"})
        made = Recruitment.objects.get()
        assert response["Location"] == reverse("campaign:recruit", args=[project.name]) + "#mturk"
        assert (made.tasks, made.started_by, made.active) == ([ASK.value], "admin", True)
        assert made.terms == Terms(quota=2).as_dict()
        assert {offer.state for offer in Offer.objects.all()} == {"open"}, "the first round has been made"

    def test_going_back_shows_the_form_as_it_was(self, project: Project, admin_client: Client) -> None:
        page = admin_client.post(url("offer", project), said(title="Dogs", change="yes")).text
        assert 'value="Dogs"' in page and "Show the cost" in page

    @pytest.mark.parametrize(
        ("values", "message"),
        [
            ({"quota": 2, "least": 3}, "It needs 3, so it must be allowed at least as many."),
            ({"minutes": 1}, "greater than or equal to 5"),
            ({"tasks": []}, "required"),
        ],
    )
    def test_what_does_not_fit_is_said_on_the_form(
        self, project: Project, admin_client: Client, values: dict[str, Any], message: str
    ) -> None:
        assert message in admin_client.post(url("offer", project), said(**values)).text

    @pytest.mark.both_engines
    def test_another_currency_is_refused(self, paper: Paper, admin_client: Client) -> None:
        project = paying(3, currency="GBP")
        for values in ({}, {"sent": "yes"}):
            assert "change the project&#x27;s currency" in admin_client.post(url("offer", project), said(**values)).text
        assert not Recruitment.objects.exists()

    def test_real_money_and_an_empty_account_are_pointed_out(
        self, project: Project, paper: Paper, admin_client: Client
    ) -> None:
        paper.live, paper.balance = True, 100
        page = admin_client.post(url("offer", project), said()).text
        assert "Real money moves" in page and "fewer places are offered" in page

    def test_a_platform_that_is_off_says_how_it_is_set_up(
        self, project: Project, admin_client: Client, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setitem(PLATFORMS, "mturk", off)
        page = admin_client.get(url("offer", project)).text
        assert "Mechanical Turk is not set up. See docs/how-to/mturk.md." in page
        assert "See docs/how-to/mturk.md" in admin_client.post(url("offer", project), said()).text

    def test_terms_are_changed_from_what_they_are(self, recruitment: Recruitment, admin_client: Client) -> None:
        page = admin_client.get(url("offer", recruitment.project)).text
        assert re.search(r'name="quota" value="2"', page)
        admin_client.post(url("offer", recruitment.project), said(entry_places=0, sent="yes"))
        recruitment.refresh_from_db()
        assert recruitment.terms["entry_places"] == 0
        assert not Offer.objects.filter(kind="entry", state="open").exists()


class TestThePage:
    def test_it_says_how_things_stand(self, paper: Paper, recruitment: Recruitment, admin_client: Client) -> None:
        handed_in(paper, recruitment)
        page = recruiting(admin_client, recruitment.project)
        assert "<b>1</b>handed in and not settled" in page
        assert "<b>1</b>to be settled next" in page
        assert "workers who passed the test" in page
        assert "Assignments that a session may have" in page

    def test_what_wants_looking_at_comes_first(
        self, paper: Paper, recruitment: Recruitment, admin_client: Client
    ) -> None:
        session = comes(Offer.objects.filter(kind="work").earliest("id"))
        paper.lists(session, Session.PlatformState.SUBMITTED)
        sync(paper, recruitment)
        page = recruiting(admin_client, recruitment.project)
        assert "1 session</a> handed in there and not finished here" in page
        link = re.search(r'href="([^"]+show=unearned)"', page)
        assert link is not None
        found = admin_client.get(link[1].replace("&amp;", "&"))
        assert list(found.context["page"]) == [session]

    def test_it_opens_while_the_platform_is_off(
        self, recruitment: Recruitment, admin_client: Client, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setitem(PLATFORMS, "mturk", off)
        assert "Nothing is read or paid there at the moment" in recruiting(admin_client, recruitment.project)
        assert "not set up" in admin_client.post(url("read_platform", recruitment.project), follow=True).text
        for page in ("settle", "compare"):
            assert "not set up" in admin_client.get(url(page, recruitment.project)).text

    def test_reading_now_makes_a_round(self, paper: Paper, recruitment: Recruitment, admin_client: Client) -> None:
        session = comes(Offer.objects.filter(kind="work").earliest("id"))
        paper.lists(session, Session.PlatformState.SUBMITTED)
        assert admin_client.get(url("read_platform", recruitment.project)).status_code == 405, "a link changes nothing"
        admin_client.post(url("read_platform", recruitment.project))
        session.refresh_from_db()
        assert session.platform_state == "submitted"

    def test_it_counts_the_sessions_and_the_payments(
        self, paper: Paper, recruitment: Recruitment, admin_client: Client
    ) -> None:
        handed_in(paper, recruitment)
        comes(Offer.objects.filter(kind="work").earliest("id"), "W2", "A2")
        Payment.objects.create(
            session=Session.objects.earliest("id"),
            kind="bonus",
            cents=1,
            state="refused",
            last_error="No such worker.",
            created_at="2026-01-01T00:00Z",
        )
        page = recruiting(admin_client, recruitment.project)
        assert "<b>1</b>at work" in page and "<b>1</b>handed in" in page and "1 payment</a> refused" in page
        assert "No such worker." in page


class TestPaying:
    @pytest.mark.both_engines
    def test_what_is_due_is_shown_and_then_paid(
        self, paper: Paper, recruitment: Recruitment, admin_client: Client
    ) -> None:
        handed_in(paper, recruitment)
        asked = admin_client.get(url("settle", recruitment.project))
        assert "1 to be settled, $0.50 for workers" in asked.text and "Thank you." in asked.text
        assert paper.sent == []
        shown = re.search(r'name="shown" value="(\w+)"', asked.text)
        assert shown is not None
        admin_client.post(url("settle", recruitment.project), {"shown": shown[1]})
        assert paper.sent == [("approve", "A1", REWARD)]
        assert LedgerEntry.objects.get(kind="paid").cents == REWARD

    def test_what_has_changed_in_between_is_shown_anew(
        self, paper: Paper, recruitment: Recruitment, admin_client: Client
    ) -> None:
        handed_in(paper, recruitment)
        page = admin_client.post(url("settle", recruitment.project), {"shown": "of yesterday"}).text
        assert "look again" in page
        assert paper.sent == []

    def test_a_refusal_is_on_the_page_afterwards(
        self, paper: Paper, recruitment: Recruitment, admin_client: Client
    ) -> None:
        handed_in(paper, recruitment)
        paper.refuses = RefusedError("You have insufficient funds.")
        shown = re.search(r'name="shown" value="(\w+)"', admin_client.get(url("settle", recruitment.project)).text)
        assert shown is not None
        page = admin_client.post(url("settle", recruitment.project), {"shown": shown[1]}, follow=True).text
        assert "1 payment</a> refused by the platform" in page and "insufficient funds" in page

    def test_where_nothing_is_due_there_is_no_button(self, recruitment: Recruitment, admin_client: Client) -> None:
        assert "Settle them" not in admin_client.get(url("settle", recruitment.project)).text


class TestComparing:
    @pytest.mark.both_engines
    def test_those_whose_payments_differ_are_named(
        self, paper: Paper, recruitment: Recruitment, admin_client: Client
    ) -> None:
        handed_in(paper, recruitment)
        paper.paid.append(Bonus("A1", "W1", 25))
        page = admin_client.get(url("compare", recruitment.project)).text
        assert "1 worker was paid $0.25 there; the ledger says $0.00" in page
        assert "payments of 1 differ" in page and "mturk W1" in page

    def test_more_than_a_page_can_wait_for_is_left_to_the_command(
        self, recruitment: Recruitment, admin_client: Client, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(settle_pages, "MOST_COMPARED", 0)
        an_offer(Project.objects.get(id=recruitment.project_id))
        page = admin_client.get(url("compare", recruitment.project)).text
        assert "manage.py reconcile mturk" in page and "agree" not in page

    def test_agreement_is_said(self, recruitment: Recruitment, admin_client: Client) -> None:
        assert "agree to the cent" in admin_client.get(url("compare", recruitment.project)).text


class TestStopping:
    @pytest.mark.both_engines
    def test_it_asks_first(self, paper: Paper, recruitment: Recruitment, admin_client: Client) -> None:
        assert "No new worker finds them" in admin_client.get(url("stop_recruiting", recruitment.project)).text
        assert not paper.ended
        admin_client.post(url("stop_recruiting", recruitment.project))
        recruitment.refresh_from_db()
        assert not recruitment.active
        assert {offer.state for offer in Offer.objects.all()} == {"ended"}
        assert len(paper.ended) == Offer.objects.count()


def test_reviewers_do_not_recruit(recruitment: Recruitment, client: Client) -> None:
    sign_in(client, recruitment.project, Role.REVIEWER)
    for name in ("offer", "read_platform", "settle", "stop_recruiting", "sessions", "payments"):
        assert client.post(url(name, recruitment.project), {"sent": "yes"}).status_code == 403
    assert client.get(url("compare", recruitment.project)).status_code == 403
    assert Recruitment.objects.get().active


def test_a_platform_that_does_not_exist_has_no_page(project: Project, admin_client: Client) -> None:
    for name in ("offer", "settle", "compare", "stop_recruiting", "sessions", "payments"):
        found = admin_client.get(reverse(f"campaign:{name}", args=[project.name, "nowhere"]))
        assert found.status_code == 404, name
