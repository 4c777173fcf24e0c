"""Pay by the hour, the table of owed pay, and the command `ledger`."""

import csv
from datetime import timedelta
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from annotation.models import Project
from pipeline.asking.receipt import GivenAnswer
from pipeline.asking.submit_assignment import submit_assignment
from pipeline.models import Assignment, Judgment, LedgerEntry
from pipeline.money.ledger import Pay, account_of, hourly_pay
from pipeline.money.pay_worker import pay_worker
from platforms.models import Identity
from platforms.settling.worker_money import FIELDS, money_of, money_text, write_money
from tests.support.money import ASK, paying, work
from tests.support.projects import lease, worker
from tests.support.table import row
from workers.models import Worker

pytestmark = pytest.mark.django_db
NOW = timezone.now()
MINUTE = timedelta(minutes=1)


@pytest.fixture
def project() -> Project:
    return paying()


def took(project: Project, who: Worker, minutes: float, seconds: float | None = None, questions: int = 2) -> Assignment:
    """Work that was handed in so long after it was given out; `seconds`: of each answer."""
    assignment = lease(project, who, ASK, size=questions, now=NOW)
    given = [GivenAnswer(3, seconds)] * questions
    submit_assignment(assignment_id=assignment.id, worker_id=who.id, answers=given, now=NOW + minutes * MINUTE)
    return assignment


class TestPayByTheHour:
    def test_it_is_what_was_earned_by_time_held_and_by_time_measured(self, project: Project, ada: Worker) -> None:
        took(project, ada, 2, seconds=15.0)
        took(project, ada, 4, seconds=15.0)
        assert hourly_pay(project.id) == {(ada.id, ASK.value): Pay(2, 20, 360, 60)}
        pay = hourly_pay(project.id)[ada.id, ASK.value]
        assert (pay.by_hour, pay.by_answering_hour) == (200, 1200)

    def test_a_page_that_was_forgotten_counts_with_its_lease_and_one_taken_up_again_with_the_longest_there_is(
        self, project: Project, ada: Worker
    ) -> None:
        held = took(project, ada, 600)
        assert hourly_pay(project.id)[ada.id, ASK.value].seconds == 30 * 60
        times = {"expires_at": NOW + 1000 * MINUTE, "ended_at": NOW + 990 * MINUTE}
        Assignment.objects.filter(id=held.id).update(**times)
        assert hourly_pay(project.id)[ada.id, ASK.value].seconds == 120 * 60

    def test_where_no_time_is_known_there_is_no_rate(self, project: Project, ada: Worker) -> None:
        took(project, ada, 0)
        pay = hourly_pay(project.id)[ada.id, ASK.value]
        assert (pay.by_hour, pay.by_answering_hour, pay.earned_cents) == (None, None, 10)

    def test_what_is_still_held_and_other_workers_or_projects_are_left_out(self, project: Project, ada: Worker) -> None:
        bob = worker(project, "bob")
        took(project, ada, 1)
        took(project, bob, 1)
        lease(project, ada, ASK, size=1)
        assert list(hourly_pay(project.id, [bob.id])) == [(bob.id, ASK.value)]
        assert hourly_pay(project.id)[ada.id, ASK.value].assignments == 1
        assert Judgment.objects.count() == 4


class TestTheTable:
    def test_it_has_everybody_who_worked_by_name(self, project: Project, ada: Worker) -> None:
        took(project, worker(project, "zoe"), 6, questions=1)
        took(project, ada, 3, seconds=30.0)
        pay_worker(worker_id=ada.id, project_id=project.id, cents=4, reference="May", actor="requester")
        rows = money_of(project.id)
        found = [(row.worker.name, row.account.owed, row.all_pay.by_hour) for row in rows]
        assert found == [("ada", 6, 200), ("zoe", 5, 50)]
        text = money_text(rows, sum((row.account for row in rows), start=rows[0].account), "USD")
        assert "ada       0.10   0.00     0.00  0.04  0.06" in text
        assert "ada, box requirement" in text and "6.00" in text

    def test_a_name_can_not_become_a_formula_in_the_file(self, project: Project, tmp_path: Path) -> None:
        work(project, worker(project, "=1+1"))
        write_money(money_of(project.id), tmp_path / "owed.csv")
        with (tmp_path / "owed.csv").open(newline="") as file:
            header, line = csv.reader(file)
        assert header == list(FIELDS)
        assert line[:8] == ["'=1+1", "person", "USD", "10", "0", "0", "0", "10"]


@pytest.fixture
def owing() -> Project:
    project = paying()
    for name in ("ada", "bob"):
        work(project, worker(project, name))
    return project


def run(*arguments: str) -> str:
    out = StringIO()
    call_command("ledger", *arguments, stdout=out)
    return out.getvalue()


def test_it_says_what_everybody_is_owed_or_that_nobody_worked() -> None:
    project = paying()
    assert run("small") == "No worker has submitted anything yet.\n"
    for name in ("ada", "bob"):
        work(project, worker(project, name))
    said = run("small")
    assert ["all", "0.20", "0.00", "0.00", "0.00", "0.20"] in [line.split() for line in said.splitlines()]
    assert "Pay by the hour, in USD" in said


def test_a_dry_run_says_what_would_be_paid_and_everybody_is_paid_once_under_a_reference(owing: Project) -> None:
    said = run("small", "--pay-all", "--reference", "May", "--dry-run")
    assert "ada: $0.10 would be paid, reference May/" in said and "2 workers, $0.20 would be paid." in said
    assert LedgerEntry.objects.count() == 0
    said = run("small", "--pay-all", "--reference", "May", "--by", "treasurer")
    assert "2 workers, $0.20 paid." in said
    assert ["all", "0.20", "0.00", "0.00", "0.20", "0.00"] in [line.split() for line in said.splitlines()]
    assert set(LedgerEntry.objects.values_list("actor", "cents")) == {("treasurer", 10)}
    assert "0 workers, $0.00 paid." in run("small", "--pay-all", "--reference", "May")
    assert account_of(LedgerEntry.objects.earliest("id").worker_id, owing.id).owed == 0


@pytest.mark.both_engines
def test_who_came_from_a_platform_is_left_out_and_that_is_said(owing: Project) -> None:
    Identity.objects.create(worker=Worker.objects.get(name="bob"), platform="mturk", external_id="A1")
    said = run("small", "--pay-all", "--reference", "May")
    assert "1 worker, $0.10 paid." in said
    assert "Left out: workers from platforms (1), who are owed $0.10" in said
    assert "Left out" not in run("small")


def test_a_file_is_written_and_none_is_overwritten(owing: Project, tmp_path: Path) -> None:
    target = tmp_path / "owed.csv"
    run("small", "--csv", str(target))
    before = target.read_text()
    assert before.count("\n") == 3
    with pytest.raises(CommandError, match="not empty"):
        run("small", "--csv", str(target))
    assert target.read_text() == before


@row(["nowhere"], "no project 'nowhere'")
@row(["small", "--pay-all"], "together")
@row(["small", "--reference", "May"], "together")
@row(["small", "--dry-run"], "needs --pay-all")
@row(["small", "--pay-all", "--reference", ""], "1 to 80")
@row(["small", "--pay-all", "--reference", " May"], "without spaces")
@row(["small", "--pay-all", "--reference", "x" * 81], "1 to 80")
@row(["small", "--pay-all", "--reference", "May", "--by", ""], "Give your name")
@row(["small", "--csv", "/no/such/folder/owed.csv"], "does not exist")
@row(["small", "--csv", "/"], "could not be written")
def test_bad_input_is_refused_in_words_and_writes_nothing(arguments: list[Any], message: str, owing: Project) -> None:
    with pytest.raises(CommandError, match=message):
        run(*arguments)
    assert LedgerEntry.objects.count() == 0
