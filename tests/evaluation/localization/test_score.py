"""Scores of predictions."""

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from evaluation.localization.queries import queries_of
from evaluation.reading.entities import read_entities

Run = Callable[..., dict[str, Any]]
Lines = Callable[..., Path]
MAN, HAT, DOG, CAT = [10, 10, 50, 100], [20, 10, 40, 30], [60, 60, 100, 100], [0, 0, 20, 40]
SCORE = ("localization", "score", "--draws", "20", "--data")


def line(image: str, caption: int, phrase: int, *boxes: list[int]) -> dict[str, Any]:
    return {"image": image, "caption": caption, "phrase": phrase, "boxes": boxes}


FILE = (
    line("man", 0, 0, MAN),
    line("man", 0, 1, MAN, HAT),
    line("man", 0, 2),
    line("man", 1, 0, MAN),
    line("man", 1, 2, MAN),
    line("cat", 0, 0, CAT),
)


def test_misses_are_counted_and_said_and_unboxed_phrases_are_ignored(
    run: Run, export: Path, lines: Lines, tmp_path: Path
) -> None:
    figures = run(*SCORE, export, "--predictions", lines(*FILE))["figures"]
    assert (figures["R@1"], figures["R@5"]) == (40, 60)
    assert (figures["missing"], figures["empty"], figures["unboxed"]) == (1, 1, 2)
    assert (figures["R@1.people"], figures["R@1.clothing"], figures["R@1.animals"]) == (50, 0, 50)
    assert figures["errors.confused"] == 20
    page = (tmp_path / "report" / "report.md").read_text()
    assert "1 phrases have no line in the file and 1 an empty list: they count as misses." in page
    assert "2 lines are about phrases without a gold box: they are ignored." in page


def test_every_phrase_is_listed_with_gold_first_box_and_overlap(
    run: Run, export: Path, lines: Lines, tmp_path: Path
) -> None:
    run(*SCORE, export, "--predictions", lines(*FILE))
    with (tmp_path / "report" / "phrases.csv").open() as file:
        rows = {row["words"]: row for row in csv.DictReader(file)}
    hat = rows["a red hat"]
    assert (hat["class"], hat["rank"], hat["gold x0"], hat["x1"]) == ("confused", "2", "20", "50.0")
    assert float(hat["overlap"]) == 400 / 3600
    assert (rows["a dog"]["x0"], rows["a dog"]["rank"]) == ("", "")


def test_suppression_drops_near_doubles_before_ranks_are_counted(run: Run, export: Path, lines: Lines) -> None:
    doubles = [[10, 10, 50, 100 - i] for i in range(5)]
    path = lines(line("man", 0, 1, *doubles, HAT))
    assert run(*SCORE, export, "--predictions", path)["figures"]["R@5"] == 0
    assert run(*SCORE, export, "--predictions", path, "--nms", "0.5")["figures"]["R@5"] == 20


def test_all_forms_score_alike(run: Run, export: Path, lines: Lines, tmp_path: Path) -> None:
    plain = run(*SCORE, export, "--predictions", lines(*FILE))["figures"]
    sizes = {"man": (120, 100), "cat": (40, 40)}
    shares = [
        {**row, "boxes": [[x0 / sizes[row["image"]][0], y0 / sizes[row["image"]][1], x1 / sizes[row["image"]][0],
                           y1 / sizes[row["image"]][1]] for x0, y0, x1, y1 in row["boxes"]]}
        for row in FILE
    ]  # fmt: skip
    path = lines(*shares, name="shares.jsonl")
    assert run(*SCORE, export, "--predictions", path, "--boxes", "xyxy-normalised")["figures"] == pytest.approx(plain)
    results = [
        {"image_id": row["image"], "caption": row["caption"], "phrase": row["phrase"], "score": -place,
         "bbox": [x0, y0, x1 - x0, y1 - y0]}
        for row in FILE for place, (x0, y0, x1, y1) in enumerate(row["boxes"])
    ]  # fmt: skip
    coco = tmp_path / "coco.json"
    coco.write_text(json.dumps(results[::-1]))
    found = run(*SCORE, export, "--predictions", coco, "--form", "coco")["figures"]
    # Results hold no empty lists: that phrase is missing instead.
    assert found == {**plain, "missing": 2, "empty": 0}


def test_phrases_are_named_by_words_place_or_number_and_images_as_files_name_them(
    run: Run, export: Path, lines: Lines, tmp_path: Path
) -> None:
    words = [
        {"image": "man.jpg", "caption": 0, "phrase": "a man", "boxes": [MAN], "scores": [0.9]},
        {"image": "man", "caption": 0, "words": [3, 6], "boxes": [MAN, HAT]},
        {"image": "man", "caption": 0, "phrase": "a dog", "boxes": [], "chain": "dog"},
        {"image": "man", "caption": 1, "phrase": "a man", "boxes": [MAN], "chain": 1},
        {"image": "man", "caption": 1, "phrase": "a beach", "boxes": [MAN]},
        {"image": "cat", "caption": 0, "words": [0, 2], "boxes": [CAT]},
        {"image": "elsewhere", "caption": 0, "phrase": "a cow", "boxes": [CAT]},
    ]
    told = run(*SCORE, export, "--predictions", lines(*words))["figures"]
    page = (tmp_path / "report" / "report.md").read_text()
    assert "1 images of the file are not in the data: elsewhere. They are ignored." in page
    numbers = (*FILE[:3], line("man", 1, 1, MAN), *FILE[4:])
    older = run(*SCORE, export, "--predictions", lines(*numbers))["figures"]
    assert told == {**older, "unboxed": 1, "unknown": 1}


def test_a_detectors_results_are_scored_by_the_phrases_that_their_categories_fit(
    run: Run, export: Path, tmp_path: Path
) -> None:
    boxes = [(7, 0, MAN, 0.5), (7, 1, DOG, 0.4), (8, 2, CAT, 0.9), (8, 3, CAT, 0.8)]
    entries = [
        {"image_id": image, "category_id": kind, "bbox": [x0, y0, x1 - x0, y1 - y0], "score": score}
        for image, kind, (x0, y0, x1, y1), score in boxes
    ]
    names = {"images": [{"id": 7, "file_name": "man.jpg"}, {"id": 8, "file_name": "cat.jpg"}]}
    kinds = {"categories": [{"id": i, "name": n} for i, n in enumerate(("person", "dog", "cat", "kite"))]}
    whole, bare, data = (tmp_path / f"{name}.json" for name in ("whole", "bare", "data"))
    whole.write_text(json.dumps({**names, **kinds, "annotations": entries}))
    bare.write_text(json.dumps(entries))
    data.write_text(json.dumps({**names, **kinds, "annotations": []}))
    found = run(*SCORE, export, "--predictions", whole)["figures"]
    assert (found["R@1"], found["missing"]) == (80, 1), "the hat has no box"
    assert "1 boxes have a category that fits no phrase" in (tmp_path / "report" / "report.md").read_text()
    assert run(*SCORE, export, "--predictions", bare, "--names", data)["figures"] == found


def test_two_models_are_compared_on_the_same_resamples(run: Run, export: Path, lines: Lines) -> None:
    ours, theirs = lines(*FILE), lines(line("man", 0, 0, MAN), line("man", 0, 2, DOG), name="other.jsonl")
    figures = run(*SCORE, export, "--predictions", ours, "--against", theirs)["figures"]
    assert (figures["against.R@1"], figures["difference.R@1"]) == (40, 0)
    assert (figures["first_only_ours"], figures["first_only_theirs"]) == (1, 1)
    same = run(*SCORE, export, "--predictions", ours, "--against", ours)["figures"]
    assert (same["difference.R@1.low"], same["difference.R@1.high"], same["difference.R@1.p"]) == (0, 0, 1)


@pytest.mark.slow
def test_real_gold_boxes_by_size_score_as_the_baseline_does(run: Run, entities: Path, lines: Lines) -> None:
    queries = queries_of(read_entities(entities))
    gold: dict[str, list[tuple[float, ...]]] = {}
    for query in queries:
        gold.setdefault(query.image, []).append(query.gold)
    ranked = {
        image: sorted(dict.fromkeys(own), key=lambda box: (box[0] - box[2]) * (box[3] - box[1]))[:10]
        for image, own in gold.items()
    }
    rows = [{**line(*one.key), "boxes": ranked[one.image]} for one in queries]
    figures = run(*SCORE, entities, "--predictions", lines(*rows))["figures"]
    assert figures["R@5"] == pytest.approx(85.42, abs=0.05)
    assert figures["R@10"] == pytest.approx(99.48, abs=0.05)
    assert figures["R@1.low"] < figures["R@1"] < figures["R@1.high"]
    assert figures["missing"] == 0
