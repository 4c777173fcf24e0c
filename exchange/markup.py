"""Captions with phrases in brackets, `[a man]` or `[/tag a man]`, read into text, words and phrases."""

import re
from dataclasses import dataclass

from annotation.rules.mention_type import MentionType
from exchange.problems import Defect

NOT_VISUAL = "notvisual"
_WORD = re.compile(r"\S+")
_BY_NAME = {str(kind).replace(" ", ""): str(kind) for kind in MentionType}


@dataclass(frozen=True, slots=True)
class Phrase:
    """The words [start, end) of a caption that stood in brackets, and their tag without the first /."""

    start: int
    end: int
    tag: str | None


@dataclass(frozen=True, slots=True)
class Marked:
    """A caption without its markup; `offsets` are the positions of the words in `text`, in characters."""

    text: str
    words: tuple[str, ...]
    offsets: tuple[int, ...]
    phrases: tuple[Phrase, ...]
    empty: tuple[str, ...] = ()
    """Brackets without a word, which are left out."""


def parse_markup(line: str) -> Marked:
    """Read one caption. Words end at white space and at brackets. Raises Defect for brackets that do not match."""
    text = ""
    words: list[str] = []
    offsets: list[int] = []
    phrases: list[Phrase] = []
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
            phrases.append(Phrase(start, len(words), tag))
        text += content
    return Marked(text, tuple(words), tuple(offsets), tuple(phrases), tuple(empty))


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
