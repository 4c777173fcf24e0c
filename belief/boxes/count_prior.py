"""Count prior [beyond paper 3.2.1]: how many boxes a chain is expected to need, by its types and its phrase."""

from functools import lru_cache
from statistics import fmean

from belief.boxes.box_prior import COUNTS, MOST, BoxPrior
from belief.boxes.phrase_class import PhraseClass, Reading, read_phrase

TAIL = 0.7
"""The share of each number of boxes above the listed ones in the one before."""


def counts_of(types: frozenset[str], words: tuple[str, ...], head: str, prior: BoxPrior) -> tuple[float, ...]:
    """Return the chances that a chain truly has 0, 1, ..., MOST boxes; they add up to 1.

    `types`: of all mentions of the chain. `words`, `head`: of its representative mention, in lower case. The share
    without a box is the mean over the types.
    """
    none = fmean(prior.none_of(kind) for kind in types) if types else prior.none_of("other")
    reading = read_phrase(words, head)
    some = _some(reading, prior.counts_of(reading.kind.value))
    return (none, *((1 - none) * share for share in some))


@lru_cache(maxsize=1024)
def _some(reading: Reading, weights: tuple[float, ...]) -> tuple[float, ...]:
    """Return the chances of 1, ..., MOST boxes of a chain that has a box."""
    found = [0.0] * (MOST + 1)
    places = listed_counts(reading)
    for place, weight in zip(places, weights, strict=False):
        found[place] += weight
    others = [place for place in range(1, MOST + 1) if place not in places]
    shape = [TAIL ** abs(place - max(places[0], COUNTS)) for place in others]
    for place, part in zip(others, shape, strict=True):
        found[place] += weights[-1] * part / sum(shape)
    total = sum(found)
    return tuple(share / total for share in found[1:])


def listed_counts(reading: Reading) -> list[int]:
    """Return the numbers of boxes that the weights but the last stand for, in their order."""
    if reading.kind is not PhraseClass.NUMBER:
        return list(range(1, COUNTS))
    named = min(reading.number, MOST)
    return [min(max(place, 1), MOST) for place in (named, 1, named - 1, named + 1, named + 2)]
