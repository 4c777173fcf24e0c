"""Judgments by number."""

import pytest

from workers.rules.vote_table import Judged, vote_table


def test_judgments_stand_by_item_and_names_have_the_numbers_of_their_first_judgment():
    judgments = [Judged("eve", "x", "no"), Judged("ann", "y", "yes"), Judged("ann", "x", "yes")]
    table = vote_table(iter(judgments), ("yes", "no"), {"y": "no", "nobody's": "yes"})
    assert (table.workers, table.items) == (["eve", "ann"], ["x", "y"])
    assert table.worker.tolist() == [0, 1, 1] and table.answer.tolist() == [1, 0, 0]
    assert table.votes.tolist() == [2, 1] and table.known.tolist() == [-1, 1]
    assert table.starts.tolist() == [0, 2] and table.keys.tolist() == [1, 2, 2]


def test_without_judgments_it_is_empty():
    assert len(vote_table([], ("yes", "no"), {"x": "yes"}).items) == 0


@pytest.mark.parametrize("classes", [("yes",), ("yes", "yes"), ()])
def test_classes_that_cannot_be_told_apart_are_refused(classes: tuple[str, ...]):
    with pytest.raises(ValueError, match="two classes"):
        vote_table([], classes, {})
