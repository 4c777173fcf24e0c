"""The three tasks: chance, models and people on the same items, and other people's files."""

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any, Literal

import pytest

from evaluation.foil.item import Item

Run = Callable[..., dict[str, Any]]
STEP = ("foil", "score")
PAIRS = (("dog", "cat"), ("cat", "dog"), ("cow", "bear"), ("bear", "cow"))


def item(number: int, part: Literal["train", "test"]) -> Item:
    target, foil = PAIRS[number % 4]
    first, second = (f"A {word} sleeps on the floor ." for word in (target, foil))
    return Item(f"{part}{number}#0", f"{part}{number}", first, second, 1, target, foil, "animal", part)


ITEMS = [item(number, part) for part in ("train", "test") for number in range(8)]


@pytest.fixture
def items(lines: Callable[..., Path]) -> Path:
    return lines(*map(asdict, ITEMS), name="items.jsonl")


def test_chance_stands_beside_models_and_the_paper(run: Run, items: Path, tmp_path: Path) -> None:
    report = run(*STEP, "--items", items)
    figures = report["figures"]
    assert report["n"] == 8
    assert figures["chance.t2.nouns"] == pytest.approx(50)
    assert figures["chance.t2.words"] == pytest.approx(100 / 3)
    assert figures["chance.t3"] == pytest.approx(100 / 72)
    classes = figures["blind.t1.correct"], figures["blind.t1.foil"]
    assert figures["blind.t1.overall"] == pytest.approx(sum(classes) / 2)
    page = (tmp_path / "report" / "report.md").read_text()
    assert "human_majority (paper)" in page
    assert "IC-Wang: not reproduced: needs predictions" in page


def test_boxes_tell_find_and_mend_every_foil(run: Run, items: Path, lines: Callable[..., Path]) -> None:
    rows = [{"image": one.image, "categories": [one.target, "person"]} for one in ITEMS]
    figures = run(*STEP, "--items", items, "--detections", lines(*rows, name="detections.jsonl"))["figures"]
    for name in ("t1.overall", "t1.correct", "t1.foil", "t1.overall.animal", "t2.nouns", "t2.words", "t3"):
        assert figures[f"box_aware.detections.{name}"] == 100


def test_predictions_are_scored_and_missing_ones_are_wrong(run: Run, items: Path, lines: Callable[..., Path]) -> None:
    rows = [
        {"item": "test0#0:correct", "answer": "correct"},
        {"item": "test0#0:foil", "answer": "foil", "place": 1, "word": "dog"},
        {"item": "test1#0:foil", "answer": "correct", "place": 1, "word": "cow"},
    ]
    figures = run(*STEP, "--items", items, "--predictions", lines(*rows), "--name", "mine")["figures"]
    found = {name: figures[f"mine.{name}"] for name in ("t1.overall", "t1.correct", "t1.foil", "t2.words", "t3")}
    assert found == {"t1.overall": 12.5, "t1.correct": 12.5, "t1.foil": 12.5, "t2.words": 25, "t3": 12.5}
    assert figures["missing"] == 13


def test_people_stand_in_the_same_report(run: Run, items: Path, lines: Callable[..., Path]) -> None:
    rows = [
        {"item": f"test{i}#0:{version}", "worker": "a", "answer": answer, "right": version, "word": "cat"}
        for i, version, answer in ((0, "correct", "correct"), (0, "foil", "foil"), (1, "foil", "correct"))
    ]
    figures = run(*STEP, "--items", items, "--votes", lines(*rows, name="votes.jsonl"), "--least", "1")["figures"]
    assert figures["human_majority.t1.overall"] == 75
    assert figures["human_majority.t2.all"] == 50


@pytest.mark.parametrize(
    ("option", "row", "told"),
    [
        ("predictions", {"item": "train0#0:foil", "answer": "foil"}, "the part 'test' have no caption 'train0#0:foil'"),
        (
            "votes",
            {"item": "train0#0:foil", "worker": "a", "answer": "foil", "right": "foil"},
            "votes on 'train0#0:foil', which is not a caption of the items",
        ),
        (
            "detections",
            {"image": "train0", "categories": []},
            "does not list the image 'test0' of the items (8 are missing)",
        ),
    ],
)
def test_files_of_another_split_are_refused(
    items: Path, lines: Callable[..., Path], refused: Callable[..., str], option: str, row: Any, told: str
) -> None:
    assert told in refused(*STEP, "--items", items, f"--{option}", lines(row, name="given.jsonl"), "--least", "1")


def test_a_part_without_items_is_refused(lines: Callable[..., Path], refused: Callable[..., str]) -> None:
    told = refused(*STEP, "--items", lines(asdict(ITEMS[0]), name="items.jsonl"))
    assert "items.jsonl has no items of the part 'test': choose another one as --part" in told
