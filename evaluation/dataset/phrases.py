"""Phrases of an image in two versions: each phrase of one beside itself in the other."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from evaluation.reading.picture import NOT_VISUAL, Caption, Phrase, Picture


class Pair(NamedTuple):
    """A phrase in both versions, or in one of them."""

    before: Phrase | None
    after: Phrase | None

    @property
    def either(self) -> Phrase:
        """The phrase, as the earlier version has it if it has it."""
        found = self.before or self.after
        assert found is not None
        return found

    @property
    def types(self) -> frozenset[str]:
        """The types of both versions together, without that of phrases that are no mentions."""
        return frozenset(kind for one in self if one is not None and is_mention(one) for kind in one.types)


class Paired(NamedTuple):
    """The captions and phrases of an image in two versions."""

    phrases: list[Pair]
    captions: list[tuple[int | None, int | None]]
    """The numbers of each caption, counted from 0; None where a version does not have it."""


def is_mention(phrase: Phrase) -> bool:
    """Tell whether the phrase is part of a chain."""
    return phrase.chain != NOT_VISUAL


def paired(before: Picture, after: Picture) -> Paired:
    """Return the phrases of two versions of an image, beside each other where they have the same place.

    Captions are the same if they have the same words; equal ones keep their order. Of two phrases that are left over
    in a caption and share words, one is the other with other bounds.
    """
    captions = list(_paired_captions(before.captions, after.captions))
    found: list[Pair] = []
    for first, second in captions:
        own = () if first is None else before.captions[first].phrases
        others = () if second is None else after.captions[second].phrases
        found += _paired_phrases(own, others)
    return Paired(found, captions)


def _paired_captions(before: Sequence[Caption], after: Sequence[Caption]) -> Iterator[tuple[int | None, int | None]]:
    """Yield the numbers of both, in the order of the earlier version, and then what only the later one has."""
    left: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for place, one in enumerate(after):
        left[one.words].append(place)
    for place, one in enumerate(before):
        same = left[one.words]
        yield place, same.pop(0) if same else None
    yield from ((None, place) for place in sorted(place for places in left.values() for place in places))


def _paired_phrases(before: Sequence[Phrase], after: Sequence[Phrase]) -> Iterator[Pair]:
    places = {(one.start, len(one.words)): one for one in after}
    alone = []
    for one in before:
        same = places.pop((one.start, len(one.words)), None)
        if same is None:
            alone.append(one)
        else:
            yield Pair(one, same)
    others = list(places.values())
    for _, _, one, other in sorted(
        (
            (-_shared(one, other), i, one, other)
            for i, (one, other) in enumerate((one, other) for one in alone for other in others)
            if _shared(one, other)
        ),
        key=lambda row: row[:2],
    ):
        if one in alone and other in others:
            alone.remove(one)
            others.remove(other)
            yield Pair(one, other)
    yield from (Pair(one, None) for one in alone)
    yield from (Pair(None, other) for other in others)


def _shared(one: Phrase, other: Phrase) -> int:
    """Return the number of words of the caption that both have."""
    ends = one.start + len(one.words), other.start + len(other.words)
    return max(0, min(ends) - max(one.start, other.start))
