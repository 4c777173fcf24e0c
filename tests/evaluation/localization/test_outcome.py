"""Ranks of first hits over all queries at once."""

import random
from pathlib import Path

import numpy as np

from evaluation.localization.outcome import COLUMNS, outcome_of
from evaluation.localization.queries import queries_of
from evaluation.reading.entities import read_entities
from evaluation.scoring.iou import iou
from evaluation.scoring.recall import first_hit


def test_they_equal_the_ranks_of_each_query_alone(export: Path) -> None:
    queries = queries_of(read_entities(export))
    source = random.Random(3)
    for _ in range(50):
        boxes = {
            query.key: [
                (x, y, x + source.randint(1, 60), y + source.randint(1, 90))
                for x, y in ((source.randrange(30), source.randrange(30)) for _ in range(source.randrange(6)))
            ]
            + [query.gold] * source.randrange(2)
            for query in queries
        }
        found = outcome_of(queries, boxes)
        for i, query in enumerate(queries):
            ranked = np.array(boxes[query.key], dtype=float).reshape(-1, 4)
            assert found.ranks[i] == first_hit(ranked, query.gold)
            assert found.overlaps[i] == (iou(ranked[:1], np.array(query.gold))[0, 0] if len(ranked) else 0)


def test_hits_are_summed_by_image(export: Path) -> None:
    queries = queries_of(read_entities(export))
    hits, sizes = outcome_of(queries, {query.key: [query.gold] for query in queries if query.image == "man"}).per_image
    assert hits[:, COLUMNS.index("R@1")].tolist() == [0, 4]
    assert sizes[:, COLUMNS.index("R@1")].tolist() == [1, 4]
    assert sizes[:, COLUMNS.index("R@5.clothing")].tolist() == [0, 1]
