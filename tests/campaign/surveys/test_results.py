"""Results of a survey: shares, disputed items and words, and the file of votes."""

import json
from collections import defaultdict
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client

from annotation.models import Project
from exchange.jsonl.write import pseudonym
from members.models import Role
from pipeline.record.fold_judgments import fold_judgments
from pipeline.rules.tasks.task import Task
from tests.support.api import ApiWorker
from tests.support.members import sign_in
from tests.support.projects import worker
from tests.support.surveys import ATOM, CHECK, atom, foil, survey
from workers.models import Worker

pytestmark = pytest.mark.django_db
RIGHT, WRONG = {"verdict": "correct"}, {"verdict": "wrong", "word": 1, "right": "boy"}


def vote(project: Project, client: Client, name: str, task: Task, **answers: Any) -> None:
    """Let a worker answer each question by the first of these words that it shows."""
    api = ApiWorker(client, worker(project, name, task), project=project.name)
    work = api.ask(task)
    said = [one["survey"].get("caption") or one["survey"]["atom"] for one in work["questions"]]
    api.submit(work, *[next(answers[word] for word in answers if word in text.split()) for text in said])
    fold_judgments(project_id=project.pk)


@pytest.fixture
def checked(tmp_path: Path, client: Client) -> Project:
    """Two pictures with a correct caption ("man") and a foil ("dog") each; three of six workers answer each caption.

    Ada and Bob call every caption correct; the others are always right.
    """
    project = survey(tmp_path, [foil(0), foil(1)])
    for name in ("ada", "bob"):
        vote(project, client, name, CHECK, man=RIGHT, dog=RIGHT)
    for name in ("cyd", "dan", "eve", "fay"):
        vote(project, client, name, CHECK, man=RIGHT, dog=WRONG)
    sign_in(client, project, Role.REQUESTER)
    return project


def votes(client: Client, project: Project) -> list[dict[str, Any]]:
    found: Any = client.get(f"/projects/{project.name}/results/votes.jsonl")
    return [json.loads(line) for line in b"".join(found).splitlines()]


def words(client: Client, address: str) -> str:
    return " ".join(client.get(address).text.split())


def rows_of(client: Client, project: Project, chart: str) -> dict[str, list[str]]:
    lines = client.get(f"/projects/{project.name}/results/{chart}.csv").getvalue().decode().splitlines()
    return {line.split(",")[0]: line.split(",")[1:] for line in lines[1:]}


def test_shares_and_histogram_are_those_of_the_votes(checked: Project, client: Client) -> None:
    said: dict[str, list[bool]] = defaultdict(list)
    for one in votes(client, checked):
        said[one["item"]].append((one["answer"] == "wrong") == one["item"].endswith(":foil"))
    right = {item: sum(some) for item, some in said.items()}
    assert sorted(map(len, said.values())) == [3] * 4 and min(right.values()) < 3
    foils = [number for item, number in right.items() if item.endswith(":foil")]
    majority, unanimous = (sum(number >= least for number in foils) / 2 for least in (2, 3))
    table = rows_of(client, checked, "agreement")
    assert table["correct captions"] == ["2", "1.0", "1.0"]
    assert table["foils"] == ["2", str(majority), str(unanimous)]
    assert table["overall"] == ["4", str((1 + majority) / 2), str((1 + unanimous) / 2)]
    bars = rows_of(client, checked, "votes")
    assert {int(number): int(counts[1]) for number, counts in bars.items()} == {n: foils.count(n) for n in range(4)}


def test_disputed_captions_are_listed_with_pseudonyms_and_no_names(checked: Project, client: Client) -> None:
    page = words(client, f"/projects/{checked.name}/results/")
    listed = page.split('id="listed-title"')[1]
    assert "past" in listed and '<mark title="the exchanged word">dog</mark>' in listed
    assert "<mark" not in listed.replace('<mark title="the exchanged word">dog</mark>', "")
    assert "wrong: “dog”, rather “boy”" in listed and '<span class="wrong">correct</span>' in listed
    named = {pseudonym(checked.pk, one.pk) for one in Worker.objects.all()}
    assert any(name in listed for name in named)
    assert not any(f">{name}<" in page for name in ("ada", "bob", "cyd"))


def test_the_downloaded_votes_are_the_bytes_of_survey_export(checked: Project, client: Client, tmp_path: Path) -> None:
    written = tmp_path / "votes.jsonl"
    call_command("survey_export", checked.name, out=written, stdout=StringIO())
    found: Any = client.get(f"/projects/{checked.name}/results/votes.jsonl")
    assert b"".join(found) == written.read_bytes() and written.stat().st_size
    assert found["Content-Disposition"] == f'attachment; filename="{checked.name}-votes.jsonl"'


def test_open_questions_count_the_votes_that_they_still_need(tmp_path: Path, client: Client) -> None:
    project = survey(tmp_path, [foil(0), foil(1)])
    vote(project, client, "ada", CHECK, man=RIGHT, dog=WRONG)
    sign_in(client, project, Role.REQUESTER)
    live = client.get(f"/projects/{project.name}/results/live/").json()["texts"]
    assert (live["tile.decided"], live["tile.open"], live["tile.votes"]) == ("0.0%", "4", "2")
    page = words(client, f"/projects/{project.name}/results/")
    assert "they need 10 votes more" in page and "No question is decided yet." in page


def test_the_share_of_visual_words_is_told_by_category(tmp_path: Path, client: Client) -> None:
    project = survey(tmp_path, [atom("dog"), atom("man"), atom("idea"), atom("be", "action")], ATOM)
    for name, idea in (("ada", "yes"), ("bob", "no"), ("cyd", "no")):
        vote(project, client, name, ATOM, dog="yes", man="yes", idea=idea, be="no")
    sign_in(client, project, Role.REQUESTER)
    assert rows_of(client, project, "visual") == {
        "entity": [str(2 / 3), "3", "3", str(2 / 3)],
        "action": ["0.0", "1", "1", "1.0"],
        "all": ["0.5", "4", "4", "0.75"],
    }
    page = words(client, f"/projects/{project.name}/results/?kind=action").split('id="listed-title"')[1]
    assert "<b>be</b>" in page and "<b>dog</b>" not in page and "not visual" in page


def test_a_reviewer_reads_results_without_money_and_a_viewer_reads_neither(checked: Project, client: Client) -> None:
    sign_in(client, checked, Role.REVIEWER, "rev")
    page = words(client, f"/projects/{checked.name}/results/")
    assert "Judged right" in page and "Spend cap" not in page and "Needs you today" not in page
    sign_in(client, checked, Role.VIEWER, "vic")
    for address in ("results/", "results/votes.jsonl", "results/agreement.csv", "results/live/"):
        assert client.get(f"/projects/{checked.name}/{address}").status_code == 403
