"""Typed words [paper Shekhar, Human performance]: a typed word is the foil word if they are equal but for form.

Case, punctuation at the ends, spaces around and number make no difference.
"""

from evaluation.foil.making.caption_words import bare
from evaluation.foil.making.lexicon import Lexicon


def is_foil_word(typed: str | None, foil_word: str, lexicon: Lexicon) -> bool:
    """Tell whether the typed word is the foil word, a word of the lexicon."""
    return typed is not None and bare(typed.strip()) in lexicon.by_word[foil_word].forms
