"""A simulated program that predicts chains [beyond paper 3.1.1]: right about a share of the phrases, or useless."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from random import Random

from pipeline.rules.linking.adaptive.program_links import Chains
from pipeline.rules.linking.transitivity import LinkMention, groups
from simulation.compare_strategies import BedImage

HEAPS = 3
"""A useless program throws the phrases of a group on so many heaps."""

Predict = Callable[[BedImage], Chains]
"""Returns the chains that a program predicts for an image."""


def right_about(share: float, seed: int) -> Predict:
    """Return a program that puts each phrase in its gold chain with the probability `share`, 0 to 1.

    Else it puts the phrase in another gold chain of the group or in a chain of its own, all of these equally likely.
    """

    def place(image: BedImage, group: Sequence[LinkMention], chance: Random) -> Iterator[str]:
        names = [image.gold[mention.number] for mention in group]
        for mention, own in zip(group, names, strict=True):
            wrong = [*sorted(set(names) - {own}), f"alone {mention.number}"]
            yield own if chance.random() < share else chance.choice(wrong)

    return _predict(place, f"{seed} {share}")


def useless(seed: int) -> Predict:
    """Return a program that puts each phrase of a group on one of three heaps, by lot."""
    return _predict(lambda image, group, chance: (str(chance.randrange(HEAPS)) for _ in group), f"{seed} useless")


def _predict(place: Callable[[BedImage, Sequence[LinkMention], Random], Iterator[str]], seed: str) -> Predict:
    def predict(image: BedImage) -> Chains:
        chains: dict[tuple[int, str], list[int]] = defaultdict(list)
        for group in groups(image.mentions):
            first = group[0].number
            chance = Random(f"program {seed} {image.key} {first}")
            for mention, name in zip(group, place(image, group, chance), strict=True):
                chains[first, name].append(mention.number)
        return list(chains.values())

    return predict
