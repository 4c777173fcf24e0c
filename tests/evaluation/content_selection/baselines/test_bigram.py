"""Order by what follows what."""

from evaluation.content_selection.baselines.bigram import BigramCounts, bigram_counts, bigram_order
from tests.evaluation.content_selection.scenes import scene

WOMAN = {"2": "woman", "0": "dress", "5": "boot", "3": "car"}


def test_only_neighbours_are_counted() -> None:
    counts = bigram_counts([scene(WOMAN, "2053", "23")])
    assert counts.first == {"woman": 2}
    assert counts.after == {"woman": {"dress": 1, "car": 1}, "dress": {"boot": 1}, "boot": {"car": 1}}


def test_it_follows_the_likeliest_and_stops_when_none_is_left() -> None:
    counts = bigram_counts([scene(WOMAN, "23", "23", "20")])
    assert bigram_order(["dress", "car", "woman"], counts).tolist() == [2, 1]
    assert bigram_order(["dress", "woman"], counts).tolist() == [1, 0]


def test_it_may_choose_nothing() -> None:
    assert bigram_order(["dress"], bigram_counts([scene(WOMAN, "23")])).tolist() == []
    assert bigram_order([], BigramCounts()).tolist() == []


def test_ties_go_to_the_earlier_box() -> None:
    counts = bigram_counts([scene(WOMAN, "2", "3")])
    assert bigram_order(["car", "woman"], counts).tolist() == [0]
