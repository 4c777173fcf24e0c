"""Sentences [paper Wang 3, 4.3, Fig. 2] whose words name their boxes, “A [woman]2 by a [car]3”: read, and generated."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import NotRequired

import numpy as np
from typing_extensions import TypedDict

from evaluation.content_selection.scene import Labelled
from evaluation.errors import InputError

_TERM = re.compile(r"\[(?P<words>[^][]*)\](?P<id>[A-Za-z0-9_.:-]*[A-Za-z0-9_])?")
_NOT_ALLOWED = re.compile(r"[^A-Za-z0-9_.:-]")
FUNCTION_WORDS = (
    "above", "across from", "against", "along", "among", "and", "around", "at", "behind", "below", "beside", "by", "in",
    "inside", "near", "next to", "on", "over", "under", "underneath", "with",
)  # fmt: skip
"""Prepositions and conjunctions; a file can replace them."""
_SYNSET = re.compile(r"(?P<lemma>.+)\.[nvars]\.[0-9]+")


class SentenceLine(TypedDict):
    """The boxes of an image that a system chose, or its sentence about them."""

    image: str | int
    """Its name in the data."""
    sentence: NotRequired[str]
    """Words that name a box are [word] with the id of the box behind."""
    boxes: NotRequired[Sequence[str | int]]
    """Ids, in place of a sentence."""


def read_correspondence(sentence: str, where: str) -> list[str]:
    """Return the ids in the order of the words, repeats included. Raises InputError, which begins with the place."""
    ids = []
    rest = sentence
    for found in _TERM.finditer(sentence):
        if not found["id"] or not found["words"].strip():
            raise InputError(f"{where}: {found[0]!r} is no [word] followed by the id of its box.")
        ids.append(found["id"])
        rest = rest.replace(found[0], "", 1)
    if "[" in rest or "]" in rest:
        raise InputError(f"{where}: a bracket is not closed, or was not opened.")
    return ids


def term(word: str, box: str) -> str:
    """Return a word with the id of its box, as sentences hold it. Characters that ids may not have become _."""
    return f"[{word}]{_NOT_ALLOWED.sub('_', box)}"


def read_function_words(path: Path) -> tuple[str, ...]:
    """Return the words or phrases of a file, one a line. Raises InputError for a file without any."""
    words = tuple(line.strip() for line in path.read_text(encoding="utf-8").splitlines() if line.strip())
    if not words:
        raise InputError(f"{path.name} holds no function words: write one a line.")
    return words


def word_of(concept: str) -> str:
    """Return the word for a concept: the first lemma of a WordNet synset ("dog.n.01": dog), or the concept itself."""
    synset = _SYNSET.fullmatch(concept)
    return (synset["lemma"] if synset else concept).replace("_", " ")


def generate(boxes: Sequence[Labelled], rng: np.random.Generator, words: Sequence[str] = FUNCTION_WORDS) -> str:
    """Return a sentence that names the boxes in this order, each as [word]id; an empty one for no boxes.

    "the" stands before every second word or so, by the same random numbers.
    """
    pieces: list[str] = []
    for place, box in enumerate(boxes):
        word = word_of(box.concept)
        if place:
            pieces.append(str(words[int(rng.integers(len(words)))]))
            if rng.random() < 0.5:
                pieces.append("the")
        pieces.append(term(word if place else word[:1].upper() + word[1:], box.id))
    return " ".join([*pieces, "."]) if pieces else ""
