"""Both protocols of localization against a reference in plain Python, written from the papers' words."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import pytest

from evaluation.localization.outcome import ANY, MERGED, PROTOCOLS, Key, outcome_of
from evaluation.localization.queries import Query, as_printed, queries_of
from evaluation.reading.entities import read_entities
from evaluation.reading.picture import Box, Phrase, around
from evaluation.scoring.recall import KS, recall_at

Run = Callable[..., dict[str, Any]]


def overlap(one: Box, other: Box) -> float:
    """Return intersection over union."""
    width = min(one[2], other[2]) - max(one[0], other[0])
    height = min(one[3], other[3]) - max(one[1], other[1])
    shared = max(0, width) * max(0, height)
    areas = [(x1 - x0) * (y1 - y0) for x0, y0, x1, y1 in (one, other)]
    return shared / (sum(areas) - shared)


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
            phrase = Phrase(0, number, number, ("it",), str(number), ("other",))
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
    x0, x1 = sorted(draw.sample(range(size[0] + 1), 2))
    y0, y1 = sorted(draw.sample(range(size[1] + 1), 2))
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
    draw = Random(7)
    plain = queries_of(read_entities(entities))
    queries = [parted(query, draw) if draw.random() < 0.2 else query for query in plain]
    for predict in PREDICTED.values():
        assert_as_in_the_papers(queries, {query.key: predict(query, draw) for query in queries})


def test_a_part_of_a_thing_hits_any_box_and_not_the_box_around_all() -> None:
    parts = (0, 0, 10, 10), (10, 0, 30, 10)
    query = Query("one", (40, 40), Phrase(0, 0, 0, ("them",), "1", ("people",)), around([*parts]), parts)
    found = {protocol: outcome_of([query], {query.key: [parts[0]]}, protocol=protocol) for protocol in PROTOCOLS}

    assert (found[MERGED].ranks[0], found[ANY].ranks[0]) == (0, 1)
    assert found[ANY].overlaps[0] == 1.0


def test_printed_edges_are_those_of_the_annotation_files(export: Path) -> None:
    cat = next(picture for picture in read_entities(export) if picture.name == "cat")

    assert as_printed(cat).boxes["9"] == [(1, 1, 20, 40)]


def test_the_report_holds_both_protocols_and_says_which_is_which(
    run: Run, export: Path, lines: Callable[..., Path], tmp_path: Path
) -> None:
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
