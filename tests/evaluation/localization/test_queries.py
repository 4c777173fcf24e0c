"""Queries of an export."""

from pathlib import Path

from evaluation.localization.queries import queries_of, query_counts
from evaluation.reading.entities import read_entities


def test_phrases_without_a_box_are_no_queries(export: Path) -> None:
    queries = queries_of(read_entities(export))
    assert [one.key for one in queries] == [
        ("cat", 0, 0), ("man", 0, 0), ("man", 0, 1), ("man", 0, 2), ("man", 1, 1),
    ]  # fmt: skip
    assert queries[1].gold == (10, 10, 50, 100)


def test_a_phrase_of_two_types_counts_in_each_and_once_in_all(export: Path) -> None:
    counts = query_counts(queries_of(read_entities(export)))
    assert counts["queries"] == 5
    assert (counts["queries.clothing"], counts["queries.other"], counts["queries.people"]) == (1, 1, 2)
