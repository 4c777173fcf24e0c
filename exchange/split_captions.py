"""Captions split into words with their positions in the text, and captions with phrases in brackets."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from annotation.rules.comparable import comparable_word
from annotation.rules.mention_type import MentionType
from exchange.checks import Defect
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


def joined_caption(words: tuple[str, ...], *, non_visual: tuple[tuple[int, int], ...] = ()) -> DatasetCaption:
    """Return the caption of these words, joined by single spaces."""
    offsets = []
    position = 0
    for word in words:
        offsets.append(position)
        position += len(word) + 1
    return DatasetCaption(" ".join(words), words, tuple(offsets), non_visual)


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
    return [match.span() for match in islice(found, 2)]


def same_words(first: str, second: str) -> bool:
    """Tell whether two texts have the same words, whatever their case and the white space between."""
    return first.casefold().split() == second.casefold().split()


NOT_VISUAL = "notvisual"
_WORD = re.compile(r"\S+")
_BY_NAME = {str(kind).replace(" ", ""): str(kind) for kind in MentionType}


@dataclass(frozen=True, slots=True)
class BracketedPhrase:
    """The words [start, end) of a caption that stood in brackets, and their tag without the first /."""

    start: int
    end: int
    tag: str | None


@dataclass(frozen=True, slots=True)
class MarkedCaption:
    """A caption without its markup; `offsets` are the positions of the words in `text`, in characters."""

    text: str
    words: tuple[str, ...]
    offsets: tuple[int, ...]
    phrases: tuple[BracketedPhrase, ...]
    empty: tuple[str, ...] = ()
    """Brackets without a word, which are left out."""


def parse_markup(line: str) -> MarkedCaption:
    """Read one caption. Words end at white space and at brackets. Raises Defect for brackets that do not match."""
    text = ""
    words: list[str] = []
    offsets: list[int] = []
    phrases: list[BracketedPhrase] = []
    empty: list[str] = []
    for piece, bracketed in _pieces(line):
        tag, content = _split_tag(piece) if bracketed else (None, piece)
        start = len(words)
        for word in _WORD.finditer(content):
            words.append(word[0])
            offsets.append(len(text) + word.start())
        if bracketed and len(words) == start:
            empty.append(f"empty phrase [{piece}]: put the words of the phrase inside the brackets")
        elif bracketed:
            phrases.append(BracketedPhrase(start, len(words), tag))
        text += content
    return MarkedCaption(text, tuple(words), tuple(offsets), tuple(phrases), tuple(empty))


def _pieces(line: str) -> list[tuple[str, bool]]:
    """Split the text into parts outside and inside of brackets, in turn."""
    pieces = []
    begin, bracketed = 0, False
    for found in re.finditer(r"[][]", line):
        at = found.start()
        if (found[0] == "[") == bracketed:
            raise Defect(_mismatch(line, begin, at, bracketed=bracketed))
        pieces.append((line[begin:at], bracketed))
        begin, bracketed = at + 1, not bracketed
    if bracketed:
        raise Defect(f"the bracket at character {begin} is not closed: {_shown(line, begin - 1)}")
    pieces.append((line[begin:], False))
    return pieces


def _mismatch(line: str, begin: int, at: int, *, bracketed: bool) -> str:
    if bracketed:
        return f"a bracket opens at character {at + 1} inside the one at character {begin}: {_shown(line, begin - 1)}"
    return f"a bracket closes at character {at + 1} that was never opened: {_shown(line, max(0, at - 20))}"


def _shown(line: str, at: int) -> str:
    return repr(line[at : at + 40])


def _split_tag(piece: str) -> tuple[str | None, str]:
    if not piece.startswith("/"):
        return None, piece
    parts = re.split(r"\s", piece[1:], maxsplit=1)
    return parts[0], parts[1] if len(parts) == 2 else ""


def parse_types(names: list[str]) -> tuple[str, ...]:
    """Return the types in markup (`bodyparts`) as values of MentionType, each once. Raises Defect for unknown types."""
    for name in names:
        if name not in _BY_NAME:
            raise Defect(f"unknown type {name!r}: the types are {', '.join(_BY_NAME)}, or {NOT_VISUAL}")
    return tuple(dict.fromkeys(_BY_NAME[name] for name in names))
