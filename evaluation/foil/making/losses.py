"""Losses [paper Shekhar, Mining hardest foil caption]: of a caption's foils the one that reads most likely is kept.

Trigrams with one added to each count stand in for a neural model.
"""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Protocol

BEGIN, END = "<s>", "</s>"


class CaptionLoss(Protocol):
    """A language model that measures captions."""

    def losses(self, image: str, captions: Sequence[Sequence[str]]) -> Sequence[float]:
        """Return the loss of each caption: the mean negative natural logarithm of its words' probabilities.

        `image`: the name of the image, for models that know images. `captions`: bare words.
        """
        ...


def lowest_loss(losses: Sequence[float]) -> int:
    """Return the place of the lowest loss; of equal ones the first."""
    return min(range(len(losses)), key=lambda place: (losses[place], place))


class Trigram:
    """Trigrams of captions with one added to each count. It knows no images."""

    def __init__(self, captions: Iterable[Sequence[str]]) -> None:
        self._trigrams: Counter[tuple[str, str, str]] = Counter()
        self._contexts: Counter[tuple[str, str]] = Counter()
        known = {END}
        for caption in captions:
            known.update(caption)
            for trigram in _trigrams(caption):
                self._trigrams[trigram] += 1
                self._contexts[trigram[:2]] += 1
        self._size = len(known) + 1  # and one for all words that are not known

    def losses(self, image: str, captions: Sequence[Sequence[str]]) -> list[float]:
        """Return the mean negative natural logarithm of the probabilities of each caption's words and its end."""
        return [self._loss(caption) for caption in captions]

    def _loss(self, caption: Sequence[str]) -> float:
        found = [self._probability(trigram) for trigram in _trigrams(caption)]
        return -sum(map(math.log, found)) / len(found)

    def _probability(self, trigram: tuple[str, str, str]) -> float:
        return (self._trigrams[trigram] + 1) / (self._contexts[trigram[:2]] + self._size)


def _trigrams(caption: Sequence[str]) -> list[tuple[str, str, str]]:
    padded = [BEGIN, BEGIN, *caption, END]
    return list(zip(padded, padded[1:], padded[2:], strict=False))
