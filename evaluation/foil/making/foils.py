"""Foils [paper Shekhar, Foil not present]: words of the target's super-category that the image does not show."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property

from evaluation.foil.making.caption_words import mentioned
from evaluation.foil.making.lexicon import Lexicon, Word
from evaluation.foil.making.pairs import Pair
from evaluation.foil.making.replace import fits
from evaluation.foil.making.targets import Target


@dataclass(frozen=True)
class Foils:
    """The foils of a lexicon, by the pairs that are allowed."""

    lexicon: Lexicon
    allowed: Collection[Pair]

    @cached_property
    def _by_target(self) -> dict[str, list[Word]]:
        found: dict[str, list[Word]] = {}
        for target, foil in self.allowed:
            found.setdefault(target, []).append(self.lexicon.by_word[foil])
        return found

    def of(self, pieces: Sequence[str], target: Target, shown: Collection[str]) -> list[Word]:
        """Return the foils that may stand for the target. `shown`: the words that the image shows."""
        return [
            foil
            for foil in self._by_target.get(target.word.word, ())
            if foil.word not in shown and fits(pieces, target.place, target.word, foil, plural=target.plural)
        ]


def shown_words(captions: Sequence[str], categories: Collection[str], lexicon: Lexicon) -> set[str]:
    """Return the words of the lexicon that an image shows.

    They are named in one of its captions, themselves or by another word for the same thing, or boxes of the image
    have them as their category.
    """
    said = {word for caption in captions for word in mentioned(caption)}
    found = {word.word for word in lexicon.words if not word.signs.isdisjoint(said)}
    return found | {word for category in categories if (word := word_of_category(category, lexicon)) is not None}


def word_of_category(category: str, lexicon: Lexicon) -> str | None:
    """Return the word of a category of boxes, the last one of its name; None for "hot dog", which is no dog."""
    name = tuple(category.lower().split())
    entry = lexicon.by_form.get(name[-1]) if name else None
    return None if entry is None or name in lexicon.phrases else entry.word
