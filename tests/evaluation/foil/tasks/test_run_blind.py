"""A model without the image: chance on items drawn by frequency, well above on uniform ones."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from evaluation.foil.item import Item
from evaluation.foil.tasks.run_blind import GROUPS, folds_of

Run = Callable[..., dict[str, Any]]
WORDS = ("dog", "cat", "cow", "bear")
ITEMS = [
    Item(f"{i}#0", f"image{i % 7}", "a x", "a y", 1, target, foil, "animal", "train")
    for i, (target, foil) in enumerate([(a, b) for a in WORDS for b in WORDS if a != b] * 4)
]


@pytest.mark.slow
def test_on_real_captions_frequency_leaves_the_blind_model_at_chance_and_uniform_does_not(
    run: Run, data_folder: Path, tmp_path: Path
) -> None:
    captions = data_folder / "captions" / "flickr30k-train.token.gz"
    for sampling in ("frequency", "uniform"):
        given = ("--captions", captions, "--images", "600", "--sampling", sampling)
        run("foil", "generate", *given, out=sampling)
    frequency, uniform = (tmp_path / sampling / "items.jsonl" for sampling in ("frequency", "uniform"))
    sets = ("--items", frequency, "--against", uniform, "--folds", "3")
    figures = run("foil", "blind", *sets, charts=True)["figures"]
    assert (tmp_path / "report" / "blind.svg").exists()
    assert figures["pair.overall"] <= 55
    assert figures["difference.pair"] >= 10
    assert figures["against.image.overall"] > figures["against.pair.overall"]
    for name in ("pair", "unordered_pair", "image", "against.pair"):
        classes = figures[f"{name}.correct"], figures[f"{name}.foil"]
        assert figures[f"{name}.overall"] == pytest.approx(sum(classes) / 2)


def test_too_few_items_for_folds_are_refused(
    run: Run, dogs_and_cats: Path, tmp_path: Path, refused: Callable[..., str]
) -> None:
    run("foil", "generate", "--captions", dogs_and_cats)
    items = tmp_path / "report" / "items.jsonl"
    rows = [line for line in items.read_text().splitlines() if json.loads(line)["target"] == "dog"]
    items.write_text(rows[0] + "\n")
    step = ("foil", "blind", "--items", items)
    assert "too few groups by ordered pair for 5 folds" in refused(*step)
    assert "--folds is 1: give a whole number from 2" in refused(*step, "--folds", "1")


@pytest.mark.parametrize("group", GROUPS)
def test_items_of_a_group_are_in_one_fold(group: str) -> None:
    folds = folds_of(ITEMS, group, 3, np.random.default_rng(0))
    assert set(folds.tolist()) == {0, 1, 2}
    for item, fold in zip(ITEMS, folds, strict=True):
        same = [GROUPS[group](other) == GROUPS[group](item) for other in ITEMS]
        assert set(folds[same].tolist()) == {fold}


def test_a_pair_and_its_reverse_are_one_unordered_pair() -> None:
    names = {GROUPS["unordered_pair"](item) for item in ITEMS}
    assert len(names) == 6
    assert len({GROUPS["pair"](item) for item in ITEMS}) == 12
