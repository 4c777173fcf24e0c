"""A simulated program that proposes boxes, of which about a share is good. No figure of it was measured."""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from annotation.rules.box import Box, iou
from simulation.view import COVERED, GoldChain, GoldImage

LEAST, MOST = 0.125, 0.5
"""The sides of a bad box, in shares of the image's."""
TRIES = 50


@dataclass(frozen=True, slots=True)
class SimulatedProposer:
    """One program."""

    good: float
    """The share of true boxes that it finds, 0 to 1; in place of each other one it proposes a bad box.

    It proposes a bad box for the same share of chains without a box.
    """

    def rows(self, image: GoldImage, seed: int) -> list[list[int]]:
        """Return what it predicts for the image: [mention, x0, y0, x1, y1] for each box."""
        draw = Random(f"{seed} proposer {image.key}")
        return [row for chain in image.chains for row in self._of_chain(image, chain, draw)]

    def _of_chain(self, image: GoldImage, chain: GoldChain, draw: Random) -> list[list[int]]:
        found: list[Box | None] = [box if draw.random() < self.good else None for box in chain.boxes]
        if not chain.boxes and draw.random() >= self.good:
            found = [None]
        boxes = (bad_box(draw, image, chain.boxes) if box is None else box for box in found)
        return [[chain.mentions[0], *box] for box in boxes if box is not None]


def bad_box(draw: Random, image: GoldImage, boxes: Sequence[Box]) -> Box | None:
    """Return a box that shows none of the entities in these; None if they leave no room for one."""
    for _ in range(TRIES):
        width, height = (max(1, int(side * draw.uniform(LEAST, MOST))) for side in (image.width, image.height))
        x, y = draw.randrange(image.width - width + 1), draw.randrange(image.height - height + 1)
        made = Box(x, y, x + width, y + height)
        if all(iou(made, box) < COVERED for box in boxes):
            return made
    return None
