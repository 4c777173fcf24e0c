"""Hardest foils [paper Shekhar, Mining hardest foil caption]: of a caption's foils the one that reads most likely."""

from collections.abc import Sequence
from typing import Protocol


class CaptionLoss(Protocol):
    """A language model that measures captions."""

    def losses(self, image: str, captions: Sequence[Sequence[str]]) -> Sequence[float]:
        """Return the loss of each caption: the mean negative natural logarithm of its words' probabilities.

        `image`: the name of the image, for models that know images. `captions`: bare words.
        """
        ...


def hardest(losses: Sequence[float]) -> int:
    """Return the place of the lowest loss; of equal ones the first."""
    return min(range(len(losses)), key=lambda place: (losses[place], place))
