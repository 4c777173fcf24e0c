"""Scores of predictions.
Frequent and hard phrases.
Queries of an export.
Bad lines of prediction files: each is named with its number, and no report is written.
Ranks of first hits over all queries at once.
The causes of wrong boxes.
Boxes by size on real data: the counts and recalls that others hold theirs against.
Both protocols of localization against a reference in plain Python, written from the papers' words.
"""

import csv
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from evaluation.localization.queries import (
    ANY,
    COLUMNS,
    MERGED,
    PROTOCOLS,
    Key,
    Query,
    Surroundings,
    as_printed,
    class_shares,
    confusion_matrix,
    judge,
    outcome_of,
    queries_of,
    query_counts,
)
from evaluation.localization.score import boxes_by_size, by_phrase, extent, hardest
from evaluation.reading.picture import TYPES, Box, PicturePhrase, around
from evaluation.reading.pictures import read_pictures
from evaluation.scoring import KS, recall_at
from tests.support.table import case, row

Refused = Callable[..., str]
Run = Callable[..., dict[str, Any]]
Lines = Callable[..., Path]
MAN, HAT, DOG, CAT = [10, 10, 50, 100], [20, 10, 40, 30], [60, 60, 100, 100], [0, 0, 20, 40]
SCORE = ("localization", "score", "--draws", "20", "--data")


def line(image: str, caption: int, phrase: int, *boxes: list[int]) -> dict[str, Any]:
    return {"image": image, "caption": caption, "phrase": phrase, "boxes": boxes}


FILE = (
    line("man", 0, 0, MAN), line("man", 0, 1, MAN, HAT), line("man", 0, 2), line("man", 1, 0, MAN),
    line("man", 1, 2, MAN), line("cat", 0, 0, CAT),
)  # fmt: skip


def test_misses_are_counted_and_unboxed_phrases_ignored(run: Run, export: Path, lines: Lines, tmp_path: Path) -> None:
    figures = run(*SCORE, export, "--predictions", lines(*FILE))["figures"]
    assert (figures["R@1"], figures["R@5"]) == (40, 60)
    assert (figures["missing"], figures["empty"], figures["unboxed"]) == (1, 1, 2)
    assert (figures["R@1.people"], figures["R@1.clothing"], figures["R@1.animals"]) == (50, 0, 50)
    assert figures["errors.confused"] == 20
    page = (tmp_path / "report" / "report.md").read_text()
    assert "Phrases that count as misses: 1 without a line in the file, 1 with an empty list." in page
    assert "Lines about phrases without a gold box, which are ignored: 2." in page


def test_phrases_have_their_gold_first_box_and_overlap(run: Run, export: Path, lines: Lines, tmp_path: Path) -> None:
    run(*SCORE, export, "--predictions", lines(*FILE))
    with (tmp_path / "report" / "phrases.csv").open() as file:
        rows = {row["words"]: row for row in csv.DictReader(file)}
    hat = rows["a red hat"]
    assert (hat["class"], hat["rank"], hat["gold x0"], hat["x1"]) == ("confused", "2", "20", "50.0")
    assert float(hat["overlap"]) == 400 / 3600
    assert (rows["a dog"]["x0"], rows["a dog"]["rank"]) == ("", "")


def test_suppression_drops_near_doubles_before_ranks_are_counted(run: Run, export: Path, lines: Lines) -> None:
    path = lines(line("man", 0, 1, *[[10, 10, 50, 100 - i] for i in range(5)], HAT))
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
    older = run(*SCORE, export, "--predictions", lines(*(*FILE[:3], line("man", 1, 1, MAN), *FILE[4:])))["figures"]
    assert told == {**older, "unboxed": 1, "unknown": 1}


def test_a_detectors_results_are_scored_by_phrases_their_categories_fit(run: Run, export: Path, tmp_path: Path) -> None:
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
    assert (
        "Boxes with a category that fits no phrase of their image: 1."
        in (tmp_path / "report" / "report.md").read_text()
    )
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
    queries = queries_of(read_pictures(entities))
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
    assert figures["R@1.low"] < figures["R@1"] < figures["R@1.high"] and figures["missing"] == 0


def test_phrases_are_gathered_in_lower_case_and_the_hardest_come_first(export: Path) -> None:
    queries = queries_of(read_pictures(export))
    found = by_phrase(outcome_of(queries, {("man", 0, 0): [queries[1].gold], ("cat", 0, 0): [queries[0].gold]}))
    assert [(one.phrase, one.times, one.first) for one in found] == [
        ("a man", 2, 50), ("a cat", 1, 100), ("a dog", 1, 0), ("a red hat", 1, 0),
    ]  # fmt: skip
    assert [one.phrase for one in hardest(found, 1)] == ["a dog", "a red hat", "a man", "a cat"]
    assert [one.phrase for one in hardest(found, 2)] == ["a man"]


def test_phrases_without_a_box_are_no_queries_and_one_of_two_types_counts_in_each_and_once_in_all(export: Path) -> None:
    queries = queries_of(read_pictures(export))
    assert [one.key for one in queries] == [
        ("cat", 0, 0), ("man", 0, 0), ("man", 0, 1), ("man", 0, 2), ("man", 1, 1),
    ]  # fmt: skip
    assert queries[1].gold == (10, 10, 50, 100)
    counts = query_counts(queries)
    assert counts["queries"] == 5
    assert (counts["queries.clothing"], counts["queries.other"], counts["queries.people"]) == (1, 1, 2)


GOOD = {"image": "man", "caption": 0, "phrase": 0, "boxes": [MAN]}


def boxed(*boxes: list[int]) -> dict[str, Any]:
    return {**GOOD, "phrase": 1, "boxes": boxes}


ENTRY = {"image_id": "man", "caption": 0, "phrase": "a red hat", "bbox": [0, 0, 1, 1], "score": 1}


@pytest.fixture
def scored(export: Path, refused: Refused) -> Refused:
    """Return a function that returns what a file of predictions is refused with."""
    return lambda path, *more: refused("localization", "score", "--data", export, "--predictions", path, *more)


@case("a number as image", {**GOOD, "image": 5}, "line 2: field 'image' is '5', not the name")
@case("a caption too many", GOOD | {"caption": 2}, "line 2: field 'phrase': caption 2 of image 'man' has no phrase")
@case("a phrase too many", GOOD | {"phrase": 3}, "caption 0 of image 'man' has no phrase number 3, counted from 0; it")
@case("a negative phrase", {**GOOD, "phrase": -1}, "line 2: field 'phrase' is '-1', not a whole number")
@case("boxes that are not a list", {**GOOD, "phrase": 1, "boxes": 3}, "line 2: field 'boxes' is not a list")
@case("NaN", '{"image": "man", "caption": 0, "phrase": 1, "boxes": [[NaN, 0, 1, 1]]}', "line 2: NaN is not a number")
@case("twice", GOOD, "line 2 names the same phrase as line 1")
@case("no object", "[]", "line 2 is not an object")
@case("no JSON", "image: man", "line 2 is no JSON")
def test_a_bad_line_is_named(line: Any, told: str, scored: Callable[..., str], lines: Lines) -> None:
    assert told in scored(lines(GOOD, line))


def test_the_other_models_bad_line_is_named_and_no_line_refused(scored: Callable[..., str], lines: Lines) -> None:
    other = lines({**GOOD, "image": 5}, name="other.jsonl")
    assert "other.jsonl, line 1" in scored(lines(GOOD), "--against", other)
    assert "predictions.jsonl holds no predictions" in scored(lines())


@row({**ENTRY, "image_id": "x"}, "results.json names no image of the data, only others: x")
@row({**ENTRY, "phrase": "a cow"}, "results.json, annotations[0]: field 'phrase': caption 0 of image 'man' has no")
@row({**ENTRY, "bbox": [0, 0, 122, 1]}, "annotations[0]: field 'bbox' [0, 0, 122, 1] reaches outside")
@row({**ENTRY, "score": "high"}, "annotations[0]: field 'score' is 'high', not a number")
@row({"image_id": "man", "category_id": 1, "bbox": [0, 0, 1, 1]}, "'category_id' 1 is in no list of the file")
def test_a_bad_entry_of_coco_results_is_named(entry: Any, told: str, scored: Refused, tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    path.write_text(json.dumps([entry]))
    assert told in scored(path)


def test_hits_are_summed_by_image(export: Path) -> None:
    queries = queries_of(read_pictures(export))
    hits, sizes = outcome_of(queries, {query.key: [query.gold] for query in queries if query.image == "man"}).per_image
    assert hits[:, COLUMNS.index("R@1")].tolist() == [0, 4]
    assert sizes[:, COLUMNS.index("R@1")].tolist() == [1, 4]
    assert sizes[:, COLUMNS.index("R@5.clothing")].tolist() == [0, 1]


MAN_AREA, HAT_AREA, DOG_AREA = (0, 0, 40, 100), (10, 0, 30, 20), (60, 60, 100, 100)
AROUND = Surroundings(
    ("1", "2", "3", "4"),
    np.array([MAN_AREA, HAT_AREA, DOG_AREA, HAT_AREA], dtype=float),
    (("people",), ("clothing",), ("animals",), ("other",)),
)


@case("a box that hits its own chain is correct even if it hits another one", HAT_AREA, "2", "correct")
@case("a box on another chain is confused", MAN_AREA, "3", "confused")
@case("a box that overlaps a little is partial", (0, 0, 20, 20), "1", "partial")
@case("a box that overlaps less is elsewhere", (0, 0, 10, 10), "1", "elsewhere")
@case("no box is elsewhere", None, "1", "elsewhere")
@case("an overlap of exactly a half is a hit", (0, 0, 20, 100), "1", "correct")
@case("an overlap of exactly a half with another chain is a hit of it", (0, 0, 20, 100), "3", "confused")
@case("an overlap of exactly a tenth is partial", (0, 0, 4, 100), "1", "partial")
def test_the_kind_of_a_box(box: Box | None, chain: str, kind: str) -> None:
    assert judge(box, chain, AROUND).kind == kind


def test_a_confused_box_has_the_types_of_the_chain_that_it_hits_or_of_both_but_one_never_proposed_none() -> None:
    assert judge(MAN_AREA, "3", AROUND).hit_types == (("people",),)
    assert judge(HAT_AREA, "3", AROUND).hit_types == (("clothing", "other"),)
    for box in (MAN_AREA, None):
        assert judge(box, "3", AROUND, was_proposed=False).kind == "no proposal"


def test_shares_add_up_and_the_matrix_counts_each_type_of_phrase_and_box() -> None:
    judged = [judge(HAT_AREA, "3", AROUND), judge(DOG_AREA, "3", AROUND)]
    assert sum(class_shares(judged).values()) == 100
    matrix = confusion_matrix([(("animals", "other"), one) for one in judged])
    assert (matrix.sum(), matrix[TYPES.index("animals"), TYPES.index("clothing")]) == (4, 1)


COUNTS = dict(zip(TYPES, (2840, 1127, 262, 304, 174, 58, 803, 1745), strict=True))


@pytest.mark.slow
def test_real_figures(run: Run, entities: Path) -> None:
    figures = run("localization", "baselines", "--data", entities)["figures"]
    assert figures["queries"] == 7292 and {kind: figures[f"queries.{kind}"] for kind in COUNTS} == COUNTS
    expected = {"extent.R@1": 24.59, "largest.R@1": 32.97, "by_size.R@5": 85.42, "by_size.R@10": 99.48}
    expected["extent.confused"] = 51.97
    assert {name: figures[name] for name in expected} == pytest.approx(expected, abs=0.006)
    # Counting the last pixel of each box changes little.
    for name in ("largest.R@1", "by_size.R@5", "by_size.R@10"):
        assert figures[f"pixels.{name}"] == pytest.approx(figures[name], abs=0.05)


def test_boxes_come_by_size_and_equal_ones_once_and_the_box_around_all_begins_at_the_corner(export: Path) -> None:
    _, man = read_pictures(export)
    assert extent(man) == (0, 0, 100, 100) and boxes_by_size(man)[:, 0].tolist() == [10, 60, 20]
    man.gold["5"] = man.gold["2"]
    assert len(boxes_by_size(man)) == 3


def overlap(one: Box, other: Box) -> float:
    """Return intersection over union."""
    width = min(one[2], other[2]) - max(one[0], other[0])
    height = min(one[3], other[3]) - max(one[1], other[1])
    shared = max(0, width) * max(0, height)
    return shared / (sum([(x1 - x0) * (y1 - y0) for x0, y0, x1, y1 in (one, other)]) - shared)


def recall(queries: Sequence[Query], boxes: Mapping[Key, Sequence[Box]], k: int, protocol: str) -> float:
    """Return the share of phrases of which one of the first k boxes overlaps gold by 0.5, in percent."""
    found = 0
    for query in queries:
        gold = [around([*query.boxes])] if protocol == MERGED else query.boxes
        found += any(overlap(box, one) >= 0.5 for box in boxes.get(query.key, ())[:k] for one in gold)
    return 100 * found / len(queries)


def assert_as_in_the_papers(queries: Sequence[Query], boxes: Mapping[Key, Sequence[Box]]) -> None:
    for protocol in PROTOCOLS:
        ranks = outcome_of(queries, boxes, protocol=protocol).ranks
        for k in KS:
            assert recall_at(ranks, k) == pytest.approx(recall(queries, boxes, k, protocol), abs=0.005)


def made_box(draw: Random) -> Box:
    """Return a box of few possible edges, so that boxes are often equal and overlaps often just 0.5."""
    x, y = 10 * draw.randrange(4), 10 * draw.randrange(4)
    return x, y, x + 10 * draw.randint(1, 4), y + 10 * draw.randint(1, 4)


def test_two_hundred_made_cases_with_ties_and_several_boxes_are_as_in_the_papers() -> None:
    draw = Random(6)
    for _ in range(200):
        queries, boxes = [], {}
        for number in range(draw.randint(1, 6)):
            gold = [made_box(draw) for _ in range(draw.randint(1, 4))]
            phrase = PicturePhrase(0, number, number, ("it",), str(number), ("other",))
            queries.append(Query("one", (80, 80), phrase, around(gold), tuple(gold)))
            boxes[queries[-1].key] = [made_box(draw) for _ in range(draw.randrange(12))]
        assert_as_in_the_papers(queries, boxes)


def parted(query: Query, draw: Random) -> Query:
    """Return the query with its box cut into two or three side by side."""
    x0, y0, x1, y1 = query.gold
    cuts = sorted({x0, x1, *(draw.uniform(x0, x1) for _ in range(draw.randint(1, 2)))})
    return replace(query, boxes=tuple((a, y0, b, y1) for a, b in pairwise(cuts)))


def jittered(box: Box, size: tuple[int, int], by: float, draw: Random) -> Box:
    """Return the box with each edge moved by a share of its side, within the picture."""
    x0, y0, x1, y1 = box
    across, down = by * (x1 - x0), by * (y1 - y0)
    left, right = max(0.0, x0 + draw.gauss(0, across)), min(size[0], x1 + draw.gauss(0, across))
    top, bottom = max(0.0, y0 + draw.gauss(0, down)), min(size[1], y1 + draw.gauss(0, down))
    return (left, top, right, bottom) if left < right and top < bottom else box


def random_box(size: tuple[int, int], draw: Random) -> Box:
    (x0, x1), (y0, y1) = (sorted(draw.sample(range(side + 1), 2)) for side in size)
    return x0, y0, x1, y1


PREDICTED: dict[str, Callable[[Query, Random], list[Box]]] = {
    "gold": lambda query, draw: [query.gold],
    "nothing": lambda query, draw: [],
    "the whole image": lambda query, draw: [(0, 0, *query.size)],
    "one random box": lambda query, draw: [random_box(query.size, draw)],
    "ten random boxes": lambda query, draw: [random_box(query.size, draw) for _ in range(10)],
    "jittered a little": lambda query, draw: [jittered(query.gold, query.size, 0.1, draw)],
    "jittered much": lambda query, draw: [jittered(query.gold, query.size, 0.3, draw)],
    "five jittered": lambda query, draw: [jittered(query.gold, query.size, 0.4, draw) for _ in range(5)],
    "a part of the thing": lambda query, draw: [query.boxes[0]],
    "every part of the thing": lambda query, draw: [*query.boxes[::-1], (0, 0, *query.size)],
}


@pytest.mark.slow
def test_ten_sets_of_predictions_on_real_images_are_as_in_the_papers(entities: Path) -> None:
    draw, plain = Random(7), queries_of(read_pictures(entities))
    queries = [parted(query, draw) if draw.random() < 0.2 else query for query in plain]
    for predict in PREDICTED.values():
        assert_as_in_the_papers(queries, {query.key: predict(query, draw) for query in queries})


def test_a_part_of_a_thing_hits_any_box_and_not_the_box_around_all() -> None:
    parts = (0, 0, 10, 10), (10, 0, 30, 10)
    query = Query("one", (40, 40), PicturePhrase(0, 0, 0, ("them",), "1", ("people",)), around([*parts]), parts)
    found = {protocol: outcome_of([query], {query.key: [parts[0]]}, protocol=protocol) for protocol in PROTOCOLS}

    assert (found[MERGED].ranks[0], found[ANY].ranks[0]) == (0, 1) and found[ANY].overlaps[0] == 1.0


def test_printed_edges_are_those_of_the_annotation_files_and_an_export_without_boxes_is_refused(
    export: Path, refused: Callable[..., str]
) -> None:
    assert as_printed(read_pictures(export)[0]).boxes["9"] == [(1, 1, 20, 40)]
    for file in (export / "Sentences").iterdir():
        file.write_text("Nothing here .\n")
    assert "no phrase has a box" in refused("localization", "baselines", "--data", export)


def test_the_report_names_both_protocols(run: Run, export: Path, lines: Callable[..., Path], tmp_path: Path) -> None:
    path = lines({"image": "cat", "caption": 0, "phrase": 0, "boxes": [[0, 0, 20, 20]]})
    score = ("localization", "score", "--data", export, "--predictions", path, "--draws", "2")

    pixels = run(*score)["figures"]
    printed = run(*score, "--edges", "printed", "--protocol", "any")["figures"]

    # Half of 20 x 40 pixels is just a hit; of 19 x 39 of the printed numbers it is none.
    assert (pixels["R@1.animals"], pixels["any.R@1.animals"], pixels["printed.R@1.animals"]) == (50, 50, 0)
    assert (printed["R@1.animals"], printed["merged.R@1.animals"], printed["pixels.R@1.animals"]) == (0, 0, 50)
    page = (tmp_path / "report" / "report.md").read_text()
    assert "A hit overlaps any box of the phrase by 0.5 or more (any)" in page
    assert "move R@1 by 20.00 points, by 50.00 for animals" in page
