"""Money on the requesters' pages: what is owed, bonuses, and what is done about bad work."""

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
from tests.support.members import sign_in
from tests.support.money import ASK, paying, work
from tests.support.projects import lease, worker
from workers.models import Message, Worker

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    return paying()


@pytest.fixture
def ada(project: Project) -> Worker:
    return worker(project, "ada")


def act(client: Client, action: str, *chosen: Assignment, **said: Any) -> Any:
    address = reverse("campaign:assignments", args=[chosen[0].project.name, chosen[0].worker_id])
    return client.post(address, {"act": action, "row": [one.pk for one in chosen], **said}, follow=True)


def give(client: Client, who: Worker, project: Project, **values: Any) -> Any:
    given = {"amount": "0.05", "reason": "careful work", "reference": "bonus 1", **values}
    address = reverse("campaign:worker_bonus", args=[project.name, who.pk])
    return client.post(address, {f"bonus-{name}": value for name, value in given.items()}, follow=True)


class TestABonus:
    @pytest.mark.both_engines
    def test_it_is_owed_once_although_it_was_sent_twice(
        self, project: Project, ada: Worker, admin_client: Client
    ) -> None:
        work(project, ada)
        assert "ada gets a bonus of $0.05" in give(admin_client, ada, project).text
        give(admin_client, ada, project)
        assert account_of(ada.id, project.id).owed == 15
        assert LedgerEntry.objects.get().actor == "admin"

    @pytest.mark.parametrize(
        ("values", "message"), [({"amount": "0"}, "greater than or equal to 0.01"), ({"reason": " "}, "required")]
    )
    def test_what_cannot_be_is_refused_on_the_form(
        self, project: Project, ada: Worker, admin_client: Client, values: dict[str, Any], message: str
    ) -> None:
        response = give(admin_client, ada, project, **values)
        assert response.status_code == 400 and message in response.text
        assert not LedgerEntry.objects.exists()

    def test_one_beyond_the_spend_cap_is_refused(self, admin_client: Client) -> None:
        project = paying(name="capped", spend_cap_cents=12)
        bob = worker(project, "bob")
        work(project, bob)
        response = give(admin_client, bob, project)
        assert response.status_code == 400 and "spend cap" in response.text
        assert not LedgerEntry.objects.exists()


def test_workers_are_shown_page_by_page_and_the_sums_are_of_all(
    project: Project, admin_client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("campaign.people.money_page.WORKERS_PER_PAGE", 2)
    address, counts = reverse("campaign:money", args=[project.name]), []
    for names in (("ada", "bob", "cyd"), ("dan", "eve")):
        for name in names:
            work(project, worker(project, name))
        with CaptureQueriesContext(connection) as made:
            first = admin_client.get(address)
        counts.append(len(made))
    assert counts[0] == counts[1] <= 24
    shown = [[row[0] for row in table["rows"]] for table in first.context["tables"]]
    assert [one["text"] for one in shown[0][:2]] == ["ada", "bob"] and shown[0][2:] == ["all"] and len(shown[1]) == 2
    assert first.context["tables"][0]["rows"][-1][1] == "0.50"
    assert "box requirement" in first.text and "page=2" in first.text
    last = admin_client.get(address, {"page": "3"})
    assert "eve" in last.text and 'rel="next"' not in last.text
    assert last.context["tables"][0]["rows"][-1][1] == "0.50"


class TestBadWork:
    def test_it_is_paid_and_not_used_after_a_reason_is_given(
        self, project: Project, ada: Worker, admin_client: Client
    ) -> None:
        done = work(project, ada)
        tick(project_id=project.id)
        asked = act(admin_client, "soft", done)
        assert "Pay, but do not use" in asked.text and 'name="sent"' in asked.text
        assert Assignment.objects.get(id=done.id).acceptance == ""
        answered = act(admin_client, "soft", done, sent="yes", reason="one button")
        assert "nothing had followed" in answered.text
        done.refresh_from_db()
        assert (done.acceptance, done.acceptance_reason) == ("refused", "one button")
        assert account_of(ada.id, project.id).owed == 10
        assert LogEntry.objects.get().change_message == "Pay, but do not use: one button"

    @pytest.mark.parametrize("action", ["soft", "refuse", "restore"])
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
        assert "0.04 refused" in act(admin_client, "refuse", done, sent="yes", reason="empty", cents=4).text
        assert account_of(ada.id, project.id).owed == 6
        assert "0.04 are owed again" in act(admin_client, "restore", done, sent="yes", reason="my mistake").text
        assert account_of(ada.id, project.id).owed == 10

    def test_what_cannot_be_done_to_one_is_said_and_does_not_stop_the_others(
        self, project: Project, ada: Worker, admin_client: Client
    ) -> None:
        done, held = work(project, ada), lease(project, ada, ASK, size=1)
        assert held is not None
        page = act(admin_client, "refuse", Assignment.objects.get(id=held.id), done, sent="yes", reason="empty").text
        assert "The assignment is active" in page and "0.10 refused" in page

    def test_assignments_of_somebody_else_are_not_touched(
        self, project: Project, ada: Worker, admin_client: Client
    ) -> None:
        of_bob = work(project, worker(project, "bob"))
        address = reverse("campaign:assignments", args=[project.name, ada.pk])
        admin_client.post(address, {"act": "soft", "row": [of_bob.pk], "sent": "yes", "reason": "one button"})
        of_bob.refresh_from_db()
        assert of_bob.acceptance == ""

    def test_reviewers_do_not_touch_pay(self, project: Project, ada: Worker, client: Client) -> None:
        done = work(project, ada)
        sign_in(client, project, Role.REVIEWER)
        assert act(client, "refuse", done, sent="yes", reason="one button").status_code == 403
        assert not LedgerEntry.objects.exists()

    @pytest.mark.parametrize("sent", [{}, {"act": "soft"}, {"row": ["1"]}, {"act": "burn", "row": ["1", "9" * 40]}])
    def test_a_choice_of_nothing_says_what_to_choose(
        self, project: Project, ada: Worker, admin_client: Client, sent: dict[str, Any]
    ) -> None:
        address = reverse("campaign:assignments", args=[project.name, ada.pk])
        assert "Choose assignments, and what to do about them." in admin_client.post(address, sent, follow=True).text
