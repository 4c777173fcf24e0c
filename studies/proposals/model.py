"""A simulated model that grounds phrases: of its boxes a given share is good, the others miss as drawn ones do."""

from collections.abc import Iterator

from annotation.rules.box import Box
from simulation.link_crowd import stable_uniform
from simulation.view import GoldChain, GoldImage

EDGE = 0.05
"""The most that an edge of a good box is off, in shares of the side: its IOU with gold is at least 0.65."""


def predicted_boxes(image: GoldImage, mentions: list[int], share: float, seed: int) -> list[list[int]]:
    """Return rows of [mention, x0, y0, x1, y1]: a box for each gold box of every mention's chain.

    A box is good with the probability `share`; of the others, half show half of the thing, and half lie beside it. The
    model never abstains: a mention whose chain has no box gets one in the middle of the image.
    """
    rows: list[tuple[int, list[int]]] = []
    for mention in mentions:
        chain = image.chain_of[mention]
        for rank, box in enumerate(_boxes(image, chain, mention, share, seed)):
            rows.append((rank, [mention, *box]))
    return [row for _, row in sorted(rows, key=lambda one: one[0])]


def _boxes(image: GoldImage, chain: GoldChain, mention: int, share: float, seed: int) -> Iterator[Box]:
    if not chain.boxes:
        yield _inside(image, image.width / 4, image.height / 4, 3 * image.width / 4, 3 * image.height / 4)
    for place, gold in enumerate(chain.boxes):
        key = (seed, "model", image.key, mention, place)
        draws = [stable_uniform(*key, what) for what in ("good", "kind", "x0", "y0", "x1", "y1")]
        yield _good(image, gold, draws[2:]) if draws[0] < share else _bad(image, gold, half=draws[1] < 0.5)


def _good(image: GoldImage, gold: Box, draws: list[float]) -> Box:
    sides = (gold.x1 - gold.x0, gold.y1 - gold.y0) * 2
    moved = [at + EDGE * side * (2 * draw - 1) for at, side, draw in zip(gold, sides, draws, strict=True)]
    return _inside(image, *moved)


def _bad(image: GoldImage, gold: Box, *, half: bool) -> Box:
    width, height = gold.x1 - gold.x0, gold.y1 - gold.y0
    if half:
        return _inside(image, gold.x0, gold.y0, gold.x0 + 0.45 * width, gold.y1)
    # To the side where there is room, so that the border of the image does not push the box back.
    right, down = gold.x0 + gold.x1 < image.width, gold.y0 + gold.y1 < image.height
    dx, dy = (width if right else -width) / 2, (height if down else -height) / 2
    return _inside(image, gold.x0 + dx, gold.y0 + dy, gold.x1 + dx, gold.y1 + dy)


def _inside(image: GoldImage, x0: float, y0: float, x1: float, y1: float) -> Box:
    left, top = (min(max(round(at), 0), most - 1) for at, most in ((x0, image.width), (y0, image.height)))
    right, low = min(max(round(x1), left + 1), image.width), min(max(round(y1), top + 1), image.height)
    return Box(left, top, right, low)
