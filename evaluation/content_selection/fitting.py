"""Concepts are counted on some images and used on others [paper Wang 4.2], never on the same."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from evaluation.content_selection.baselines.bigram import BigramCounts, bigram_counts
from evaluation.content_selection.baselines.unigram import unigram_counts
from evaluation.content_selection.scene import Scene
from evaluation.errors import InputError


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
