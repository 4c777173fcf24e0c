"""Images of the scene retrieval: to train, to validate, and held out to score, never the same ones."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass

import numpy as np

from evaluation.errors import InputError


@dataclass(frozen=True, slots=True)
class SceneSplit:
    """Names of images, each part sorted."""

    train: tuple[str, ...]
    validation: tuple[str, ...]
    held_out: tuple[str, ...]
    excluded: tuple[str, ...]
    """Images of the export, which the file of captions holds, too: never trained on."""


def split_scenes(
    images: Iterable[str], export: Collection[str], *, train: int, validation: int, held_out: int, seed: int
) -> SceneSplit:
    """Draw the parts from the images by the seed. Raises InputError if there are too few for one image of each part.

    With fewer images than asked for, the parts shrink alike.
    """
    every = sorted(set(images))
    names = [name for name in every if name not in export]
    asked = train + validation + held_out
    if min(train, validation, held_out) < 1:
        raise InputError("Training, validation and held-out images: at least one of each.")
    share = min(1.0, len(names) / asked)
    counts = [int(share * part) for part in (train, validation, held_out)]
    if min(counts) < 1:
        raise InputError(f"{len(names)} images with captions are too few: {asked} were asked for.")
    order = [names[place] for place in np.random.default_rng(seed).permutation(len(names))]
    ends = np.cumsum(counts)
    parts = [tuple(sorted(order[start:end])) for start, end in zip((0, *ends), ends, strict=False)]
    return SceneSplit(parts[0], parts[1], parts[2], tuple(name for name in every if name in export))
