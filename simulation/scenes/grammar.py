"""The grammar: from a sentence pattern to a caption with its mentions.

A pattern is words separated by spaces. `[dog]` is a mention of the chain "dog" in one of its phrases, `<he>` a chunk
that is not a mention (`<the_background>` for several words), `(a|b|)` a choice. `is/are` follows the number of the
subject: the caption's first mention, until a later one is marked by an exclamation mark: `[crowd!]`.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from random import Random

from exchange.dataset import DatasetCaption

CHOICE = re.compile(r"\(([^()]*)\)")
LONGEST = 26
"""Words of a caption, its punctuation among them."""
PLURAL = "+"
"""The prefix of a phrase whose verbs take the plural: "+two dogs"."""


@dataclass(frozen=True, slots=True)
class Noun:
    """Phrases for the entities of one chain; a phrase may end in its own types: "a ship|vehicles,other"."""

    phrases: tuple[str, ...]
    types: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Sentence:
    """A caption and what its phrases are about: (start, end, key of the noun, types) for each mention."""

    caption: DatasetCaption
    mentions: tuple[tuple[int, int, str, tuple[str, ...]], ...]


def compose(pattern: str, nouns: Mapping[str, Noun], rng: Random) -> Sentence:
    """One sentence of the pattern, begun with a capital and ended by a full stop; one that is too long is made anew.

    Raises KeyError for a mention of which there is no noun.
    """
    while len((sentence := _once(pattern, nouns, rng)).caption.words) > LONGEST:
        pass
    return sentence


def _once(pattern: str, nouns: Mapping[str, Noun], rng: Random) -> Sentence:
    while "(" in pattern:
        pattern = CHOICE.sub(lambda found: rng.choice(found[1].split("|")), pattern)
    words: list[str] = []
    mentions: list[tuple[int, int, str, tuple[str, ...]]] = []
    aside: list[tuple[int, int]] = []
    plural: bool | None = None
    for token in pattern.split():
        start = len(words)
        if token[0] == "[":
            key = token[1:-1].removesuffix("!")
            phrase, types = _phrase(nouns[key], rng)
            if plural is None or token.endswith("!]"):
                plural = phrase.startswith(PLURAL)
            words += phrase.removeprefix(PLURAL).split()
            mentions.append((start, len(words), key, types))
        elif token[0] == "<":
            words += token[1:-1].split("_")
            aside.append((start, len(words)))
        elif "/" in token:
            words.append(token.split("/")[1 if plural else 0])
        else:
            words.append(token)
    return Sentence(_caption([*words, "."], tuple(aside)), tuple(mentions))


def _phrase(noun: Noun, rng: Random) -> tuple[str, tuple[str, ...]]:
    phrase, _, types = rng.choice(noun.phrases).partition("|")
    return phrase, tuple(types.split(",")) if types else noun.types


def _caption(words: list[str], non_visual: tuple[tuple[int, int], ...]) -> DatasetCaption:
    words[0] = words[0][0].upper() + words[0][1:]
    offsets, place = [], 0
    for word in words:
        offsets.append(place)
        place += len(word) + 1
    return DatasetCaption(" ".join(words), tuple(words), tuple(offsets), non_visual)
