"""A made-up world of chains, one in each image: how many boxes each truly has, and what its phrase says.

None of its figures was measured with people.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random

from annotation.rules.box import Box
from exchange.dataset import DatasetBox, DatasetChain, DatasetImage, DatasetMention
from exchange.split_captions import joined_caption

PHRASES = {
    "one": ("a", "dog"),
    "plural": ("some", "dogs"),
    "pair": ("blue", "jeans"),
    "group": ("a", "crowd"),
    "mass": ("green", "grass"),
}
"""A phrase of each class that names no number."""
NUMBER_WORDS = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
ROWS, COLUMNS, CELL, SIDE = 3, 4, 120, 100
"""The places of an image in which boxes stand, and the side of a box, in pixels."""


@dataclass(frozen=True)
class World:
    """The parameters of a world; all shares are from 0 to 1."""

    types: Mapping[str, float]
    """Of each type, its weight among the chains."""
    none: Mapping[str, float]
    """Of each type, the share of chains without a box."""
    several: Mapping[str, float]
    """Of each type, the share of chains with several boxes among those with a box."""
    tail: float
    """Of the chains with n boxes or more, from 2 up, the share that has more than n."""
    phrases_of_one: Mapping[str, float]
    """Of chains with one box or none, the share of each phrase class; "number" is a number that is wrong."""
    phrases_of_several: Mapping[str, float]
    """The same of chains with several boxes; here "number" is the true one, but for the share `number_wrong`."""
    number_wrong: float


TYPES = {
    "people": 0.233,
    "clothing": 0.165,
    "body parts": 0.05,
    "animals": 0.02,
    "vehicles": 0.022,
    "instruments": 0.007,
    "scene": 0.183,
    "other": 0.32,
}
"""The chains of each type [paper table 4], in shares."""
WORLD = World(
    types=TYPES,
    none=dict.fromkeys(TYPES, 0.02) | {"scene": 0.56, "other": 0.27, "body parts": 0.05},
    several=dict.fromkeys(TYPES, 0.22) | {"people": 0.4, "clothing": 0.21, "scene": 0.12},
    tail=0.5,
    phrases_of_one={"one": 0.85, "plural": 0.05, "pair": 0.03, "group": 0.02, "mass": 0.05},
    phrases_of_several={"one": 0.06, "number": 0.34, "plural": 0.46, "pair": 0.03, "group": 0.11},
    number_wrong=0.1,
)
"""20 % of the chains without a box, 21 % with several, 1.27 boxes a chain."""


def made_chain(world: World, seed: int, number: int) -> DatasetImage:
    """Draw an image of one chain with its gold; it depends on the world, the seed and the number alone."""
    random = Random(f"{seed} chain {number}")
    kind = _drawn(random, world.types)
    boxes = 0
    if random.random() >= world.none[kind]:
        boxes = 1
        if random.random() < world.several[kind]:
            boxes = 2
            while boxes < ROWS * COLUMNS and random.random() < world.tail:
                boxes += 1
    words = _phrase(world, random, boxes)
    return DatasetImage(
        f"{seed}-{number}",
        COLUMNS * CELL,
        ROWS * CELL,
        (joined_caption(words),),
        (DatasetMention(0, 0, len(words), (kind,), "1"),),
        (DatasetChain("1", scene=not boxes),),
        tuple(DatasetBox(_box(place), ("1",)) for place in random.sample(range(ROWS * COLUMNS), boxes)),
    )


def _box(place: int) -> Box:
    x, y = CELL * (place % COLUMNS), CELL * (place // COLUMNS)
    return Box(x, y, x + SIDE, y + SIDE)


def _phrase(world: World, random: Random, boxes: int) -> tuple[str, ...]:
    kind = _drawn(random, world.phrases_of_several if boxes > 1 else world.phrases_of_one)
    if kind != "number":
        return PHRASES[kind]
    wrong = boxes < 2 or random.random() < world.number_wrong
    named = random.choice((2, 2, 2, 3, 3, 4)) if wrong else min(boxes, len(NUMBER_WORDS) + 1)
    return (NUMBER_WORDS[named - 2], "dogs")


def _drawn(random: Random, weights: Mapping[str, float]) -> str:
    return random.choices(list(weights), list(weights.values()))[0]
