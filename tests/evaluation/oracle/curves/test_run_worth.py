"""A system's scores are told in atoms, by the curves of a report."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., dict[str, Any]]


def test_scores_are_worth_the_atoms_of_the_curves(run: Run, tmp_path: Path, lines: Callable[..., Path]) -> None:
    curve = {"CIDEr.NA": 0.1, "CIDEr.ALL:10": 0.3, "CIDEr.ALL:50": 0.4, "CIDEr.ALL:50@0.7": 0.2, "perplexity.NA": 40}
    curves = lines(json.dumps({"figures": curve}), name="curves.json")
    score = lines(json.dumps({"figures": {"CIDEr": 0.35, "METEOR": 0.2}}), name="score.json")
    figures = run("oracle", "worth", "--curves", curves, "--result", score)["figures"]
    assert figures == {"CIDEr": 0.35, "CIDEr.ALL": pytest.approx(30)}
    best = lines(json.dumps({"figures": {"CIDEr": 0.5}}), name="best.json")
    assert run("oracle", "worth", "--curves", curves, "--result", best, out="best")["figures"] == {"CIDEr": 0.5}
    assert "| more than 50 |" in (tmp_path / "best/report.md").read_text()


def test_reports_without_curves_or_scores_are_refused(lines: Callable[..., Path], refused: Callable[..., str]) -> None:
    curves = lines(json.dumps({"figures": {"CIDEr.ALL:50": 0.4}}), name="curves.json")
    score = lines(json.dumps({"figures": {"CIDEr": 0.35}}), name="score.json")
    other = lines(json.dumps({"figures": {"recall.all": 0.4}}), name="other.json")
    for first, second, told in (
        (score, score, "score.json holds no curves"),
        (curves, other, "other.json has no figure"),
        (other, score, "other.json holds no curves"),
    ):
        assert told in refused("oracle", "worth", "--curves", first, "--result", second)
