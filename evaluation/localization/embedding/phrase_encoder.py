"""Phrases as Fisher vectors [paper 4.1.1]: content words, their vectors, and the codebook fitted on them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evaluation.errors import InputError
from evaluation.language import Tagged
from evaluation.localization.embedding.fisher import Hglmm, fisher_vectors, fit_hglmm
from evaluation.localization.embedding.word_vectors import WordVectors

SAMPLE = 42_000
"""Word occurrences that the codebook is fitted on."""


def is_content_tag(tag: str) -> bool:
    """Tell whether a Penn Treebank tag is of a noun (NN*), an adjective (JJ*) or a preposition (IN)."""
    return tag.startswith(("NN", "JJ")) or tag == "IN"


def content_words(words: Sequence[str], tags: Sequence[str]) -> list[str]:
    """Return the content words in lower case, in reading order, repeated ones repeated.

    Raises ValueError if there is not one tag a word.
    """
    return [word.lower() for word, tag in zip(words, tags, strict=True) if is_content_tag(tag)]


@dataclass(frozen=True, slots=True)
class PhraseEncoder:
    """Word vectors and a codebook."""

    words: WordVectors
    mixture: Hglmm

    def encode(self, phrases: Sequence[Tagged]) -> NDArray[np.float32]:
        """Return the Fisher vector of each phrase, shape (n, 2 K D); zeros for a phrase without known content words."""
        return fisher_vectors(self.mixture, self.words.vectors, [rows_of(self.words, phrase) for phrase in phrases])


def rows_of(words: WordVectors, phrase: Tagged) -> list[int]:
    """Return the rows of the phrase's known content words."""
    return words.rows_of(content_words([word for word, _ in phrase], [tag for _, tag in phrase]))


def fit_encoder(
    words: WordVectors,
    phrases: Sequence[Tagged],
    *,
    components: int,
    seed: int,
    steps: int = 20,
    progress: Callable[[int, int], None] = lambda done, of: None,
) -> PhraseEncoder:
    """Fit the codebook on the content words of the phrases, at most SAMPLE of them by the seed.

    Raises InputError for fewer words than components.
    """
    found = np.array([row for phrase in phrases for row in rows_of(words, phrase)], dtype=np.int64)
    if len(found) < components:
        raise InputError(f"{len(found)} known content words are too few for a codebook of {components} centres.")
    if len(found) > SAMPLE:
        found = np.random.default_rng(seed).choice(found, SAMPLE, replace=False)
    mixture = fit_hglmm(words.vectors[found], components, steps=steps, seed=seed, progress=progress)
    return PhraseEncoder(words, mixture)
