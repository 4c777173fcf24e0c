"""Words of a caption: the pieces between spaces, whose places count from 0, and the bare words in them."""

import re
from collections.abc import Iterable, Iterator

from evaluation.language import tagged

_BARE = re.compile(r"[^\W_](?:.*[^\W_])?")
_LETTERS = re.compile(r"[^\W\d_]+")


def pieces_of(caption: str) -> list[str]:
    """Return the pieces between spaces, punctuation included."""
    return caption.split()


def bare(piece: str) -> str:
    """Return the piece in lower case without punctuation at its ends; empty for punctuation alone."""
    found = _BARE.search(piece.lower())
    return found.group() if found else ""


def mentioned(caption: str) -> list[str]:
    """Return all runs of letters in lower case: "the dog's cat-flap" has the, dog, s, cat and flap."""
    return _LETTERS.findall(caption.lower())


def tags_of(captions: Iterable[str]) -> Iterator[list[str]]:
    """Yield the Penn Treebank tag of each piece of each caption, by its bare word; that of a sign if it has none.

    Raises MissingExtra without spaCy or its model.
    """
    split: list[list[list[str]]] = []

    def fed() -> Iterator[list[str]]:
        for caption in captions:
            split.append([_parts(piece) for piece in pieces_of(caption)])
            yield [part for parts in split[-1] for part in parts]

    for words in tagged(fed()):
        tags = iter([tag for _, tag in words])
        own = []
        for parts in split.pop(0):
            found = [next(tags) for _ in parts]
            own.append(next((tag for part, tag in zip(parts, found, strict=True) if bare(part)), found[0]))
        yield own


def _parts(piece: str) -> list[str]:
    """Return the signs before, the word, and the signs behind, as the tagger knows them."""
    found = _BARE.search(piece)
    if found is None:
        return [piece]
    parts = (piece[: found.start()], found.group(), piece[found.end() :])
    return [part for part in parts if part]
