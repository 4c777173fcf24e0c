"""Nouns, adjectives and prepositions stand for a phrase."""

import pytest

from evaluation.localization.embedding.content_words import content_words


def test_nouns_adjectives_and_prepositions_are_kept() -> None:
    words, tags = (
        ["A", "young", "man", "in", "his", "two", "Boots", "runs"],
        ["DT", "JJ", "NN", "IN", "PRP$", "CD", "NNS", "VBZ"],
    )
    assert content_words(words, tags) == ["young", "man", "in", "boots"]
    with pytest.raises(ValueError):
        content_words(words, tags[:-1])
