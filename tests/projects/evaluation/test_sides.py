"""Comparisons within a project: its outcome, its right answers, programs and workers against each other."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from annotation.models import Project
from pipeline.protocol.tasks.task import Task
from pipeline.settings.of_belief import LinkStrategy
from pipeline.settings.settings import Settings
from projects.models import ModelPrediction, Run
from tests.projects.forecast.conftest import image
from tests.support.projects import answer, project_of, worker
from tests.support.table import row
from workers.models import Worker

ADDRESS = "/projects/ours/evaluate/"


@pytest.fixture
def project(db: None) -> Project:
    """Two images with known answers; Ada links the man with the tall man, Bob does not, and a program does in one."""
    asking = Settings(strategy=LinkStrategy.ADAPTIVE, link_stop=0.001)  # which asks several people about a link
    made = project_of(image("one"), image("two"), name="ours", gold=True, settings=asking)
    for name, said in (("ada", "same"), ("bob", "different")):
        who = worker(made, name)
        for _ in range(2):
            answer(made, who, Task.COREFERENCE_LINK, said)
    finder = Worker.objects.create(name="finder", kind=Worker.Kind.PROGRAM)
    one, two = made.images.order_by("position")
    for pictured, chains in ((one, [[0, 1]]), (two, [[0], [2]])):
        ModelPrediction.objects.create(project=made, program=finder, image=pictured, chains=chains, due=False)
    return made


def compared(requester: Client, scored: str, right: str) -> Run:
    given = {"step": "coreference score", "scored": scored, "right": right, "unfinished": "on"}
    answer = requester.post(ADDRESS, given)
    assert answer.status_code == 302, answer.text
    return Run.objects.latest("pk")


def figures(requester: Client, row: Run) -> dict[str, float]:
    assert row.state == "done", row.problem
    found: dict[str, float] = json.loads(requester.get(f"{ADDRESS}{row.pk}/files/report.json").content)["figures"]
    return found


@pytest.mark.both_engines
@row("worker ada", "gold", 100, "links of ada against the right answers")
@row("worker bob", "gold", 0, "links of bob against the right answers")
@row("worker bob", "worker ada", 0, "links of bob against links of ada")
@row("program finder", "gold", 50, "chains of finder against the right answers")
@row("program finder", "worker ada", 50, "chains of finder against links of ada")
def test_two_sides_are_compared_by_the_metrics_of_coreference(
    scored: str, right: str, muc: float, name: str, requester: Client, at_once: None
) -> None:
    row = compared(requester, scored, right)
    found = figures(requester, row)
    assert found["images"] == 2 and found.get("MUC.R", 0) == muc
    assert row.input["name"] == name and name in requester.get(ADDRESS).text
    assert "CoNLL" in requester.get(f"{ADDRESS}{row.pk}/").text


def test_the_outcome_is_compared_with_what_a_worker_answered(requester: Client, project: Project, at_once: None):
    row = compared(requester, "worker ada", "outcome")
    assert figures(requester, row)["images"] == 2 and row.input["options"] == {
        "scored": "worker ada",
        "right": "outcome",
    }


def test_the_page_offers_what_the_project_has_and_asks_for_two_sides(requester: Client, project: Project) -> None:
    with CaptureQueriesContext(connection) as asked:
        page = requester.get(ADDRESS).text
    assert len(asked) <= 20
    for words in ("The outcome", "The known right answers", "Chains that a program predicted", "finder", "ada", "bob"):
        assert words in page
    given = {"step": "coreference score", "scored": "worker ada", "right": "worker ada"}
    assert b"Choose another one" in requester.post(ADDRESS, given).content
    assert requester.post(ADDRESS, {**given, "scored": "worker eve"}).status_code == 400
    assert b"Choose one." in requester.post(ADDRESS, {"step": "coreference score"}).content
    project.images.get(name="one").gold.delete()
    project.images.get(name="two").gold.delete()
    assert "The known right answers" not in requester.get(ADDRESS).text


def report(out: Path, *words: str, **options: Any) -> dict[str, Any]:
    call_command("evaluate", "ours", *words, unfinished=True, out=out, **options)
    found: dict[str, Any] = json.loads((out / "report.json").read_text())
    return found


@pytest.mark.slow
def test_the_command_scores_the_outcome_by_chains_and_boxes(project: Project, tmp_path: Path) -> None:
    found = report(tmp_path / "chains", "coreference", "score", scored="worker ada")
    assert found["figures"]["MUC.R"] == 100
    found = report(tmp_path / "outcome", "coreference", "score")
    assert found["figures"]["images"] == 2
    found = report(tmp_path / "boxes", "localization", "score", scored="outcome")
    assert found["n"] == 6 and found["figures"]["R@1"] == 0, "nobody has drawn a box"


@row(("coreference", "score", "--scored", "nobody"), "is no side: give outcome")
@row(("coreference", "score", "--scored", "gold ada"), "is no side")
@row(("coreference", "score", "--scored", "worker eve"), "'eve' has answered no question about links")
@row(("coreference", "score", "--scored", "program ada"), "'ada' has predicted no chains")
@row(("localization", "score", "--scored", "gold"), "compares --scored outcome with gold")
@row(("localization", "baselines", "--right", "gold"), "compares no sides")
def test_the_command_names_a_side_that_there_is_not(words: tuple[str, ...], said: str, project: Project) -> None:
    with pytest.raises(CommandError, match=said):
        call_command("evaluate", "ours", *words)
