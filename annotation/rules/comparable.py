"""Comparable forms [paper 3.1]: texts that read alike are alike, however they were typed; what is kept is as given."""

import re
import unicodedata
from collections.abc import Iterable, Sequence

HYPHENS = "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d"
"""Typographic hyphens and dashes; inside a word each is a hyphen."""
APOSTROPHES = "\u2019\u02bc\uff07"
INVISIBLE = (
    "\u00ad\u034f\u061c\u180e\u200b\u200e\u200f"  # soft hyphen, spaces of no width, marks of direction
    "\u202a\u202b\u202c\u202d\u202e\u2060\u2061\u2062\u2063\u2064\u2066\u2067\u2068\u2069\ufe0e\ufe0f\ufeff"
)
"""Characters that nobody sees, and that no script needs. The two variants of emoji are among them."""
JOINERS = "\u200c\u200d"
"""The non-joiner and the joiner: scripts whose letters join need them, and emoji of several parts."""
PICTOGRAPHS = (
    "\u2122\u2139\u2190-\u21ff\u2300-\u23ff\u25a0-\u27bf\u2900-\u297f\u2b00-\u2bff\u3030\u303d\U0001f000-\U0001faff"
)
"""Emoji and other small pictures, as ranges of a regular expression."""

_SPELLED = str.maketrans({**dict.fromkeys(HYPHENS, "-"), **dict.fromkeys(APOSTROPHES, "'"), **dict.fromkeys(INVISIBLE)})
_SPARE_JOINER = re.compile(
    # Kept behind a letter of a script that joins its letters (Arabic to Myanmar, Khmer to Lepcha, and their like), ...
    "(?<![\u0600-\u109f\u1700-\u1c4f\ua800-\uaaff\uabc0-\uabff\ufb50-\ufdff\ufe70-\ufefc\U00010840-\U00011fff"
    # ... and behind an emoji, in front of another one.
    f"\U0001e900-\U0001e95f{PICTOGRAPHS}])[{JOINERS}]+|(?<=[{PICTOGRAPHS}])[{JOINERS}]+(?![{PICTOGRAPHS}])"
)
_SPACES = re.compile("[\u00a0\u2000-\u200a\u202f\u205f\u3000]")
_PICTOGRAPH = re.compile(f"[{PICTOGRAPHS}{JOINERS}\u20e3\U000e0020-\U000e007f]")
_PARTS_OF_WORDS = frozenset("'%#@&\u2030")
"""Punctuation that belongs to the word at whose end it stands: the dogs', 50%, C#."""


def comparable(words: Sequence[str]) -> str:
    """Return the form in which a phrase is compared: its words with single spaces, in the case in which they stand.

    Marks and emoji around the phrase and its last word are left out, as are spare characters inside its words. A phrase
    of marks alone keeps them.
    """
    kept = [word for word in map(comparable_word, words) if word]
    while kept and not (last := _without_marks(kept[-1])):
        kept.pop()
    if not kept:
        return " ".join(map(comparable_word, words)).strip() or " ".join(words)
    kept[-1] = last
    while not (first := _without_marks(kept[0])):
        del kept[0]
    return " ".join([first, *kept[1:]])


def comparable_word(word: str) -> str:
    """Return the word composed (NFC), with plain hyphens and apostrophes, without characters that nobody sees."""
    if word.isascii():
        return word
    spelled = unicodedata.normalize("NFC", word).translate(_SPELLED)
    return unicodedata.normalize("NFC", _SPARE_JOINER.sub("", spelled))


def bare_words(words: Iterable[str]) -> list[str]:
    """Return the words in their comparable form, each without the marks around it; words of marks alone are left out.

    Of ASCII's marks only those go that `dictionaries.plain_words` does not know.
    """
    kept = []
    for word in words:
        if not word.isascii():
            word = _without_marks(comparable_word(word))
        if word:
            kept.append(word)
    return kept


def comparable_name(name: str) -> str:
    """Return the form in which a picture is found by its name: as words are compared, with plain spaces, in no case."""
    return name.casefold() if name.isascii() else _SPACES.sub(" ", comparable_word(name)).casefold()


def spellings(name: str) -> tuple[str, ...]:
    """Return the name as it is, composed (NFC) and decomposed (NFD), each once."""
    return tuple(dict.fromkeys((name, unicodedata.normalize("NFC", name), unicodedata.normalize("NFD", name))))


def _without_marks(word: str) -> str:
    places = [place for place, character in enumerate(word) if not _is_mark(character)]
    return word[places[0] : places[-1] + 1] if places else ""


def _is_mark(character: str) -> bool:
    if character.isalnum() or character in _PARTS_OF_WORDS:
        return False
    return unicodedata.category(character).startswith("P") or bool(_PICTOGRAPH.match(character))
