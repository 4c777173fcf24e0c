"""Recruiting on the requesters' pages: offer, change, read, compare, pay, stop.
Sessions and payments on the requesters' pages: what is shown, and what a requester does about them.
"""

import re
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from annotation.models import Project
from pipeline.models import Assignment, KnownQuestion, LedgerEntry
from pipeline.money.ledger import account_of
from pipeline.tick import tick
from platforms.contract import Bonus, OfferCharge, RecommendedPay, RecruitmentTerms
from platforms.errors import PlatformOffError, RefusedError
from platforms.models import Offer, Payment, Recruitment, Session
from platforms.offers.recruit import begin_recruiting
from platforms.registry import PLATFORMS
from platforms.sessions import finish_session
from platforms.settling.plan_payments import plan_payments
from platforms.sync import sync
from projects.recruiting import operations
from tests.platforms.paper import Paper
from tests.support.money import ASK, REWARD, paying
from tests.support.projects import submit
from tests.support.recruiting import an_offer, asks, comes
from tests.support.table import row
from tests.support.trusting import TEST, add_stock

pytestmark = pytest.mark.django_db
SESSIONS, PAYMENTS = "projects:sessions", "projects:payments"


@pytest.fixture
def paper(monkeypatch: pytest.MonkeyPatch) -> Paper:
    paper = Paper()
    monkeypatch.setitem(PLATFORMS, "mturk", lambda: paper)
    return paper


@pytest.fixture
def project(paper: Paper) -> Project:
    made = paying(3, each=10)
    add_stock(made, 10, TEST)
    return made


@pytest.fixture
def begun(paper: Paper, project: Project) -> Recruitment:
    terms = RecruitmentTerms(quota=2, pays_itself=False)
    made = begin_recruiting(paper, project.pk, [ASK], terms, actor="ada")
    sync(paper, made)
    return made


def off() -> Any:
    raise PlatformOffError("Mechanical Turk is not set up.")


def said(**values: Any) -> dict[str, Any]:
    """A filled-in form."""
    terms = {name: value for name, value in RecruitmentTerms().model_dump().items() if value is not False}
    return {"tasks": [ASK.value], "total_cents": 100_000, **terms, **values}


def handed_in(paper: Paper, begun: Recruitment, number: int = 1) -> Session:
    """Two questions answered, finished here, and there."""
    session = comes(Offer.objects.filter(kind="work").earliest("id"), f"W{number}", f"A{number}")
    assignment = asks(session, 2)
    assert assignment is not None
    submit(assignment, 3, 3)
    finish_session(session_id=session.id, worker_id=session.worker_id)
    paper.lists(session, Session.PlatformState.SUBMITTED)
    sync(paper, begun)
    return session


def url(page: str, project: Project) -> str:
    return reverse(f"projects:{page}", args=[project.name, "mturk"])


def recruiting(client: Client, project: Project) -> str:
    return client.get(reverse("projects:recruit", args=[project.name])).text


class TestOfferingWork:
    def test_the_cost_is_said_first_and_nothing_begins(self, project: Project, paper: Paper, boss: Client):
        page = boss.post(url("offer", project), said(quota=2)).text
        assert "$29.00" in page and "$5.80" in page and "$34.80" in page
        assert "up to 29" in page and "$1,000.00" in page and "without real money" in page
        assert not Recruitment.objects.exists()

    def test_newcomers_are_not_invited_where_there_is_no_test(self, project: Project, boss: Client) -> None:
        KnownQuestion.objects.all().delete()
        for values in ({}, {"sent": "yes"}):
            page = boss.post(url("offer", project), said(**values)).text
            assert "Newcomers would find nothing to do: too few test questions of box requirement" in page
        assert "up to 20" in boss.post(url("offer", project), said(entry_places=0)).text

    def test_a_larger_cost_than_the_one_that_was_shown_is_shown_anew(self, project: Project, boss: Client) -> None:
        page = boss.post(url("offer", project), said(sent="yes", total_cents=1739)).text
        assert "This may cost $17.40 by now, not $17.39" in page and "Offer the work" in page
        assert not Recruitment.objects.exists()

    def test_it_begins_when_it_is_said_again(self, project: Project, boss: Client) -> None:
        asked = boss.post(url("offer", project), said(quota=2))
        shown = re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', asked.text)
        again = {name: value for name, value in shown if name != "csrfmiddlewaretoken"}
        response = boss.post(url("offer", project), {**again, "sent": "yes"})
        made = Recruitment.objects.get()
        assert response["Location"] == reverse("projects:recruit", args=[project.name]) + "#mturk"
        assert (made.tasks, made.started_by, made.active) == ([ASK.value], "admin", True)
        assert made.terms == RecruitmentTerms(quota=2).model_dump()
        assert {offer.state for offer in Offer.objects.all()} == {"open"}, "the first round has been made"

    def test_going_back_shows_the_form_as_it_was(self, project: Project, boss: Client) -> None:
        page = boss.post(url("offer", project), said(title="Dogs", change="yes")).text
        assert 'value="Dogs"' in page and "Show the cost" in page

    @row({"quota": 2, "least": 3}, "A session needs 3 assignments, so it must be allowed at least as many.")
    @row({"minutes": 1}, "should be greater than or equal to 5")
    @row({"tasks": []}, "required")
    def test_what_does_not_fit_is_said_on_the_form(self, values: Any, message: str, project: Project, boss: Client):
        assert message in boss.post(url("offer", project), said(**values)).text

    @pytest.mark.both_engines
    def test_another_currency_is_refused(self, paper: Paper, boss: Client) -> None:
        project = paying(3, currency="GBP")
        for values in ({}, {"sent": "yes"}):
            assert "change the project&#x27;s currency" in boss.post(url("offer", project), said(**values)).text
        assert not Recruitment.objects.exists()

    def test_real_money_and_an_empty_account_are_pointed_out(self, project: Project, paper: Paper, boss: Client):
        paper.live, paper.balance = True, 100
        page = boss.post(url("offer", project), said()).text
        assert "Real money moves" in page and "fewer places are offered" in page

    @row(1000, [])
    @row(
        1001, ["The platform recommends $10.01 an hour, and at least $6.00. Less is paid for box requirement ($10.00)."]
    )
    def test_the_pay_of_an_hour_is_shown_beside_the_recommended_one(
        self, good: int, warned: list[str], project: Project, paper: Paper, boss: Client
    ) -> None:
        paper.pay, paper.soon = RecommendedPay(600, good), "5 hours"
        shown = boss.post(url("offer", project), said())
        assert "$10.00 an hour; newcomers predicted in 5 hours" in shown.text
        assert f"${good / 100:.2f} an hour, to pay well; $6.00 an hour, at least" in shown.text
        assert [one for one in shown.context["cost"].warnings if "recommends" in one] == warned

    def test_without_places_for_newcomers_no_time_is_predicted(self, project: Project, paper: Paper, boss: Client):
        paper.soon = "5 hours"
        page = boss.post(url("offer", project), said(entry_places=0)).text
        assert "$15.00 an hour<" in page and "5 hours" not in page

    def test_a_platform_that_is_off_says_how_it_is_set_up(self, project: Project, boss: Client, monkeypatch: Any):
        monkeypatch.setitem(PLATFORMS, "mturk", off)
        assert "Mechanical Turk is not set up. See docs/how-to/mturk.md." in boss.get(url("offer", project)).text
        assert "See docs/how-to/mturk.md" in boss.post(url("offer", project), said()).text

    def test_terms_are_changed_from_what_they_are(self, begun: Recruitment, boss: Client) -> None:
        assert re.search(r'name="quota" value="2"', boss.get(url("offer", begun.project)).text)
        boss.post(url("offer", begun.project), said(entry_places=0, sent="yes"))
        begun.refresh_from_db()
        assert begun.terms["entry_places"] == 0 and not Offer.objects.filter(kind="entry", state="open").exists()


class TestThePage:
    def test_it_says_how_things_stand(self, paper: Paper, begun: Recruitment, boss: Client) -> None:
        handed_in(paper, begun)
        page = recruiting(boss, begun.project)
        assert "<b>1</b>handed in and not settled" in page and "<b>1</b>to be settled next" in page
        assert "workers who passed the test" in page and "Assignments that a session may have" in page

    def test_the_predicted_time_of_the_newest_open_offer_is_shown(self, begun: Recruitment, boss: Client) -> None:
        Offer.objects.filter(kind="entry").update(recruited_in="2 hours")
        an_offer(begun.project, kind="entry", recruited_in="9 hours")
        page = recruiting(boss, begun.project)
        assert "<td>9 hours</td>" in page and "2 hours" not in page

    def test_what_wants_looking_at_comes_first(self, paper: Paper, begun: Recruitment, boss: Client):
        session = comes(Offer.objects.filter(kind="work").earliest("id"))
        paper.lists(session, Session.PlatformState.SUBMITTED)
        sync(paper, begun)
        page = recruiting(boss, begun.project)
        assert "1 session</a> handed in there and not finished here" in page
        link = re.search(r'href="([^"]+show=unearned)"', page)
        assert link is not None and [
            row.session for row in boss.get(link[1].replace("&amp;", "&")).context["page"]
        ] == [session]

    def test_it_opens_while_the_platform_is_off(self, begun: Recruitment, boss: Client, monkeypatch: Any):
        monkeypatch.setitem(PLATFORMS, "mturk", off)
        assert "Nothing is read or paid there at the moment" in recruiting(boss, begun.project)
        assert "not set up" in boss.post(url("read_platform", begun.project), follow=True).text
        for page in ("settle", "compare"):
            assert "not set up" in boss.get(url(page, begun.project)).text

    def test_reading_now_makes_a_round(self, paper: Paper, begun: Recruitment, boss: Client) -> None:
        session = comes(Offer.objects.filter(kind="work").earliest("id"))
        paper.lists(session, Session.PlatformState.SUBMITTED)
        assert boss.get(url("read_platform", begun.project)).status_code == 405, "a link changes nothing"
        boss.post(url("read_platform", begun.project))
        session.refresh_from_db()
        assert session.platform_state == "submitted"

    def test_it_counts_the_sessions_and_the_payments(self, paper: Paper, begun: Recruitment, boss: Client):
        handed_in(paper, begun)
        comes(Offer.objects.filter(kind="work").earliest("id"), "W2", "A2")
        refused = {"state": "refused", "last_error": "No such worker.", "created_at": timezone.now()}
        Payment.objects.create(session=Session.objects.earliest("id"), kind="bonus", cents=1, **refused)
        page = recruiting(boss, begun.project)
        assert "<b>1</b>at work" in page and "<b>1</b>handed in" in page and "1 payment</a> refused" in page
        assert "No such worker." in page


class TestPaying:
    @pytest.mark.both_engines
    def test_what_is_due_is_shown_and_then_paid(self, paper: Paper, begun: Recruitment, boss: Client):
        handed_in(paper, begun)
        asked = boss.get(url("settle", begun.project))
        assert "1 to be settled, $0.50 for workers" in asked.text and "Thank you." in asked.text and paper.sent == []
        shown = re.search(r'name="digest" value="([^"]+)"', asked.text)
        assert shown is not None
        boss.post(url("settle", begun.project), {"digest": shown[1]})
        assert paper.sent == [("approve", "A1", REWARD)] and LedgerEntry.objects.get(kind="paid").cents == REWARD

    def test_what_has_changed_in_between_is_shown_anew(self, paper: Paper, begun: Recruitment, boss: Client):
        handed_in(paper, begun)
        due = url("settle", begun.project)
        shown = re.search(r'name="digest" value="([^"]+)"', boss.get(due).text)
        assert shown is not None
        second = handed_in(paper, begun, 2)
        page = boss.post(due, {"digest": shown[1]}).text
        assert f"look again before you settle. Due now, not shown: approve {second}." in page
        assert paper.sent == [] and not Payment.objects.exists()
        both = re.search(r'name="digest" value="([^"]+)"', page)
        assert both is not None
        Session.objects.filter(pk=second.pk).update(platform_state="returned")
        assert f"Shown, not due now: approve {second}." in boss.post(due, {"digest": both[1]}).text
        assert boss.post(due, {"digest": "of yesterday"}).status_code == 409 and paper.sent == []

    def test_a_second_press_pays_nothing_again(self, paper: Paper, begun: Recruitment, boss: Client) -> None:
        handed_in(paper, begun)
        due = url("settle", begun.project)
        shown = re.search(r'name="digest" value="([^"]+)"', boss.get(due).text)
        assert shown is not None
        boss.post(due, {"digest": shown[1]})
        assert "look again" in boss.post(due, {"digest": shown[1]}).text
        assert paper.sent == [("approve", "A1", REWARD)]

    def test_a_refusal_is_on_the_page_afterwards(self, paper: Paper, begun: Recruitment, boss: Client):
        handed_in(paper, begun)
        paper.refuses = RefusedError("You have insufficient funds.")
        shown = re.search(r'name="digest" value="([^"]+)"', boss.get(url("settle", begun.project)).text)
        assert shown is not None
        page = boss.post(url("settle", begun.project), {"digest": shown[1]}, follow=True).text
        assert "1 payment</a> refused by the platform" in page and "insufficient funds" in page

    def test_where_nothing_is_due_there_is_no_button(self, begun: Recruitment, boss: Client) -> None:
        assert "Settle them" not in boss.get(url("settle", begun.project)).text


class TestComparing:
    @pytest.mark.both_engines
    def test_those_whose_payments_differ_are_named(self, paper: Paper, begun: Recruitment, boss: Client):
        handed_in(paper, begun)
        paper.paid.append(Bonus("A1", "W1", 25))
        page = boss.get(url("compare", begun.project)).text
        assert "1 worker was paid $0.25 there; the ledger says $0.00" in page
        assert "payments of 1 differ" in page and "mturk W1" in page

    def test_more_than_a_page_can_wait_for_is_left_to_the_command(
        self, begun: Recruitment, boss: Client, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(operations, "MAX_OFFERS_COMPARED", 0)
        an_offer(Project.objects.get(id=begun.project_id))
        page = boss.get(url("compare", begun.project)).text
        assert "manage.py reconcile small mturk" in page and "agree" not in page

    def test_what_the_platform_itself_charged_is_compared_too(
        self, paper: Paper, begun: Recruitment, boss: Client, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        an_offer(Project.objects.get(id=begun.project_id))
        monkeypatch.setattr(paper, "cost", lambda offer: OfferCharge(paid=100, fees=40))
        charged = len(Offer.objects.exclude(external_id=""))
        page = boss.get(url("compare", begun.project)).text
        assert f"charged ${charged}.00 for them, and ${0.4 * charged:.2f} of fees" in page
        assert "charged another amount than the ledger says" in page

    def test_agreement_is_said(self, begun: Recruitment, boss: Client) -> None:
        assert "agree to the cent" in boss.get(url("compare", begun.project)).text


class TestStopping:
    @pytest.mark.both_engines
    def test_it_asks_first(self, paper: Paper, begun: Recruitment, boss: Client) -> None:
        assert "No new worker finds them" in boss.get(url("stop_recruiting", begun.project)).text and not paper.ended
        boss.post(url("stop_recruiting", begun.project))
        begun.refresh_from_db()
        assert not begun.active and {offer.state for offer in Offer.objects.all()} == {"ended"}
        assert len(paper.ended) == Offer.objects.count()


def test_a_platform_that_does_not_exist_has_no_page(project: Project, boss: Client) -> None:
    for name in ("offer", "settle", "compare", "stop_recruiting", "sessions", "payments"):
        assert boss.get(reverse(f"projects:{name}", args=[project.name, "nowhere"])).status_code == 404, name


@pytest.fixture
def recruited() -> Project:
    return paying(3, each=20)


@pytest.fixture
def offer(recruited: Project) -> Offer:
    """An offer whose sessions may have three assignments."""
    Recruitment.objects.create(platform="mturk", project=recruited, created_at=timezone.now())
    return an_offer(recruited, quota=3)


def a_session(offer: Offer, number: int = 1, *, assignments: int = 1, here: bool = True) -> Session:
    """Two questions an assignment; handed in there, and here too if it was finished."""
    session = comes(offer, f"W{number}", f"A{number}")
    for _ in range(assignments):
        assignment = asks(session, 2)
        assert assignment is not None
        submit(assignment, 3, 3)
    if here:
        finish_session(session_id=session.id, worker_id=session.worker_id)
    Session.objects.filter(id=session.id).update(platform_state="submitted")
    session.refresh_from_db()
    return session


def listed(project: Project, page: str = SESSIONS) -> str:
    return reverse(page, args=[project.name, "mturk"])


def act(client: Client, action: str, *chosen: Any, page: str = SESSIONS, **said: Any) -> str:
    values = {"act": action, "row": [one.pk for one in chosen], **said}
    return client.post(listed(Project.objects.get(), page), values, follow=True).text


def owed(session: Session) -> int:
    return account_of(session.worker_id, session.offer.project_id).owed


def planned(project: Project) -> list[tuple[str, str]]:
    return [(one.kind, one.reason) for one in plan_payments("mturk", project.pk)]


class TestTheList:
    def test_it_says_what_was_earned_refused_and_told(self, offer: Offer, boss: Client) -> None:
        session = a_session(offer, assignments=2)
        Payment.objects.create(session=session, kind="bonus", cents=25, created_at=timezone.now())
        shown = boss.get(listed(offer.project)).text
        assert "$0.20" in shown and "bonus $0.25: planned" in shown

    @pytest.mark.parametrize("query", ["A1", "W1", "HIT1", "mturk W1"])
    def test_it_is_searched_by_what_the_platform_calls_things(
        self, recruited: Project, offer: Offer, boss: Client, query: str
    ) -> None:
        session = a_session(offer)
        a_session(an_offer(recruited), 2)
        assert [row.session for row in boss.get(listed(recruited), {"q": query}).context["page"]] == [session]

    def test_what_wants_looking_at_is_found(self, offer: Offer, boss: Client) -> None:
        unearned, absent, _ = a_session(offer, 1, here=False), a_session(offer, 2), a_session(offer, 3)
        Session.objects.filter(id=absent.id).update(platform_state="")
        for look, session in (("unearned", unearned), ("absent", absent)):
            assert [row.session for row in boss.get(listed(offer.project), {"show": look}).context["page"]] == [session]

    def test_a_longer_one_needs_no_more_queries(self, offer: Offer, boss: Client) -> None:
        def queries() -> int:
            with CaptureQueriesContext(connection) as found:
                boss.get(listed(offer.project))
            return len(found)

        def add(number: int) -> None:
            session = a_session(offer, number)
            Payment.objects.create(session=session, kind="approve", cents=50, created_at=timezone.now())

        add(1)
        queries()
        few = queries()
        for number in range(2, 9):
            add(number)
        assert queries() == few


class TestRefusing:
    def test_it_asks_why_first(self, offer: Offer, boss: Client) -> None:
        session = a_session(offer)
        for said in ({}, {"sent": "yes", "reason": " "}):
            page = act(boss, "refuse", session, **said)
            assert "counts against the worker" in page and 'name="reason"' in page
        assert not LedgerEntry.objects.exists()

    def test_the_next_round_rejects_it_with_the_reason(self, recruited: Project, offer: Offer, boss: Client):
        session = a_session(offer, assignments=2)
        assert "0.20 refused" in act(boss, "refuse", session, sent="yes", reason="One button.")
        assert owed(session) == 0 and planned(recruited) == [("reject", "One button.")]
        assert LogEntry.objects.get().change_message == "Refuse: One button."

    def test_it_can_be_taken_back(self, recruited: Project, offer: Offer, boss: Client) -> None:
        session = a_session(offer)
        act(boss, "refuse", session, sent="yes", reason="One button.")
        Session.objects.update(platform_state="rejected")
        assert "0.10 are owed again" in act(boss, "restore", session, sent="yes", reason="My mistake.")
        assert [kind for kind, _ in planned(recruited)] == ["override"]

    @pytest.mark.both_engines
    def test_what_can_not_be_is_said_and_does_not_stop_the_others(self, offer: Offer, boss: Client) -> None:
        empty, session = a_session(offer, 1, assignments=0, here=False), a_session(offer, 2)
        page = act(boss, "refuse", empty, session, sent="yes", reason="One button.")
        assert "Nothing that it earned is unpaid" in page and "0.10 refused" in page
        page = act(boss, "restore", empty, session, sent="yes", reason="My mistake.")
        assert "No pay of it is refused" in page and "0.10 are owed again" in page

    @pytest.mark.both_engines
    def test_work_is_paid_and_not_used(self, recruited: Project, offer: Offer, boss: Client) -> None:
        session = a_session(offer)
        tick(project_id=recruited.pk)
        assert "assignments not used: 1" in act(boss, "soft", session, sent="yes", reason="One button.")
        assert Assignment.objects.get().acceptance == "refused"
        assert [kind for kind, _ in planned(recruited)] == ["approve"]


class TestWithoutWorkHere:
    def test_it_is_approved_all_the_same(self, offer: Offer, boss: Client) -> None:
        session = a_session(offer, assignments=0, here=False)
        assert "ledger counts it as a bonus" in act(boss, "approve", session)
        act(boss, "approve", session, sent="yes", reason="The page failed.")
        payment = Payment.objects.get()
        assert (payment.kind, payment.cents, payment.reason) == ("approve", REWARD, "The page failed.")

    def test_it_is_rejected(self, offer: Offer, boss: Client) -> None:
        act(boss, "reject", a_session(offer, assignments=0, here=False), sent="yes", reason="Nothing done.")
        assert Payment.objects.get().kind == "reject"

    def test_one_that_was_finished_here_is_not_decided_by_hand(self, offer: Offer, boss: Client) -> None:
        page = act(boss, "reject", a_session(offer), sent="yes", reason="Nothing done.")
        assert "handed in here" in page and not Payment.objects.exists()


class TestSayingAgain:
    @pytest.fixture
    def payment(self, offer: Offer) -> Payment:
        refused = {"state": "refused", "last_error": "You have insufficient funds.", "created_at": timezone.now()}
        return Payment.objects.create(session=a_session(offer), kind="approve", cents=REWARD, **refused)

    def test_why_it_was_refused_is_shown_first(self, payment: Payment, boss: Client) -> None:
        assert "You have insufficient funds." in act(boss, "retry", payment, page=PAYMENTS)
        payment.refresh_from_db()
        assert payment.state == "refused"

    @pytest.mark.both_engines
    def test_then_it_is_planned_once(self, payment: Payment, boss: Client) -> None:
        assert "the next round sends it again" in act(boss, "retry", payment, page=PAYMENTS, sent="yes")
        payment.refresh_from_db()
        assert (payment.state, payment.last_error) == ("planned", "")
        assert "this is planned" in act(boss, "retry", payment, page=PAYMENTS, sent="yes")
        assert "insufficient funds" in LogEntry.objects.get().change_message
