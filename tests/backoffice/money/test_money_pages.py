"""Money on the admin pages: payments and bonuses, what is owed, and what is done about bad work."""

from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.models import Project
from members.models import Role
from pipeline.models import Assignment, LedgerEntry
from pipeline.money.ledger import account_of
from pipeline.tick import tick
from tests.support.members import maker, sign_in
from tests.support.money import ASK, paying, work
from tests.support.projects import lease, worker
from workers.models import Message, Worker

pytestmark = pytest.mark.django_db
LEDGER, ASSIGNMENTS = "admin:pipeline_ledgerentry", "admin:pipeline_assignment_changelist"


@pytest.fixture
def project() -> Project:
    return paying()


@pytest.fixture
def ada(project: Project) -> Worker:
    return worker(project, "ada")


def add(client: Client, who: Worker, project: Project, **values: Any) -> Any:
    given = {"worker": who.pk, "project": project.pk, "kind": "paid", "cents": 10, "reason": "by bank", **values}
    return client.post(reverse(f"{LEDGER}_add"), given)


def act(client: Client, action: str, *chosen: Assignment, **said: Any) -> Any:
    ids = [one.pk for one in chosen]
    return client.post(reverse(ASSIGNMENTS), {"action": action, "_selected_action": ids, **said}, follow=True)


class TestEntries:
    def test_a_payment_is_written_down_once(self, project: Project, ada: Worker, admin_client: Client) -> None:
        work(project, ada)
        for _ in range(2):
            response = add(admin_client, ada, project, reference="May")
            assert response.status_code == 302, response.context["errors"]
        entry = LedgerEntry.objects.get()
        assert (entry.kind, entry.cents, entry.reference, entry.reason) == ("paid", 10, "May", "by bank")
        assert entry.actor == "admin"

    @pytest.mark.both_engines
    def test_a_bonus_is_owed(self, project: Project, ada: Worker, admin_client: Client) -> None:
        work(project, ada)
        add(admin_client, ada, project, kind="bonus", cents=5)
        assert account_of(ada.id, project.id).owed == 15

    @pytest.mark.parametrize(
        ("values", "message"),
        [
            ({"cents": 11, "reference": "May"}, "more than the 10 that are owed"),
            ({}, "needs a reference"),
            ({"cents": 0, "reference": "May"}, "from 1 to"),
            ({"reason": " ", "reference": "May"}, "required"),
            ({"kind": "refused"}, "Select a valid choice"),
        ],
    )
    def test_what_can_not_be_is_refused_on_the_form(
        self, project: Project, ada: Worker, admin_client: Client, values: dict[str, Any], message: str
    ) -> None:
        work(project, ada)
        response = add(admin_client, ada, project, **values)
        assert response.status_code == 200 and message in response.text
        assert LedgerEntry.objects.count() == 0


class TestWhatIsOwed:
    def test_the_page_of_a_project_says_it_and_leads_to_the_form(
        self, project: Project, ada: Worker, admin_client: Client
    ) -> None:
        work(project, ada)
        overview = admin_client.get(reverse(f"{LEDGER}_owed")).text
        assert f"?project={project.pk}" in overview and "$0.10" in overview
        page = admin_client.get(reverse(f"{LEDGER}_owed"), {"project": project.pk}).text
        assert "box requirement" in page
        assert f"worker={ada.pk}&amp;project={project.pk}&amp;kind=paid&amp;cents=10" in page
        form = admin_client.get(reverse(f"{LEDGER}_add"), {"worker": str(ada.pk), "kind": "paid", "cents": "10"})
        assert 'value="10"' in form.text

    def test_the_list_leads_to_it(self, project: Project, admin_client: Client) -> None:
        assert reverse(f"{LEDGER}_owed") in admin_client.get(reverse(f"{LEDGER}_changelist")).text

    def test_workers_are_shown_page_by_page_and_the_sums_are_of_all(
        self, project: Project, admin_client: Client, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("backoffice.money.owed.WORKERS_PER_PAGE", 2)
        address, asked = reverse(f"{LEDGER}_owed"), {"project": str(project.pk)}
        counts = []
        for names in (("ada", "bob", "cyd"), ("dan", "eve")):
            for name in names:
                work(project, worker(project, name))
            with CaptureQueriesContext(connection) as made:
                first = admin_client.get(address, asked)
            counts.append(len(made))
        assert counts[0] == counts[1] <= 20
        shown = [[row[0] for row in table["rows"]] for table in first.context["tables"]]
        assert len(shown[0]) == 3 and shown[0][-1] == "all" and len(shown[1]) == 2
        assert "ada" in shown[0][0] and "bob" in shown[0][1]
        assert first.context["tables"][0]["rows"][-1][1] == "0.50"
        assert "Workers 1 to 2 of 5" in first.text and "page=2" in first.text
        last = admin_client.get(address, {**asked, "page": "3"})
        assert "eve" in last.text and "Next workers" not in last.text
        assert last.context["tables"][0]["rows"][-1][1] == "0.50"

    def test_a_project_that_is_not_there_is_not_found(self, admin_client: Client) -> None:
        assert admin_client.get(reverse(f"{LEDGER}_owed"), {"project": "4711"}).status_code == 404

    def test_it_is_for_those_who_may_see_the_ledger(self, client: Client) -> None:
        client.force_login(maker("visitor"))
        assert client.get(reverse(f"{LEDGER}_owed")).status_code == 403


class TestRemedies:
    def test_work_is_paid_and_not_used_after_a_reason_is_given(
        self, project: Project, ada: Worker, admin_client: Client
    ) -> None:
        done = work(project, ada)
        tick(project_id=project.id)
        asked = act(admin_client, "reject", done)
        assert "Pay, but do not use" in asked.text and 'name="sent"' in asked.text
        assert Assignment.objects.get(id=done.id).acceptance == ""
        answered = act(admin_client, "reject", done, sent="yes", reason="one button")
        assert "nothing had followed" in answered.text
        done.refresh_from_db()
        assert (done.acceptance, done.acceptance_reason) == ("refused", "one button")
        assert account_of(ada.id, project.id).owed == 10
        assert LogEntry.objects.get().change_message == "reject: one button"

    @pytest.mark.parametrize("action", ["reject", "refuse", "restore"])
    def test_without_a_reason_it_asks_again_and_does_nothing(
        self, project: Project, ada: Worker, admin_client: Client, action: str
    ) -> None:
        done = work(project, ada)
        assert "This field is required" in act(admin_client, action, done, sent="yes", reason=" ").text
        assert Assignment.objects.get(id=done.id).acceptance == ""
        assert not LedgerEntry.objects.exists() and not Message.objects.exists()

    @pytest.mark.both_engines
    def test_pay_is_refused_in_part_and_the_refusal_taken_back(
        self, project: Project, ada: Worker, admin_client: Client
    ) -> None:
        done = work(project, ada)
        assert "4 cents refused" in act(admin_client, "refuse", done, sent="yes", reason="empty", cents=4).text
        assert account_of(ada.id, project.id).owed == 6
        assert "4 cents are owed again" in act(admin_client, "restore", done, sent="yes", reason="my mistake").text
        assert account_of(ada.id, project.id).owed == 10

    def test_what_can_not_be_done_to_one_is_said_and_does_not_stop_the_others(
        self, project: Project, ada: Worker, admin_client: Client
    ) -> None:
        done, held = work(project, ada), lease(project, worker(project, "bob"), ASK, size=1)
        page = act(admin_client, "refuse", held, done, sent="yes", reason="empty").text
        assert "box requirement of bob: The assignment is active" in page
        assert "10 cents refused" in page

    def test_staff_who_may_only_look_are_offered_none_of_it(
        self, project: Project, ada: Worker, client: Client
    ) -> None:
        done = work(project, ada)
        sign_in(client, project, Role.REVIEWER)
        act(client, "reject", done, sent="yes", reason="one button")
        act(client, "refuse", done, sent="yes", reason="one button")
        assert Assignment.objects.get(id=done.id).acceptance == ""
        assert not LedgerEntry.objects.exists()
