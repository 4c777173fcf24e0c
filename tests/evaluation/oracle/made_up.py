"""Captions made up from a few words: those of an image tell of the same things, each in its own way."""

import gzip
from collections.abc import Sequence
from pathlib import Path

import numpy as np

PEOPLE = ["man", "woman", "boy", "girl", "player", "rider"]
ACTS = ["jumps", "sits", "sings", "climbs", "sleeps"]
THINGS = ["bike", "horse", "guitar", "wall", "ball", "boat", "bench", "dog"]
PLACES = ["street", "park", "beach", "stage", "field", "river"]
COLORS = ["red", "blue", "green", "white", "black"]


def captions(lot: np.random.Generator) -> list[str]:
    """Return five captions of an image that mention most of the same things."""
    who, act, what, where, color = (str(lot.choice(words)) for words in (PEOPLE, ACTS, THINGS, PLACES, COLORS))
    return [
        f"A {who} {act} near a {color} {what} .",
        f"The {what} is in the {where} with a {who} .",
        f"A {color} {what} and a {who} who {act} in the {where} .",
        f"One {who} {act} at the {where} .",
        f"There is a {color} {what} in a {where} .",
    ]


def token_file(path: Path, images: int) -> Path:
    """Write three captions of each of so many images in Flickr30k's token format."""
    lot = np.random.default_rng(0)
    with gzip.open(path, "wt") as file:
        for image in range(images):
            file.writelines(f"{image:04d}.jpg#{number}\t{one}\n" for number, one in enumerate(captions(lot)[:3]))
    return path


def numbered_examples(count: int, seed: int = 0) -> list[tuple[Sequence[int], tuple[int, ...]]]:
    """Return captions as numbers, whose second word is told by their only atom: 6 kinds, 8 words of 4 to 11."""
    lot = np.random.default_rng(seed)
    found: list[tuple[Sequence[int], tuple[int, ...]]] = []
    for atom in lot.integers(6, size=count).tolist():
        found.append(([1, 4, 5 + atom, *lot.choice([4, 11], int(lot.integers(1, 4))).tolist(), 2], (atom,)))
    return found
