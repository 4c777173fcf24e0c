"""Frequent and hard phrases."""

from pathlib import Path

from evaluation.localization.outcome import outcome_of
from evaluation.localization.queries import queries_of
from evaluation.localization.score_tables import by_phrase, hardest
from evaluation.reading.entities import read_entities


def test_phrases_are_gathered_in_lower_case_and_the_hardest_come_first(export: Path) -> None:
    queries = queries_of(read_entities(export))
    found = by_phrase(outcome_of(queries, {("man", 0, 0): [queries[1].gold], ("cat", 0, 0): [queries[0].gold]}))
    assert [(one.phrase, one.times, one.first) for one in found] == [
        ("a man", 2, 50), ("a cat", 1, 100), ("a dog", 1, 0), ("a red hat", 1, 0),
    ]  # fmt: skip
    assert [one.phrase for one in hardest(found, 1)] == ["a dog", "a red hat", "a man", "a cat"]
    assert [one.phrase for one in hardest(found, 2)] == ["a man"]
