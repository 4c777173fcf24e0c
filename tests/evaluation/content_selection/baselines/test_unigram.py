"""Order by the frequency of concepts."""

from evaluation.content_selection.baselines.unigram import unigram_counts, unigram_order
from tests.evaluation.content_selection.scenes import scene


def test_every_reference_counts_and_unknown_concepts_come_last() -> None:
    counts = unigram_counts([scene({"1": "man", "2": "dog"}, "121", "2", ""), scene({"7": "man"}, "7")])
    assert counts == {"man": 3, "dog": 2}
    assert unigram_order(["cat", "dog", "man", "man"], counts).tolist() == [2, 3, 1, 0]
