"""Boxes by size on real data: the counts and recalls that others hold theirs against."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from evaluation.localization.baselines import boxes_by_size, extent
from evaluation.reading.entities import TYPES, read_entities

Run = Callable[..., dict[str, Any]]
COUNTS = dict(zip(TYPES, (2840, 1127, 262, 304, 174, 58, 803, 1745), strict=True))


@pytest.mark.slow
def test_real_figures(run: Run, entities: Path) -> None:
    figures = run("localization", "baselines", "--data", entities)["figures"]
    assert figures["queries"] == 7292
    assert {kind: figures[f"queries.{kind}"] for kind in COUNTS} == COUNTS
    expected = {"extent.R@1": 24.59, "largest.R@1": 32.97, "by_size.R@5": 85.42, "by_size.R@10": 99.48}
    expected["extent.confused"] = 51.97
    assert {name: figures[name] for name in expected} == pytest.approx(expected, abs=0.006)
    # Counting the last pixel of each box changes little.
    for name in ("largest.R@1", "by_size.R@5", "by_size.R@10"):
        assert figures[f"pixels.{name}"] == pytest.approx(figures[name], abs=0.05)


def test_boxes_come_by_size_and_equal_ones_once(export: Path) -> None:
    _, man = read_entities(export)
    assert boxes_by_size(man)[:, 0].tolist() == [10, 60, 20]
    man.gold["5"] = man.gold["2"]
    assert len(boxes_by_size(man)) == 3


def test_the_box_around_all_begins_at_the_corner_of_the_picture(export: Path) -> None:
    _, man = read_entities(export)
    assert extent(man) == (0, 0, 100, 100)


def test_an_export_without_boxes_is_refused(export: Path, refused: Callable[..., str]) -> None:
    for file in (export / "Sentences").iterdir():
        file.write_text("Nothing here .\n")
    assert "no phrase has a box" in refused("localization", "baselines", "--data", export)
