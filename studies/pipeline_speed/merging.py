"""The time of the rule that merges the boxes of an image, for as many images as the paper had.

The images are made up as they are just before merging, with 10.8 boxes an image, of which merging leaves about 8.7
[3.3.2].
"""

import time
from collections.abc import Iterator
from random import Random
from statistics import fmean

from tqdm import tqdm

from annotation.rules.box import Box
from annotation.rules.mention_type import NOUN_TYPES
from pipeline.protocol.boxes.merge_boxes import BoxToMerge, merge_boxes
from studies.pipeline_speed.figure import Figure

WIDTH, HEIGHT = 500, 375
ENTITIES = (5, 12)
"""The smallest and the largest number of entities with a box."""
SEEN_AGAIN = 0.27
"""The share of entities whose box is drawn again for another chain, as if two of their phrases were not linked."""
SAME_CHAIN = 0.15
"""The share of entities that belong to the chain of the previous entity."""
OFF = 0.037
"""The error of an edge that is drawn again: its standard deviation in shares of the side."""
SEED = 1
GOAL = 4.0


def made_images(count: int, seed: int) -> Iterator[list[BoxToMerge]]:
    """Yield the boxes of each image in order of acceptance, with chains from 0. A seed gives the same images again."""
    rng = Random(seed)
    return (_image(rng) for _ in range(count))


def _image(rng: Random) -> list[BoxToMerge]:
    boxes: list[BoxToMerge] = []
    chain, types = -1, frozenset[str]()
    for _ in range(rng.randint(*ENTITIES)):
        if not boxes or rng.random() >= SAME_CHAIN:
            chain, types = chain + 1, _types(rng)
        boxes.append(BoxToMerge(_box(rng), types, chain))
    again = [box for box in boxes if rng.random() < SEEN_AGAIN]
    for number, (box, types, _) in enumerate(again):
        boxes.append(BoxToMerge(_drawn_again(rng, box), types, chain + 1 + number))
    return boxes


def _types(rng: Random) -> frozenset[str]:
    kinds = [kind.value for kind in NOUN_TYPES]
    return frozenset(rng.sample(kinds, 2 if rng.random() < 0.1 else 1))


def _box(rng: Random) -> Box:
    width, height = rng.randint(40, WIDTH // 2), rng.randint(40, HEIGHT // 2)
    x0, y0 = rng.randint(0, WIDTH - width), rng.randint(0, HEIGHT - height)
    return Box(x0, y0, x0 + width, y0 + height)


def _drawn_again(rng: Random, box: Box) -> Box:
    """Return the box as another worker would draw it, at least 1 x 1 and inside the image."""
    dx, dy = OFF * (box.x1 - box.x0), OFF * (box.y1 - box.y0)
    x0, y0 = max(0, round(rng.gauss(box.x0, dx))), max(0, round(rng.gauss(box.y0, dy)))
    x1, y1 = min(WIDTH, round(rng.gauss(box.x1, dx))), min(HEIGHT, round(rng.gauss(box.y1, dy)))
    return Box(x0, y0, max(x1, x0 + 1), max(y1, y0 + 1))


def merge_rule(*, images: int) -> Figure:
    """Measure the rule on values, one image after another."""
    made = list(tqdm(made_images(images, SEED), total=images, unit="image", desc="make boxes", disable=None))
    started = time.perf_counter()
    left = [len(merge_boxes(boxes).groups) for boxes in made]
    seconds = time.perf_counter() - started
    details = {
        "images": len(left),
        "boxes per image": fmean(map(len, made)),
        "left per image": fmean(left),
        "boxes": "made up (seeded)",
    }
    return Figure("merge-rule", f"Merging {images:,} images, the rule", seconds, "s", GOAL, True, details)
