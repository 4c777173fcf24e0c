"""Captions split into words with their positions in the text."""

import re
from collections.abc import Sequence
from itertools import islice

from annotation.rules.comparable import comparable_word
from exchange.dataset import DatasetCaption

Span = tuple[int, int]
"""[from, to): characters of a text, or words of a caption."""
_MARKS = r"!-/:-@\[-`{-~\u00a1\u00a7\u00ab\u00b6\u00b7\u00bb\u00bf\u2010-\u205e\u3001-\u301f\uff01-\uff0f\uff1a-\uff1f"
# A word keeps inner hyphens and apostrophes (t-shirt, don't), also typographic ones, and inner points of numbers (3.5);
# 's stands alone.
_TOKEN = re.compile(
    rf"[^\s{_MARKS}]+(?:[-'\u2010\u2011\u2019](?!s\b)[^\s{_MARKS}]+|(?<=\d)[.,:](?=\d)[^\s{_MARKS}]+)*"
    rf"|['\u2019]s\b"
    rf"|([{_MARKS}])\1*"
)


def joined_caption(
    words: tuple[str, ...], *, non_visual: tuple[tuple[int, int], ...] = (), chunked: bool = True
) -> DatasetCaption:
    """Return the caption of these words, joined by single spaces."""
    offsets = []
    position = 0
    for word in words:
        offsets.append(position)
        position += len(word) + 1
    return DatasetCaption(" ".join(words), words, tuple(offsets), non_visual, chunked)


def tokenized_caption(text: str) -> DatasetCaption:
    """Return a caption that is not chunked: the text unchanged, and its words without punctuation.

    What nobody sees, such as a space of no width between two spaces, is not a word.
    """
    found = [token for token in _TOKEN.finditer(text) if comparable_word(token[0])]
    words = tuple(token[0] for token in found)
    return DatasetCaption(text, words, tuple(token.start() for token in found), chunked=False)


def character_span(caption: DatasetCaption, start: int, end: int) -> tuple[int, int]:
    """Return the position of the words [start, end) in the caption's text, in characters, half open."""
    return caption.offsets[start], caption.offsets[end - 1] + len(caption.words[end - 1])


def words_at(text: str, spans: Sequence[Span]) -> tuple[DatasetCaption, dict[Span, Span], dict[Span, str]]:
    """Return the caption in words at whose edges most spans of characters begin and end, and these spans in words.

    Then come the spans that have no place in it, with the reason: they begin or end within a word, or share a word with
    an earlier one.
    """
    tried: list[tuple[DatasetCaption, dict[Span, Span], dict[Span, str]]] = []
    for caption in (tokenized_caption(text), joined_caption(tuple(text.split(" ")))):
        starts = {offset: place for place, offset in enumerate(caption.offsets)}
        words = enumerate(zip(caption.words, caption.offsets, strict=True), start=1)
        ends = {offset + len(word): place for place, (word, offset) in words}
        found: dict[Span, Span] = {}
        wrong: dict[Span, str] = {}
        taken: set[int] = set()
        for start, end in spans:
            if start not in starts or end not in ends or start >= end:
                wrong[start, end] = "phrases are not at the edges of words"
            elif not taken.isdisjoint(own := range(starts[start], ends[end])):
                wrong[start, end] = "two phrases share a word"
            else:
                taken.update(own)
                found[start, end] = own.start, own.stop
        tried.append((caption, found, wrong))
        if not wrong:
            break
    return min(tried, key=lambda one: len(one[2]))


def places_of(phrase: str, text: str) -> list[Span]:
    """Return the characters of the first two places where the text has the words of the phrase, whatever their case.

    Words are whole: "cat" is not in "catalog".
    """
    if not phrase.strip() or len(" ".join(phrase.split())) > len(text):
        return []
    words = r"\s+".join(re.escape(word) for word in phrase.split())
    found = re.finditer(rf"(?<!\w){words}(?!\w)", text, re.IGNORECASE)
    return [one.span() for one in islice(found, 2)]


def same_words(one: str, other: str) -> bool:
    """Tell whether two texts have the same words, whatever their case and the white space between."""
    return one.casefold().split() == other.casefold().split()
