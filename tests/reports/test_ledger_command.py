"""manage.py ledger: what is owed, and writing down that it was paid."""

from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from annotation.models import Project
from pipeline.models import LedgerEntry
from pipeline.money.ledger import account_of
from platforms.models import Identity
from tests.support.money import paying, work
from tests.support.projects import worker
from workers.models import Worker

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    project = paying()
    for name in ("ada", "bob"):
        work(project, worker(project, name))
    return project


def run(*arguments: str) -> str:
    out = StringIO()
    call_command("ledger", *arguments, stdout=out)
    return out.getvalue()


def test_it_says_what_everybody_is_owed(project: Project) -> None:
    said = run("small")
    assert ["all", "0.20", "0.00", "0.00", "0.00", "0.20"] in [line.split() for line in said.splitlines()]
    assert "Pay by the hour, in USD" in said


def test_where_nobody_worked_it_says_so() -> None:
    paying()
    assert run("small") == "No worker has submitted anything yet.\n"


def test_a_dry_run_says_what_would_be_paid_and_writes_nothing(project: Project) -> None:
    said = run("small", "--pay-all", "--reference", "May", "--dry-run")
    assert "ada: $0.10 would be paid, reference May/" in said
    assert "2 workers, $0.20 would be paid." in said
    assert LedgerEntry.objects.count() == 0


def test_everybody_is_paid_once_under_a_reference(project: Project) -> None:
    said = run("small", "--pay-all", "--reference", "May", "--by", "treasurer")
    assert "2 workers, $0.20 paid." in said
    assert ["all", "0.20", "0.00", "0.00", "0.20", "0.00"] in [line.split() for line in said.splitlines()]
    assert set(LedgerEntry.objects.values_list("actor", "cents")) == {("treasurer", 10)}
    assert "0 workers, $0.00 paid." in run("small", "--pay-all", "--reference", "May")
    assert account_of(LedgerEntry.objects.earliest("id").worker_id, project.id).owed == 0


@pytest.mark.both_engines
def test_who_came_from_a_platform_is_left_out_and_that_is_said(project: Project) -> None:
    Identity.objects.create(worker=Worker.objects.get(name="bob"), platform="mturk", external_id="A1")
    said = run("small", "--pay-all", "--reference", "May")
    assert "1 worker, $0.10 paid." in said
    assert "Left out: workers from platforms (1), who are owed $0.10" in said
    assert "Left out" not in run("small")


def test_a_file_is_written_and_none_is_overwritten(project: Project, tmp_path: Path) -> None:
    target = tmp_path / "owed.csv"
    run("small", "--csv", str(target))
    before = target.read_text()
    assert before.count("\n") == 3
    with pytest.raises(CommandError, match="not empty"):
        run("small", "--csv", str(target))
    assert target.read_text() == before


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere"], "no project 'nowhere'"),
        (["small", "--pay-all"], "together"),
        (["small", "--reference", "May"], "together"),
        (["small", "--dry-run"], "needs --pay-all"),
        (["small", "--pay-all", "--reference", ""], "1 to 80"),
        (["small", "--pay-all", "--reference", " May"], "without spaces"),
        (["small", "--pay-all", "--reference", "x" * 81], "1 to 80"),
        (["small", "--pay-all", "--reference", "May", "--by", ""], "Give your name"),
        (["small", "--csv", "/no/such/folder/owed.csv"], "does not exist"),
        (["small", "--csv", "/"], "could not be written"),
    ],
)
def test_bad_input_is_refused_in_words_and_writes_nothing(project: Project, arguments: list[Any], message: str) -> None:
    with pytest.raises(CommandError, match=message):
        run(*arguments)
    assert LedgerEntry.objects.count() == 0
