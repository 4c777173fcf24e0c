"""Sessions and payments on the requesters' pages: what is shown, and what a requester does about them."""

from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from annotation.models import Project
from pipeline.models import Assignment, LedgerEntry
from pipeline.money.ledger import account_of
from pipeline.tick import tick
from platforms.models import Offer, Payment, Recruitment, Session
from platforms.sessions.hold_session import finish_session
from platforms.settling.plan_payments import plan_payments
from tests.support.money import REWARD, paying
from tests.support.projects import submit
from tests.support.recruiting import an_offer, asks, comes

pytestmark = pytest.mark.django_db
SESSIONS, PAYMENTS = "campaign:sessions", "campaign:payments"


@pytest.fixture
def project() -> Project:
    return paying(3, each=20)


@pytest.fixture
def offer(project: Project) -> Offer:
    """An offer whose sessions may have three assignments."""
    Recruitment.objects.create(platform="mturk", project=project, created_at=timezone.now())
    return an_offer(project, quota=3)


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
    def test_it_says_what_was_earned_refused_and_told(self, offer: Offer, admin_client: Client) -> None:
        session = a_session(offer, assignments=2)
        Payment.objects.create(session=session, kind="bonus", cents=25, created_at=timezone.now())
        shown = admin_client.get(listed(offer.project)).text
        assert "$0.20" in shown and "bonus $0.25: planned" in shown

    @pytest.mark.parametrize("query", ["A1", "W1", "HIT1", "mturk W1"])
    def test_it_is_searched_by_what_the_platform_calls_things(
        self, project: Project, offer: Offer, admin_client: Client, query: str
    ) -> None:
        session = a_session(offer)
        a_session(an_offer(project), 2)
        found = admin_client.get(listed(project), {"q": query}).context["page"]
        assert list(found) == [session]

    def test_what_wants_looking_at_is_found(self, offer: Offer, admin_client: Client) -> None:
        unearned, absent, _ = a_session(offer, 1, here=False), a_session(offer, 2), a_session(offer, 3)
        Session.objects.filter(id=absent.id).update(platform_state="")
        for look, session in (("unearned", unearned), ("absent", absent)):
            found = admin_client.get(listed(offer.project), {"show": look}).context["page"]
            assert list(found) == [session]

    def test_a_longer_one_needs_no_more_queries(self, offer: Offer, admin_client: Client) -> None:
        def queries() -> int:
            with CaptureQueriesContext(connection) as found:
                admin_client.get(listed(offer.project))
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
    def test_it_asks_why_first(self, offer: Offer, admin_client: Client) -> None:
        session = a_session(offer)
        for said in ({}, {"sent": "yes", "reason": " "}):
            page = act(admin_client, "refuse", session, **said)
            assert "counts against the worker" in page and 'name="reason"' in page
        assert not LedgerEntry.objects.exists()

    def test_the_next_round_rejects_it_with_the_reason(
        self, project: Project, offer: Offer, admin_client: Client
    ) -> None:
        session = a_session(offer, assignments=2)
        assert "0.20 refused" in act(admin_client, "refuse", session, sent="yes", reason="One button.")
        assert owed(session) == 0
        assert planned(project) == [("reject", "One button.")]
        assert LogEntry.objects.get().change_message == "Refuse: One button."

    def test_it_can_be_taken_back(self, project: Project, offer: Offer, admin_client: Client) -> None:
        session = a_session(offer)
        act(admin_client, "refuse", session, sent="yes", reason="One button.")
        Session.objects.update(platform_state="rejected")
        assert "0.10 are owed again" in act(admin_client, "restore", session, sent="yes", reason="My mistake.")
        assert [kind for kind, _ in planned(project)] == ["override"]

    @pytest.mark.both_engines
    def test_what_can_not_be_is_said_and_does_not_stop_the_others(self, offer: Offer, admin_client: Client) -> None:
        empty, session = a_session(offer, 1, assignments=0, here=False), a_session(offer, 2)
        page = act(admin_client, "refuse", empty, session, sent="yes", reason="One button.")
        assert "Nothing that it earned is unpaid" in page and "0.10 refused" in page
        page = act(admin_client, "restore", empty, session, sent="yes", reason="My mistake.")
        assert "No pay of it is refused" in page and "0.10 are owed again" in page

    @pytest.mark.both_engines
    def test_work_is_paid_and_not_used(self, project: Project, offer: Offer, admin_client: Client) -> None:
        session = a_session(offer)
        tick(project_id=project.pk)
        assert "assignments not used: 1" in act(admin_client, "soft", session, sent="yes", reason="One button.")
        assert Assignment.objects.get().acceptance == "refused"
        assert [kind for kind, _ in planned(project)] == ["approve"]


class TestWithoutWorkHere:
    def test_it_is_approved_all_the_same(self, offer: Offer, admin_client: Client) -> None:
        session = a_session(offer, assignments=0, here=False)
        assert "ledger counts it as a bonus" in act(admin_client, "approve", session)
        act(admin_client, "approve", session, sent="yes", reason="The page failed.")
        payment = Payment.objects.get()
        assert (payment.kind, payment.cents, payment.reason) == ("approve", REWARD, "The page failed.")

    def test_it_is_rejected(self, offer: Offer, admin_client: Client) -> None:
        act(admin_client, "reject", a_session(offer, assignments=0, here=False), sent="yes", reason="Nothing done.")
        assert Payment.objects.get().kind == "reject"

    def test_one_that_was_finished_here_is_not_decided_by_hand(self, offer: Offer, admin_client: Client) -> None:
        page = act(admin_client, "reject", a_session(offer), sent="yes", reason="Nothing done.")
        assert "handed in here" in page
        assert not Payment.objects.exists()


class TestSayingAgain:
    @pytest.fixture
    def payment(self, offer: Offer) -> Payment:
        refused = {"state": "refused", "last_error": "You have insufficient funds.", "created_at": timezone.now()}
        return Payment.objects.create(session=a_session(offer), kind="approve", cents=REWARD, **refused)

    def test_why_it_was_refused_is_shown_first(self, payment: Payment, admin_client: Client) -> None:
        assert "You have insufficient funds." in act(admin_client, "retry", payment, page=PAYMENTS)
        payment.refresh_from_db()
        assert payment.state == "refused"

    @pytest.mark.both_engines
    def test_then_it_is_planned_once(self, payment: Payment, admin_client: Client) -> None:
        assert "the next round sends it again" in act(admin_client, "retry", payment, page=PAYMENTS, sent="yes")
        payment.refresh_from_db()
        assert (payment.state, payment.last_error) == ("planned", "")
        assert "this is planned" in act(admin_client, "retry", payment, page=PAYMENTS, sent="yes")
        assert "insufficient funds" in LogEntry.objects.get().change_message
