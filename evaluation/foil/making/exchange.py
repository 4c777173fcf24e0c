"""Exchange [paper Shekhar, Dataset, Salient target, Foil not present]: targets, their foils, and the replacement."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property

from evaluation.foil.making.caption_words import bare, mentioned
from evaluation.foil.making.lexicon import Lexicon, Pair, Word

LEAST = 2
"""Captions of an image that have a salient word."""
ARTICLES = ("a", "an")
_LIKE_A_CONSONANT = ("eu", "ew", "one", "once", "ouija", "uni", "use", "usu", "ute", "ura", "ufo", "ukulele")
_LIKE_A_VOWEL = ("hour", "honest", "honor", "honour", "heir")


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


def replaced(pieces: Sequence[str], place: int, form: str) -> list[str]:
    """Return the pieces with the form at the place, in the capitals of the old word and between its punctuation."""
    old = pieces[place]
    at = old.lower().find(bare(old))
    end = at + len(bare(old))
    return [*pieces[:place], f"{old[:at]}{_like(old[at:end], form)}{old[end:]}", *pieces[place + 1 :]]


def fits(pieces: Sequence[str], place: int, target: Word, foil: Word, *, plural: bool) -> bool:
    """Tell whether the foil has a form of this number, and whether an article before the place stays right."""
    old, new = target.form(plural=plural), foil.form(plural=plural)
    if old is None or new is None:
        return False
    if place == 0 or bare(pieces[place - 1]) not in ARTICLES:
        return True
    return foil.plural is not None and takes_an(old) == takes_an(new)


def takes_an(word: str) -> bool:
    """Tell whether the article before the word is "an", by its first letters."""
    if word.startswith(_LIKE_A_VOWEL):
        return True
    return word[0] in "aeiou" and not word.startswith(_LIKE_A_CONSONANT)


def _like(old: str, form: str) -> str:
    if old.isupper() and len(old) > 1:
        return form.upper()
    return f"{form[0].upper()}{form[1:]}" if old[0].isupper() else form


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
