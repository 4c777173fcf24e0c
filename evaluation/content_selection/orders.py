"""Orders [paper Wang 4.2, 5.1] of an image's boxes by every baseline, whose concepts are counted on other images."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from evaluation.content_selection.baselines import (
    BigramCounts,
    bigram_counts,
    bigram_order,
    combine,
    position_order,
    size_order,
    unigram_counts,
    unigram_order,
)
from evaluation.content_selection.scene import Scene
from evaluation.errors import InputError

VISUAL = ("position", "size")
TEXT = ("unigram", "bigram")
SINGLE = (*VISUAL, *TEXT)
COMBINED = tuple(f"{text}+{visual}" for text in TEXT for visual in VISUAL)
NAMES = (*SINGLE, *COMBINED)


@dataclass(frozen=True, slots=True)
class Fold:
    """Images to score, and the counts of concepts on other images."""

    name: str
    scored: tuple[Scene, ...]
    fitted: tuple[str, ...]
    """The names of the images that the counts come from."""
    unigrams: dict[str, int]
    bigrams: BigramCounts


def crosswise(scenes: Sequence[Scene], rng: np.random.Generator) -> list[Fold]:
    """Return two halves of the images, drawn at random, each scored with the counts of the other."""
    drawn = rng.permutation(len(scenes))
    half = (len(scenes) + 1) // 2
    first, second = ([scenes[i] for i in sorted(part)] for part in (drawn[:half], drawn[half:]))
    return [_fold("first half", first, second), _fold("second half", second, first)]


def fitted_on(scenes: Sequence[Scene], others: Sequence[Scene]) -> tuple[Fold, int]:
    """Return the images with counts of an export of others, and the number of images left out of it.

    Images of both are left out of the fit. Raises InputError if none is left.
    """
    own = {scene.image for scene in scenes}
    kept = [scene for scene in others if scene.image not in own]
    if not kept:
        raise InputError("Every image of --fit is also in --data: concepts must be counted on other images.")
    return _fold("all", scenes, kept), len(others) - len(kept)


def _fold(name: str, scored: Sequence[Scene], fitted: Sequence[Scene]) -> Fold:
    names = tuple(scene.image for scene in fitted)
    return Fold(name, tuple(scored), names, unigram_counts(fitted), bigram_counts(fitted))


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
