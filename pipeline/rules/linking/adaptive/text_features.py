"""Text features [beyond paper 3.1.1]: what the words of two mentions say about whether they corefer, as yes or no."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from annotation.rules.dictionaries import COLORS, DETERMINERS, load_dictionaries, plain_words
from annotation.rules.singular import singulars
from pipeline.rules.linking.adaptive.noun_words import ADULT, CHILD, COLLECTIVES, FEMALE, MALE, NUMBERS
from pipeline.rules.linking.transitivity import LinkMention

FEATURES = (
    "any pair",
    "same content words",
    "same head",
    "other word shared",
    "number agrees",
    "number differs",
    "colour agrees",
    "colour differs",
    "gender or age agrees",
    "gender or age differs",
    "same rank",
    "both first",
)
"""Names that a fitted prior keeps: "same head" but for its number; "same rank" among the mentions of a type in their
captions; "both first" words of their captions."""

LITTLE = DETERMINERS | {"and", "at", "by", "for", "from", "in", "of", "on", "or", "with", "'s"}
"""Words that say nothing of the thing itself."""


class Reading(NamedTuple):
    """What one mention's words say."""

    content: frozenset[str]
    others: frozenset[str]
    """The content but for the head."""
    heads: frozenset[str]
    """The head and what it may be the plural of."""
    number: int | None
    """How many; None: several."""
    colours: frozenset[str]
    traits: tuple[frozenset[str], frozenset[str]]
    """Genders and ages."""


def pair_features(mentions: Sequence[LinkMention]) -> NDArray[np.float64]:
    """[mentions, mentions, FEATURES], symmetric, for the mentions of one group in reading order; 0 on the diagonal."""
    features = np.zeros((len(mentions), len(mentions), len(FEATURES)))
    readings = [_read(mention.words or (mention.head,), mention.head) for mention in mentions]
    ranks = _ranks(mentions)
    for one, another in combinations(range(len(mentions)), 2):
        both_first = mentions[one].start == mentions[another].start == 0
        same_rank = not ranks[one].isdisjoint(ranks[another])
        said = (*_compare(readings[one], readings[another]), same_rank, both_first)
        features[one, another] = features[another, one] = said
    return features


def _compare(one: Reading, another: Reading) -> Iterator[bool]:
    yield True
    yield bool(one.content) and one.content == another.content
    yield not one.heads.isdisjoint(another.heads)
    yield not one.others.isdisjoint(another.others)
    yield from _agreement([_numbers_agree(one.number, another.number)])
    yield from _agreement([_overlap(one.colours, another.colours)])
    yield from _agreement(_overlap(*trait) for trait in zip(one.traits, another.traits, strict=True))


def _agreement(known: Iterable[bool | None]) -> tuple[bool, bool]:
    """Whether all that can be compared agrees, and whether something differs; neither where nothing can be."""
    verdicts = set(known)
    return True in verdicts and False not in verdicts, False in verdicts


def _overlap(one: frozenset[str], another: frozenset[str]) -> bool | None:
    return not one.isdisjoint(another) if one and another else None


def _numbers_agree(one: int | None, another: int | None) -> bool:
    return one == another or (None in (one, another) and 1 not in (one, another))


@lru_cache(maxsize=4096)
def _read(words: tuple[str, ...], head: str) -> Reading:
    plain = plain_words(words)
    content = frozenset(plain) - LITTLE
    singular = {form for word in plain for form in singulars(word)}
    return Reading(
        content=content,
        others=content - {head},
        heads=frozenset(singulars(head)),
        number=_number(plain, head),
        colours=frozenset(_colours(plain)),
        traits=(_which({"male": MALE, "female": FEMALE}, singular), _which({"child": CHILD, "adult": ADULT}, singular)),
    )


def _number(plain: Sequence[str], head: str) -> int | None:
    for word in plain:
        # Longer figures are years and names of cars.
        if word in NUMBERS or (word.isdecimal() and len(word) < 3):
            return NUMBERS.get(word) or int(word)
    several = head in COLLECTIVES or len(singulars(head)) > 1
    return None if several else 1


def _colours(plain: Iterable[str]) -> Iterator[str]:
    colours = load_dictionaries().words[COLORS]
    for word in plain:
        for part in word.replace("grey", "gray").split("-"):
            if part in colours:
                yield part


def _which(lists: Mapping[str, frozenset[str]], words: set[str]) -> frozenset[str]:
    return frozenset(name for name, members in lists.items() if not members.isdisjoint(words))


def _ranks(mentions: Sequence[LinkMention]) -> list[set[tuple[str, int]]]:
    """Of each mention, for each of its types: how many mentions of the type come before it in its caption."""
    seen: dict[tuple[int, str], int] = {}
    ranks = []
    for mention in mentions:
        ranks.append({(kind, seen.get((mention.caption, kind), 0)) for kind in mention.types})
        for kind in mention.types:
            seen[mention.caption, kind] = seen.get((mention.caption, kind), 0) + 1
    return ranks
