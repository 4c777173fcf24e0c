"""Made gold: real images have one box a chain, so boxes of some chains are divided, and others taken away.

A fifth of the chains with a box get two or three boxes that part it, fifteen in a hundred get none, half of these as
scenes. Called made wherever it is used.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from random import Random

from annotation.rules.box import Box
from simulation.view import GoldChain, GoldImage

SEVERAL, NONE = 0.20, 0.15
LEAST_SIDE = 12
"""Pixels of the side that is divided, for each part."""


def made_gold(image: GoldImage, seed: int) -> GoldImage:
    """Return the image with divided and missing boxes; the same arguments give the same boxes."""
    draw = Random(f"{seed} made gold {image.key}")
    chains = tuple(_made(chain, draw) for chain in image.chains)
    of = {number: chain for chain in chains for number in chain.mentions}
    return replace(image, chains=chains, chain_of=of)


def _made(chain: GoldChain, draw: Random) -> GoldChain:
    rng, parts, scene = draw.random(), draw.choice([2, 3]), draw.random() < 0.5
    if rng < NONE:
        return replace(chain, boxes=(), scene=scene)
    if rng < NONE + SEVERAL and chain.boxes:
        return replace(chain, boxes=_divided(chain.boxes[0], parts), scene=False)
    return replace(chain, scene=chain.scene and not chain.boxes)


def _divided(box: Box, parts: int) -> tuple[Box, ...]:
    """Return boxes side by side along the longer side; one for a box that is too small."""
    wide = box.x1 - box.x0 >= box.y1 - box.y0
    first, last = (box.x0, box.x1) if wide else (box.y0, box.y1)
    parts = max(1, min(parts, (last - first) // LEAST_SIDE))
    edges: Sequence[int] = [first + (last - first) * place // parts for place in range(parts + 1)]
    pairs = pairwise(edges)
    return tuple(Box(a, box.y0, b, box.y1) if wide else Box(box.x0, a, box.x1, b) for a, b in pairs)
