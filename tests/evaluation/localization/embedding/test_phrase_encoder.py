"""Phrases become Fisher vectors of their known nouns, adjectives and prepositions."""

import numpy as np
import pytest

from evaluation.errors import InputError
from evaluation.localization.embedding.phrase_encoder import content_words, fit_encoder
from evaluation.localization.embedding.word_vectors import WordVectors


def test_phrases_become_vectors_and_too_few_words_are_refused() -> None:
    words = WordVectors({"man": 0, "dog": 1}, np.array([[1, 0, 0], [0, 1, 0]], dtype=np.float32))
    phrases = [[("a", "DT"), ("man", "NN")], [("dogs", "NNS")], [("dog", "NN"), ("man", "NN")]]
    encoder = fit_encoder(words, phrases, components=2, seed=0)
    found = encoder.encode(phrases)
    assert found.shape == (3, 12)
    assert np.linalg.norm(found, axis=1) == pytest.approx([1, 0, 1], abs=1e-6)
    with pytest.raises(InputError, match="3 known content words are too few for a codebook of 5 centres"):
        fit_encoder(words, phrases, components=5, seed=0)


def test_nouns_adjectives_and_prepositions_are_kept() -> None:
    words, tags = (
        ["A", "young", "man", "in", "his", "two", "Boots", "runs"],
        ["DT", "JJ", "NN", "IN", "PRP$", "CD", "NNS", "VBZ"],
    )
    assert content_words(words, tags) == ["young", "man", "in", "boots"]
    with pytest.raises(ValueError):
        content_words(words, tags[:-1])
