"""Baselines and their score [paper Wang 3.1, 4.1, 4.2, 5, 5.1]: each orders the boxes of an image by one cue."""

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from evaluation.content_selection.scenes import DescribedScene
from evaluation.errors import InputError
from evaluation.scoring.boxes import area


class SelectionScore(NamedTuple):
    """Precision, recall and their harmonic mean, from 0 to 1."""

    p: float
    r: float
    f: float


def selection_score(gold: Sequence[Collection[str]], selected: Collection[str]) -> SelectionScore:
    """Return the score of the selected boxes against the boxes of each description, of which none may be empty.

    The order of the selection has no effect. An empty selection scores 0.
    """
    chosen = frozenset(selected)
    if not chosen:
        return SelectionScore(0.0, 0.0, 0.0)
    p = sum(len(chosen.intersection(description)) / len(chosen) for description in gold) / len(gold)
    r = sum(len(chosen.intersection(description)) / len(set(description)) for description in gold) / len(gold)
    return SelectionScore(p, r, float(harmonic(np.array(p), np.array(r))))


def harmonic(p: np.ndarray, r: np.ndarray) -> np.ndarray:
    """Return the harmonic mean of each pair (equation 3); 0 where both are 0."""
    both = p + r
    mean: np.ndarray = np.divide(2 * p * r, both, out=np.zeros_like(both, dtype=float), where=both > 0)
    return mean


def scores_by_k(members: np.ndarray, order: np.ndarray, ks: Sequence[int]) -> np.ndarray:
    """Return P, R and F of the first k boxes of an order, for each k: shape (len(ks), 3). A short order is used up.

    `members`: truth values (descriptions, boxes); `order`: indices of boxes, perhaps not of all.
    """
    if not len(order):
        return np.zeros((len(ks), 3))
    places = np.minimum(ks, len(order)) - 1
    p = np.cumsum(members.mean(axis=0)[order])[places] / (places + 1)
    r = np.cumsum((members / members.sum(axis=1, keepdims=True)).mean(axis=0)[order])[places]
    return np.stack([p, r, harmonic(p, r)], axis=1)


def upper_bound(gold: Sequence[Collection[str]]) -> SelectionScore | None:
    """Return the mean P, R and F of an image's descriptions; None if fewer than two refer to boxes.

    P, R and F are taken of each description and then averaged: by symmetry P and R are equal.
    """
    if len(gold) < 2:
        return None
    each = [selection_score([*gold[:i], *gold[i + 1 :]], left_out) for i, left_out in enumerate(gold)]
    p, r, f = np.mean(np.array(each), axis=0)
    return SelectionScore(float(p), float(r), float(f))


def position_order(boxes: np.ndarray, width: float, height: float) -> np.ndarray:
    """Return the indices of the boxes, (n, 4), by rising distance from the centre; ties keep their order."""
    return np.argsort(distances_to_centre(boxes, width, height), kind="stable")


def distances_to_centre(boxes: np.ndarray, width: float, height: float) -> np.ndarray:
    """Return the distances in pixels from the centres of the boxes to that of the image."""
    centres = (boxes[:, :2] + boxes[:, 2:]) / 2
    away: np.ndarray = np.hypot(centres[:, 0] - width / 2, centres[:, 1] - height / 2)
    return away


def size_order(boxes: np.ndarray) -> np.ndarray:
    """Return the indices of the boxes, (n, 4), by falling area; ties keep their order."""
    return np.argsort(-area(boxes), kind="stable")


def unigram_counts(scenes: Sequence[DescribedScene]) -> Counter[str]:
    """Return the number of references to each concept, repeats in a description included."""
    counts: Counter[str] = Counter()
    for scene in scenes:
        concepts = {box.id: box.concept for box in scene.boxes}
        counts.update(concepts[box] for reference in scene.references for box in reference)
    return counts


def unigram_order(concepts: Sequence[str], counts: Mapping[str, int]) -> np.ndarray:
    """Return the indices of the boxes by falling count of their concepts; ties keep their order."""
    return np.argsort([-counts.get(concept, 0) for concept in concepts], kind="stable")


@dataclass
class BigramCounts:
    """The counts of concepts that a description refers to first, and of those that follow each concept."""

    first: Counter[str] = field(default_factory=Counter)
    after: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))


def bigram_counts(scenes: Sequence[DescribedScene]) -> BigramCounts:
    """Return the counts over all descriptions: of first references, and of pairs with no other reference between."""
    counts = BigramCounts()
    for scene in scenes:
        concepts = {box.id: box.concept for box in scene.boxes}
        for reference in scene.references:
            named = [concepts[box] for box in reference]
            counts.first.update(named[:1])
            for concept, other in pairwise(named):
                counts.after[concept][other] += 1
    return counts


def bigram_order(concepts: Sequence[str], counts: BigramCounts) -> np.ndarray:
    """Return the indices of the chosen boxes, best first; ties: the earlier box.

    It ends as soon as no box that is left has a count above 0. So it may be short, or empty.
    """
    left = list(range(len(concepts)))
    chosen: list[int] = []
    likely: Mapping[str, int] = counts.first
    while left:
        best = max(left, key=lambda i: (likely.get(concepts[i], 0), -i))
        if not likely.get(concepts[best], 0):
            break
        chosen.append(best)
        left.remove(best)
        likely = counts.after.get(concepts[best], {})
    return np.array(chosen, dtype=int)


def ranks(order: np.ndarray, boxes: int) -> np.ndarray:
    """Return the rank of each box, from 1. Boxes that the order leaves out share the mean of the ranks that are left.

    With N boxes of which S are chosen that is ((N + 1) - S) / 2 + S: 6.5 for 3 of 9.
    """
    chosen = len(order)
    found = np.full(boxes, 0.5 * ((boxes + 1) - chosen) + chosen)
    found[order] = np.arange(1, chosen + 1)
    return found


def combine(text: np.ndarray, visual: np.ndarray, boxes: int) -> np.ndarray:
    """Return the indices of all boxes by the mean of both ranks; ties go by the visual rank."""
    by_sight = ranks(visual, boxes)
    return np.lexsort((by_sight, (ranks(text, boxes) + by_sight) / 2))


def random_scores(members: np.ndarray, ks: Sequence[int], draws: int, rng: np.random.Generator) -> np.ndarray:
    """Return P, R and F of the first k boxes of random orders: shape (draws, len(ks), 3).

    `members`: truth values (descriptions, boxes).
    """
    boxes = members.shape[1]
    orders = np.argsort(rng.random((draws, boxes)), axis=1)
    places = np.minimum(ks, boxes) - 1
    p = np.cumsum(members.mean(axis=0)[orders], axis=1)[:, places] / (places + 1)
    r = np.cumsum((members / members.sum(axis=1, keepdims=True)).mean(axis=0)[orders], axis=1)[:, places]
    return np.stack([p, r, harmonic(p, r)], axis=2)


def expected(members: np.ndarray, ks: Sequence[int]) -> np.ndarray:
    """Return the expected P and R for each k: shape (len(ks), 2).

    With N boxes, P is the mean number of boxes of a description over N, for every k; R is min(k, N) / N.
    """
    boxes = members.shape[1]
    p = np.full(len(ks), members.sum(axis=1).mean() / boxes)
    return np.stack([p, np.minimum(ks, boxes) / boxes], axis=1)


VISUAL = ("position", "size")
TEXT = ("unigram", "bigram")
SINGLE = (*VISUAL, *TEXT)
COMBINED = tuple(f"{text}+{visual}" for text in TEXT for visual in VISUAL)
NAMES = (*SINGLE, *COMBINED)


@dataclass(frozen=True, slots=True)
class ImageFold:
    """Images to score, and the counts of concepts on other images."""

    name: str
    scored: tuple[DescribedScene, ...]
    fitted: tuple[str, ...]
    """The names of the images that the counts come from."""
    unigrams: dict[str, int]
    bigrams: BigramCounts


def crosswise(scenes: Sequence[DescribedScene], rng: np.random.Generator) -> list[ImageFold]:
    """Return two halves of the images, drawn at random, each scored with the counts of the other."""
    drawn = rng.permutation(len(scenes))
    half = (len(scenes) + 1) // 2
    first, second = ([scenes[i] for i in sorted(part)] for part in (drawn[:half], drawn[half:]))
    return [_split("first half", first, second), _split("second half", second, first)]


def fitted_on(scenes: Sequence[DescribedScene], others: Sequence[DescribedScene]) -> tuple[ImageFold, int]:
    """Return the images with counts of an export of others, and the number of images left out of it.

    Images of both are left out of the fit. Raises InputError if none is left.
    """
    own = {scene.image for scene in scenes}
    kept = [scene for scene in others if scene.image not in own]
    if not kept:
        raise InputError("Every image of --fit is also in --data: concepts must be counted on other images.")
    return _split("all", scenes, kept), len(others) - len(kept)


def _split(name: str, scored: Sequence[DescribedScene], fitted: Sequence[DescribedScene]) -> ImageFold:
    names = tuple(scene.image for scene in fitted)
    return ImageFold(name, tuple(scored), names, unigram_counts(fitted), bigram_counts(fitted))


def orders_of(scene: DescribedScene, split: ImageFold) -> dict[str, np.ndarray]:
    """Return the indices of the boxes, best first, by the name of the baseline. That of bigram may be short."""
    orders = {
        "position": position_order(scene.edges, scene.width, scene.height),
        "size": size_order(scene.edges),
        "unigram": unigram_order(scene.concepts, split.unigrams),
        "bigram": bigram_order(scene.concepts, split.bigrams),
    }
    for text in TEXT:
        for visual in VISUAL:
            orders[f"{text}+{visual}"] = combine(orders[text], orders[visual], len(scene.boxes))
    return orders


def shuffle_boxes(scene: DescribedScene, rng: np.random.Generator) -> DescribedScene:
    """Return the scene with its boxes in random order, so that ties are decided at random."""
    boxes = tuple(scene.boxes[i] for i in rng.permutation(len(scene.boxes)))
    return DescribedScene(scene.image, scene.width, scene.height, boxes, scene.references)
