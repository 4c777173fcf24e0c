"""Common phrases teach with at most N regions."""

from evaluation.localization.embedding.task import sample_pairs


def test_at_most_n_regions_of_each_phrase_are_kept() -> None:
    phrases = ["A man"] * 15 + ["a dog"] * 3 + ["a MAN"] * 10
    kept = sample_pairs(phrases, seed=1)
    assert len(kept) == 13 and kept == sorted(set(kept))
    assert [place for place in kept if phrases[place] == "a dog"] == [15, 16, 17]
    assert kept == sample_pairs(phrases, seed=1) != sample_pairs(phrases, seed=2)
    assert any(place < 15 for place in kept) and any(place > 17 for place in kept)
