"""The order that each baseline gives the boxes of an image, and combinations of text with sight."""

import numpy as np

from evaluation.content_selection.baselines.bigram import bigram_order
from evaluation.content_selection.baselines.combine import combine
from evaluation.content_selection.baselines.position import position_order
from evaluation.content_selection.baselines.size import size_order
from evaluation.content_selection.baselines.unigram import unigram_order
from evaluation.content_selection.fitting import Fold
from evaluation.content_selection.scene import Scene

VISUAL = ("position", "size")
TEXT = ("unigram", "bigram")
SINGLE = (*VISUAL, *TEXT)
COMBINED = tuple(f"{text}+{visual}" for text in TEXT for visual in VISUAL)
NAMES = (*SINGLE, *COMBINED)


def orders_of(scene: Scene, fold: Fold) -> dict[str, np.ndarray]:
    """Return the indices of the boxes, best first, by the name of the baseline. That of bigram may be short."""
    orders = {
        "position": position_order(scene.edges, scene.width, scene.height),
        "size": size_order(scene.edges),
        "unigram": unigram_order(scene.concepts, fold.unigrams),
        "bigram": bigram_order(scene.concepts, fold.bigrams),
    }
    for text in TEXT:
        for visual in VISUAL:
            orders[f"{text}+{visual}"] = combine(orders[text], orders[visual], len(scene.boxes))
    return orders


def shuffled(scene: Scene, rng: np.random.Generator) -> Scene:
    """Return the scene with its boxes in random order, so that ties are decided at random."""
    boxes = tuple(scene.boxes[i] for i in rng.permutation(len(scene.boxes)))
    return Scene(scene.image, scene.width, scene.height, boxes, scene.references)
