"""Numbers by which people know the chains and boxes of an image, the same on every page that shows it."""

from collections.abc import Iterable, Mapping
from string import ascii_lowercase


def chain_numbers(finals: Iterable[int]) -> dict[int, int]:
    """Number the chains in reading order, from 1. `finals`: the final chain of each phrase, in reading order.

    A chain that was merged into another one has the number of that one: look it up by its final name.
    """
    return {name: number for number, name in enumerate(dict.fromkeys(finals), start=1)}


def box_names(
    boxes: Iterable[tuple[int, int]], numbers: Mapping[int, int], joined: Iterable[Iterable[int]] = ()
) -> dict[int, str]:
    """Name each box by its chain, as in "3", or "3a" and "3b" where a chain has several, discarded ones too.

    `boxes`: the number of each box and the final name of its chain. `numbers`: of the chains. `joined`: boxes that
    merging made one; those of one chain share a name.
    """
    one_of = {number: min(members) for members in map(list, joined) for number in members}
    places: dict[int, dict[int, int]] = {}
    found: dict[int, tuple[int, int]] = {}
    for number, chain in sorted(boxes):
        own = places.setdefault(chain, {})
        found[number] = chain, own.setdefault(one_of.get(number, number), len(own))
    return {
        number: f"{numbers.get(chain, '?')}{_letters(place) if len(places[chain]) > 1 else ''}"
        for number, (chain, place) in found.items()
    }


def _letters(place: int) -> str:
    """Return a to z, then aa, ab, and so on."""
    before, own = divmod(place, len(ascii_lowercase))
    return (_letters(before - 1) if before else "") + ascii_lowercase[own]
