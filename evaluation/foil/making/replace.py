"""Replacement [paper Shekhar, Dataset]: one whole word of a caption becomes another; number and capitals are kept."""

from collections.abc import Sequence

from evaluation.foil.making.caption_words import bare
from evaluation.foil.making.lexicon import Word

ARTICLES = ("a", "an")
_LIKE_A_CONSONANT = ("eu", "ew", "one", "once", "ouija", "uni", "use", "usu", "ute", "ura", "ufo", "ukulele")
_LIKE_A_VOWEL = ("hour", "honest", "honor", "honour", "heir")


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
