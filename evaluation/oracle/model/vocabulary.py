"""The words that a language model knows: those that occur four times or more; all others are one unknown word."""

from collections import Counter
from collections.abc import Iterable, Sequence

LEAST = 4
"""Times that a known word occurs at least in the training captions."""
PAD, START, END, UNKNOWN = range(4)


class Vocabulary:
    """Words by number. 0 to 3 are padding, start, end and the unknown word."""

    def __init__(self, words: Sequence[str]) -> None:
        self.words = tuple(words)
        self._numbers = {word: number for number, word in enumerate(self.words, UNKNOWN + 1)}

    def __len__(self) -> int:
        return UNKNOWN + 1 + len(self.words)

    def numbers(self, words: Iterable[str]) -> list[int]:
        """Return the words' numbers, between start and end."""
        return [START, *(self._numbers.get(word, UNKNOWN) for word in words), END]

    def text(self, numbers: Iterable[int]) -> str:
        """Return the words of these numbers, without start, end and padding."""
        return " ".join(self.words[number - UNKNOWN - 1] for number in numbers if number > UNKNOWN)


def vocabulary_of(captions: Iterable[Iterable[str]], least: int = LEAST) -> Vocabulary:
    """Return the words that occur at least so often, in alphabetical order."""
    counts = Counter(word for caption in captions for word in caption)
    return Vocabulary(sorted(word for word, count in counts.items() if count >= least))
