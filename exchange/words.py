"""Captions split into words with their positions in the text."""

import re
from collections.abc import Iterable, Sequence

from annotation.rules.comparable import comparable_word
from exchange.dataset import DatasetCaption
from exchange.problems import Defect

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


def words_at(text: str, spans: Sequence[tuple[int, int]], where: str) -> tuple[DatasetCaption, list[tuple[int, int]]]:
    """Return the caption in words at whose edges each span of characters begins and ends, and the spans in words.

    Raises Defect for a span that is not at the edges of words, and for two that share a word.
    """
    for caption in (tokenized_caption(text), joined_caption(tuple(text.split(" ")))):
        starts = {offset: place for place, offset in enumerate(caption.offsets)}
        words = enumerate(zip(caption.words, caption.offsets, strict=True), start=1)
        ends = {offset + len(word): place for place, (word, offset) in words}
        if all(start in starts and end in ends and start < end for start, end in spans):
            found = [(starts[start], ends[end]) for start, end in spans]
            _check_apart(found, where)
            return caption, found
    raise Defect(f"{where}: phrases are not at the edges of words")


def _check_apart(spans: Iterable[tuple[int, int]], where: str) -> None:
    reached = 0
    for start, end in sorted(spans):
        if start < reached:
            raise Defect(f"{where}: two phrases share a word")
        reached = end
