"""Files of proposals: bad lines are named, scores give the order, and what a step writes can be read again."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from evaluation.command_line import main
from tests.support.localization_export import boxes_of, write_export

COUNT = 24
GOLD = {f"image{number:03d}": np.array([*boxes_of(number).values()], float) for number in range(COUNT)}


@pytest.fixture(scope="module")
def export(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_export(tmp_path_factory.mktemp("plain") / "export", COUNT)


def run(data: Path, out: Path, *more: object) -> dict[str, float]:
    arguments = ["localization", "proposals", "--data", data, "--out", out, "--no-charts", *more]
    assert main([str(each) for each in arguments]) == 0
    figures: dict[str, float] = json.loads((out / "report.json").read_text())["figures"]
    return figures


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("{", "line 1 is no JSON"),
        ('{"image": "other", "boxes": []}', "line 1: image 'other' is not in the export"),
        ('{"image": "image000", "boxes": [[0, 0, 1]]}', "must be a list of [x0, y0, x1, y1]"),
        ('{"image": "image000", "boxes": [[0, 0, NaN, 5]]}', "line 1: NaN is not a number"),
        ('{"image": "image000", "boxes": [[0, 0, 201, 5]]}', "is not inside 200 x 100 pixels"),
        ('{"image": "image000", "boxes": [[0, 0, 9, 5]], "scores": [1, 2]}', "one finite number for each of 1 boxes"),
        ('{"image": "image000", "boxes": []}\n{"image": "image000", "boxes": []}', "line 2: image image000 has"),
        ('{"image": "image000", "boxes": []}', "no proposals for image image001 (23 images have none)"),
    ],
)
def test_bad_lines_of_proposals_are_named(
    export: Path, tmp_path: Path, refused: Callable[..., str], line: str, sentence: str
) -> None:
    file = tmp_path / "proposals.jsonl"
    file.write_text(line + "\n")
    assert sentence in refused("localization", "proposals", "--data", export, "--proposals", file)


def test_proposals_of_a_file_are_ranked_by_score_and_cut(export: Path, tmp_path: Path) -> None:
    lines = [
        {"image": name, "boxes": [[0, 0, 5, 5], *own.tolist()], "scores": [5, 1, 2, 3, 4]} for name, own in GOLD.items()
    ]
    (tmp_path / "p.jsonl").write_text("\n".join(json.dumps(line) for line in lines) + "\n")
    more = ["--proposals", tmp_path / "p.jsonl"]
    assert run(export, tmp_path / "out", *more)["R@200"] == 100
    two = run(export, tmp_path / "out", *more, "--most", 2)
    # A tiny box and the sky are left: only skies are found.
    assert (two["R@2"], two["bound.scene"], two["bound.people"]) == (25, 100, 0)
    again = run(export, tmp_path / "next", "--proposals", tmp_path / "out/proposals.jsonl")
    assert again["R@200"] == 25
