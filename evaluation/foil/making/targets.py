"""Targets [paper Shekhar, Salient target]: nouns of the lexicon, used by more than one person who saw the image."""

from collections.abc import Sequence
from dataclasses import dataclass

from evaluation.foil.making.caption_words import bare, mentioned
from evaluation.foil.making.lexicon import Lexicon, Word

LEAST = 2
"""Captions of an image that have a salient word."""


@dataclass(frozen=True, slots=True)
class Target:
    """A word at its place in a caption."""

    place: int
    word: Word
    plural: bool


def targets_of(pieces: Sequence[str], tags: Sequence[str], lexicon: Lexicon) -> list[Target]:
    """Return the nouns of the lexicon that stand in the caption exactly once, in any form, in their order.

    A word within a phrase that means something else ("hot dog") is not a target.
    """
    said = mentioned(" ".join(pieces))
    words = [bare(piece) for piece in pieces]
    other = _in_phrases(words, lexicon)
    found = []
    for place, (word, tag) in enumerate(zip(words, tags, strict=True)):
        entry = lexicon.by_form.get(word)
        if entry is None or not tag.startswith("NN") or place in other:
            continue
        if sum(one in entry.forms for one in said) == 1:
            found.append(Target(place, entry, _is_plural(entry, word, tag)))
    return found


def is_salient(word: Word, captions: Sequence[Sequence[str]]) -> bool:
    """Tell whether the word, in any form, stands in two or more captions. `captions`: bare words of each caption."""
    return sum(not word.forms.isdisjoint(words) for words in captions) >= LEAST


def _is_plural(entry: Word, form: str, tag: str) -> bool:
    if entry.singular == entry.plural:
        return tag.endswith("S")
    return form == entry.plural


def _in_phrases(words: Sequence[str], lexicon: Lexicon) -> set[int]:
    found: set[int] = set()
    for phrase in lexicon.phrases:
        length = len(phrase)
        for start in range(len(words) - length + 1):
            if all(
                _same(word, part, lexicon) for word, part in zip(words[start : start + length], phrase, strict=True)
            ):
                found.update(range(start, start + length))
    return found


def _same(word: str, part: str, lexicon: Lexicon) -> bool:
    if word == part:
        return True
    entry = lexicon.by_form.get(word)
    return entry is not None and part in entry.forms
