"""Sentences of a baseline, scored again from their file; and bad files."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., dict[str, Any]]
GENERATE = ("content_selection", "generate", "--data")
SCORE = ("content_selection", "score", "--data")


@pytest.mark.parametrize("baseline", ["size", "random"])
def test_written_sentences_score_the_same_when_read(run: Run, export: Path, tmp_path: Path, baseline: str) -> None:
    chosen = ("--baseline", baseline, "--k", "2")
    written = run(*GENERATE, export, *chosen, out="written", charts=baseline == "size")["figures"]
    read = run(*SCORE, export, "--predictions", tmp_path / "written" / "sentences.jsonl")["figures"]
    assert {letter: read[letter] for letter in "PRF"} == pytest.approx(written)
    assert read["missing"] == 0
    assert (tmp_path / "written" / "figure_5.svg").exists() == (baseline == "size")


def test_images_without_a_line_score_nothing_and_are_said(
    run: Run, export: Path, lines: Callable[..., Path], tmp_path: Path
) -> None:
    figures = run(*SCORE, export, "--predictions", lines({"image": "cat", "boxes": [9]}))["figures"]
    assert (figures["P"], figures["missing"]) == (0.5, 1)
    assert "1 images have no line in the file" in (tmp_path / "report" / "report.md").read_text()


def test_images_that_the_data_does_not_have_are_left_out_and_counted(
    run: Run, export: Path, lines: Callable[..., Path], refused: Callable[..., str]
) -> None:
    other, own = {"image": "x", "sentence": ""}, {"image": "cat", "boxes": [9]}

    assert run(*SCORE, export, "--predictions", lines(other, own))["figures"]["unknown"] == 1
    assert "names no image of the data, only others: x" in refused(*SCORE, export, "--predictions", lines(other))


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ({"image": "cat", "sentence": "A [dog]9"}, "line 2: the image 'cat' stands twice"),
        ({"image": "man", "sentence": "A [dog]9"}, "line 2: image man has no box '9'"),
        ({"image": "man"}, "line 2: the field 'sentence' is missing"),
        ({"image": "man", "sentence": "A [dog"}, "line 2: a bracket is not closed"),
    ],
)
def test_a_bad_line_is_named(
    export: Path, lines: Callable[..., Path], refused: Callable[..., str], row: Any, told: str
) -> None:
    path = lines({"image": "cat", "sentence": "A [cat]9 ."}, row)
    assert told in refused(*SCORE, export, "--predictions", path)
